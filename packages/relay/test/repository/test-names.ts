import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && typeof (value as Node)['type'] === 'string';

/** The functions of which the first argument is a name. */
const NAMING: ReadonlySet<string> = new Set(['describe', 'it', 'test']);

/** `it` of `it(…)`, `it.skip(…)` and `it.each(…)(…)`, with the rows of the latter. */
function named(call: Node): { readonly name: string; readonly rows: readonly unknown[] } | undefined {
  let callee = call['callee'];
  let rows: readonly unknown[] = [];
  for (;;) {
    if (!isNode(callee)) return undefined;
    if (callee['type'] === 'Identifier') return NAMING.has(String(callee['name'])) ? { name: String(callee['name']), rows } : undefined;
    if (callee['type'] === 'CallExpression') {
      rows = callee['arguments'] as readonly unknown[];
      callee = callee['callee'];
    } else if (callee['type'] === 'MemberExpression') callee = callee['object'];
    else return undefined;
  }
}

/** All literal texts below a node. */
function texts(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(texts);
  if (!isNode(value)) return [];
  if (value['type'] === 'Literal') return typeof value['value'] === 'string' ? [value['value']] : [];
  if (value['type'] === 'TemplateElement') return [String((value['value'] as Node)['cooked'])];
  return Object.values(value).flatMap(texts);
}

/** Names of tests in the text of a test file: those of the groups around each, then its own, then the texts of its rows. */
export function namesIn(code: string): readonly string[] {
  const found: string[] = [];
  const walk = (value: unknown, around: readonly string[]): void => {
    if (Array.isArray(value)) for (const item of value) walk(item, around);
    if (!isNode(value)) return;
    const naming = value['type'] === 'CallExpression' ? named(value) : undefined;
    if (naming === undefined) {
      for (const child of Object.values(value)) walk(child, around);
      return;
    }
    const [title, ...body] = value['arguments'] as readonly unknown[];
    const path = [...around, ...texts(title)];
    if (naming.name === 'describe') walk(body, path);
    else if (texts(title).length > 0) found.push([...path, ...texts(naming.rows)].join(' '));
  };
  walk(parseSync('names.ts', code).program, []);
  return found;
}

/** Every test of the two packages of relay-flow, by file. */
export function testNames(): readonly { readonly file: string; readonly name: string }[] {
  const packages = fileURLToPath(new URL('../../../', import.meta.url));
  return ['relay', 'relay-plugin'].flatMap((name) => {
    const folder = join(packages, name, 'test');
    return readdirSync(folder, { recursive: true }).map(String).filter((file) => file.endsWith('.test.ts')).toSorted()
      .flatMap((file) => namesIn(readFileSync(join(folder, file), 'utf8')).map((test) => ({ file: relative(packages, join(folder, file)), name: test })));
  });
}

/** The pitfalls that a name speaks of: `(pitfall 8)`, `(pitfalls 5, 10)`, `pitfall 24: …`. */
export function pitfallsIn(name: string): readonly number[] {
  return [...name.matchAll(/\bpitfalls? (\d+(?:(?:, | and )\d+)*)/g)].flatMap(([, numbers]) => (numbers ?? '').split(/, | and /).map(Number));
}
