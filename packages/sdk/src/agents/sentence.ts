/** A sentence has an end, whoever wrote it: what a CLI or the system said may have none. */
export function ended(text: string): string {
  const trimmed = text.trimEnd();
  return /[.!?…]["')\]]?$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
