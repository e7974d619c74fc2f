/** Linux takes 128 KiB in one argument or variable, and Orca a line of 120,000 bytes for all of them. */
const MOST_BYTES = 64 * 1024;

/** Whether a prompt can be part of the command that starts an agent in a terminal, also as JSON that is quoted for a shell. */
export function fitsCommandLine(prompt: string): boolean {
  return Buffer.byteLength(JSON.stringify(prompt).replaceAll('\'', '\'\\\'\'')) <= MOST_BYTES;
}

/** What an agent is told instead of a prompt that stands in a file of its workspace, whose name is relative to that. One line, without quotes. */
export function pointerTo(file: string, { ticket, node }: { readonly ticket: string; readonly node: string }): string {
  return `You work on ticket ${ticket} at the step ${node}. Your instructions are too long for this message, so they stand in the file ${file} of your working folder. Read all of that file now, and do what it says as if it stood here. Leave the file as it is.`;
}
