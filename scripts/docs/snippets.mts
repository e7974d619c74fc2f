/**
 * How the documents mark their snippets; every snippet of these kinds is checked.
 *
 * - ```` ```ts ```` a module, or without any import or export statements in the body of a flow, with `f` and `input`; ```` ```ts hello.flow.ts ```` a
 *   module of that name, which the commands of the same document can use.
 * - ```` ```js ```` a module in JavaScript, which must parse.
 * - ```` ```sh ```` commands that must succeed in a fresh repository; ```` ```sh clone ```` the same in a clone of this one;
 *   there `# exit 3` after a command is the status that it must end with;
 *   ```` ```sh unchecked ```` commands that need something a test has not (a release token).
 * - ```` ```console ```` a session: lines after `$ ` are run, the lines between must be their output. `…` stands for any text, alone on a line for any
 *   lines; `# exit 3` after a command is its status; `<run-id>` is the run that was last named in the output.
 */
export interface Snippet {
  readonly file: string;
  /** Of the opening fence, from 1. */
  readonly line: number;
  readonly language: string;
  /** What follows the language on the fence. */
  readonly mark: string;
  readonly code: string;
}

export function snippetsOf(file: string, markdown: string): readonly Snippet[] {
  const found: Snippet[] = [];
  let open: { indent: string; line: number; language: string; mark: string; code: string[] } | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^(\s*)```(\S*)\s*(.*)$/.exec(line);
    if (open === undefined) {
      if (fence !== null) open = { indent: fence[1] ?? '', line: index + 1, language: fence[2] ?? '', mark: (fence[3] ?? '').trim(), code: [] };
    } else if (fence !== null && fence[2] === '') {
      const { indent, code, ...rest } = open;
      found.push({ file, ...rest, code: code.map((text) => (text.startsWith(indent) ? text.slice(indent.length) : text)).join('\n') });
      open = undefined;
    } else {
      open.code.push(line);
    }
  }
  return found;
}

export interface SessionCommand {
  /** Lines after the opening fence, from 1. */
  readonly offset: number;
  readonly command: string;
  readonly exit: number;
  readonly expected: readonly string[];
}

export function sessionOf(code: string): readonly SessionCommand[] {
  const commands: { offset: number; command: string; exit: number; expected: string[] }[] = [];
  for (const [index, line] of code.split('\n').entries()) {
    const started = /^\$ (.*?)(?:\s+# exit (\d+))?$/.exec(line);
    if (started !== null) commands.push({ offset: index + 1, command: started[1] ?? '', exit: Number(started[2] ?? 0), expected: [] });
    else commands.at(-1)?.expected.push(line);
  }
  return commands;
}

/** Whether an output is what a document shows. A session that shows no output accepts any. */
export function outputMatches(expected: readonly string[], output: string): boolean {
  const shown = expected.join('\n').trimEnd();
  if (shown === '') return true;
  const pattern = shown.split('\n').map((line) => (line.trim() === '…' ? '(?:.*\\n)*?' : `${line.trimEnd().split('…').map(escape).join('.*')}\\s*?\\n`));
  return new RegExp(`^${pattern.join('')}$`).test(`${output.trimEnd()}\n`);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
