/**
 * Keys of tickets, which are names of files without `.md`: 1 to 100 ASCII letters, digits, `-` and `_`, the first a letter or digit. A key becomes the name of a
 * branch (`relay/<key>`), of folders, and of mailboxes and terminals (`<key>:<node>`), so there is no room for dots, blanks, slashes, colons or letters that one
 * file system writes in two ways.
 */
const KEY = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export const KEY_RULE = 'ASCII letters, digits, `-` and `_`, beginning with a letter or digit, at most 100';

export function isTicketKey(word: string): boolean {
  return KEY.test(word) && !isReadme(word);
}

/** A folder's own explanation is no ticket. */
export function isReadme(word: string): boolean {
  return word.toLowerCase() === 'readme';
}

/** The key of a mailbox, `<ticket>/<node>`, or of a ticket. */
export function placeOf(key: string): { readonly ticket: string; readonly mailbox?: string } | undefined {
  const [ticket = '', mailbox, ...more] = key.split('/');
  if (more.length > 0 || !isTicketKey(ticket) || (mailbox !== undefined && !KEY.test(mailbox))) return undefined;
  return { ticket, ...(mailbox === undefined ? {} : { mailbox }) };
}
