/** Linux takes 128 KiB in one argument; quoted for a shell on the way, a text can take more. */
const MOST_BYTES = 96 * 1024;

/** Whether a prompt can be an argument. One that cannot is typed into the terminal. */
export function fitsInArgument(prompt: string): boolean {
  return Buffer.byteLength(prompt) <= MOST_BYTES && !prompt.includes('\0');
}
