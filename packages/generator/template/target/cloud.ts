/** The host that starts this flow has chosen the ticket. */
export const unwanted = (_input: unknown) => '';
