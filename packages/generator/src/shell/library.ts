/** One function of the shell library, with the comment above it. */
export interface ShellFunction {
  readonly name: string;
  readonly source: string;
}

const BEGINS = /^([a-z_][a-z0-9_]*)\(\) \{$/;
const ENDS = /^\}(?: .*)?$/;
const INCLUDE = /^(?:# shellcheck source=lib\.sh|\. "\$\{RELAYFLOW_SHELL:-\.\}\/lib\.sh")$/;

/** The functions of a library in its order. A function begins with `name() {` and ends with `}`, perhaps with a redirection behind it, as shfmt writes them. Throws for anything else at the top level. */
export function functionsOf(library: string): ShellFunction[] {
  const functions: ShellFunction[] = [];
  let gathered: string[] = [];
  let name: string | undefined;
  for (const line of library.split('\n')) {
    if (name === undefined) {
      const begins = BEGINS.exec(line)?.[1];
      if (begins !== undefined) name = begins;
      else if (line === '') {
        // A comment that no function follows belongs to the file.
        gathered = [];
        continue;
      } else if (!line.startsWith('#')) throw new TypeError(`The shell library holds more than functions and comments: ${line}`);
    }
    gathered.push(line);
    if (name !== undefined && ENDS.test(line)) {
      functions.push({ name, source: gathered.join('\n') });
      gathered = [];
      name = undefined;
    }
  }
  return functions;
}

/** A part without its shebang and the lines that include the library. */
export function withoutInclude(part: string): string {
  return part.split('\n').filter((line) => !INCLUDE.test(line) && !line.startsWith('#!')).join('\n').trim();
}

/** The functions that a script needs, and those that they need, in the order of the library. Pure. */
export function functionsUsedBy(script: string, library: readonly ShellFunction[]): ShellFunction[] {
  const used = new Set<string>();
  const waiting = [script];
  for (let text = waiting.pop(); text !== undefined; text = waiting.pop()) {
    for (const { name, source } of library) {
      if (used.has(name) || !mentions(text, name)) continue;
      used.add(name);
      waiting.push(source);
    }
  }
  return library.filter(({ name }) => used.has(name));
}

function mentions(text: string, name: string): boolean {
  return text.includes(name) && new RegExp(`^(?!\\s*#).*(?<![\\w.$/-])${name}(?![\\w-])`, 'm').test(text);
}
