/** The lines of a text without the code fence around all of it, if there is one; line ends of any system. */
export function reportLines(text: string): readonly string[] {
  const lines = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').split('\n');
  return withoutFence(lines) ?? lines;
}

interface Fence {
  readonly mark: string;
  readonly length: number;
  /** It names a language, so it can open a block but not close one. */
  readonly named: boolean;
}

/** The lines inside one code fence that encloses everything that is not blank, or undefined where there is none. */
export function withoutFence(lines: readonly string[]): readonly string[] | undefined {
  const first = lines.findIndex(isText);
  const last = lines.findLastIndex(isText);
  if (first < 0 || last <= first) return undefined;
  const outer = fenceOf(lines[first] ?? '');
  if (outer === undefined) return undefined;
  const inner = lines.slice(first + 1, last);
  return closes(lines[last] ?? '', outer) && !leaves(inner, outer) ? inner : undefined;
}

/** Whether the block an outer fence opens is closed in these lines already. Blocks inside it that name their language are stepped over. */
function leaves(inner: readonly string[], outer: Fence): boolean {
  let nested: Fence | undefined;
  for (const line of inner) {
    if (nested !== undefined) {
      if (closes(line, nested)) nested = undefined;
    } else if (closes(line, outer)) return true;
    else {
      const fence = fenceOf(line);
      if (fence?.named === true) nested = fence;
    }
  }
  return nested !== undefined;
}

function closes(line: string, outer: Fence): boolean {
  const fence = fenceOf(line);
  return fence !== undefined && !fence.named && fence.mark === outer.mark && fence.length >= outer.length;
}

/** The opening or closing line of a code block. */
function fenceOf(line: string): Fence | undefined {
  const text = line.trim();
  const mark = text[0];
  if (mark !== '`' && mark !== '~') return undefined;
  let length = 1;
  while (text[length] === mark) length += 1;
  if (length < 3) return undefined;
  const info = text.slice(length);
  return mark === '`' && info.includes('`') ? undefined : { mark, length, named: info !== '' };
}

export function isText(line: string): boolean {
  return line.trim() !== '';
}

/** Lines as one text: without blank lines around it, trailing space and the indentation that all of them share. */
export function blockText(lines: readonly string[]): string {
  const first = lines.findIndex(isText);
  if (first < 0) return '';
  const block = lines.slice(first, lines.findLastIndex(isText) + 1);
  if (block.length === 1) return (block[0] ?? '').trim();
  let indent: string | undefined;
  for (const line of block) {
    if (isText(line)) indent = commonStart(indent, line.slice(0, line.length - line.trimStart().length));
  }
  const shared = indent?.length ?? 0;
  return block.map((line) => (isText(line) ? line.slice(shared) : '')).join('\n').trimEnd();
}

function commonStart(one: string | undefined, other: string): string {
  if (one === undefined) return other;
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return one.slice(0, length);
}
