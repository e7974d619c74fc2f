/** The host that starts this flow has chosen the ticket. */
export function unwanted(_input: unknown): string {
  return '';
}
