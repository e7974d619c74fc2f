const CUT_NOTE = '\n\n[The rest was too long and is left out.]';

/** The beginning of a text with a note that there was more: at most `limit` long, not inside a character, best at the end of a line, with a code block closed again. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const fence = '\n```';
  const room = limit - CUT_NOTE.length - fence.length;
  if (room <= 0) return whole(text.slice(0, Math.max(0, limit)));
  const head = whole(text.slice(0, room));
  const lineEnd = head.lastIndexOf('\n');
  const kept = (lineEnd > room * 0.8 ? head.slice(0, lineEnd) : head).trimEnd();
  const open = (kept.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  return `${kept}${open ? fence : ''}${CUT_NOTE}`;
}

/** Without half a character at the end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
