import { Node, SyntaxKind, type Statement } from 'ts-morph';
import { castOf } from '../draft/cast.js';
import type { Draft } from '../draft/schema.js';
import { functionsUsedBy } from '../shell/library.js';
import { shellLibrary, shellPartBody } from '../shell/parts.js';
import { filtersOf } from './filters.js';
import { LINE_MAX, literal, multiline } from './literal.js';
import { reach, type Reached } from './reach.js';
import { loadTemplate, type Template } from './template.js';

/**
 * The flow of a draft as one file. It reads from the whole to the parts: what the draft decided, the flow, its stages in the order in which it comes to
 * them, what agents are told, shell. The same draft gives the same text.
 */
export function emit(draft: Draft): string {
  const template = loadTemplate(draft);
  const reached = reach(template);
  const values = valuesOf(draft, reached);
  const statements = [...inOrder(template, reached)].map((statement) => textOf(statement, values));
  const source = [header(draft), imports(template, reached), ...statements].join('\n\n');
  const long = source.split('\n').findIndex((line) => Array.from(line).length > LINE_MAX);
  if (long !== -1) throw new TypeError(`Line ${long + 1} of the flow is longer than ${LINE_MAX} characters: ${source.split('\n')[long]}`);
  return `${source}\n`;
}

/** What stands in the place of the template's own values: what the draft decided, and the text of the shell parts. By the name of the constant. */
function valuesOf(draft: Draft, { pieces }: Reached): ReadonlyMap<string, string> {
  const cast = castOf(draft);
  const players = Object.fromEntries([...cast].map(([role, { agent, model, prompt }]) => [role, { cli: agent, model, prompt }]));
  const bodies = new Map<string, string>();
  for (const { name, file, statement } of pieces) {
    const part = file === 'shell.ts' ? /= part\('([a-z-]+)'\);/.exec(statement.getText())?.[1] : undefined;
    if (part !== undefined) bodies.set(name, shellPartBody(part));
  }
  const library = functionsUsedBy([...bodies.values()].join('\n'), shellLibrary()).map(({ source }) => withoutNotes(source)).join('\n\n');
  return new Map([
    ['PLAYERS', literal(players)],
    ['TASK', literal(draft.task)],
    ['TASKS', tasksOf(cast, pieces)],
    ['FILTERS', literal(filtersOf(draft.sources))],
    ['SHELL_LIBRARY', multiline(`\n${library}\n`)],
    ...[...bodies].map(([name, body]) => [name, multiline(`\n${introduction(body)}${withoutNotes(body)}\n`)] as const),
  ]);
}

/** What the roles of a draft are asked, as the template has it. Prototypes are asked alike. */
function tasksOf(cast: ReadonlyMap<string, unknown>, pieces: Reached['pieces']): string {
  const tasks = pieces.find(({ name }) => name === 'TASKS')?.statement.getFirstDescendantByKindOrThrow(SyntaxKind.ObjectLiteralExpression);
  const roles = new Set([...cast.keys()].map((role) => role.replace(/-\d$/, '')));
  const kept = tasks?.getProperties().filter(Node.isPropertyAssignment).filter((task) => roles.has(task.getName().replaceAll("'", '')));
  return tabbed(`{\n${(kept ?? []).map((task) => `  ${task.getText()},\n`).join('')}}`);
}

/** The comment that a part begins with: it says what the part promises and answers, and lists of steps show its first line. */
function introduction(body: string): string {
  return /^(?:#.*\n)+/.exec(body)?.[0] ?? '';
}

/** Shell without its comments, which are for those who change it; they stand in the generator's own files. */
function withoutNotes(shell: string): string {
  return shell.split('\n').filter((line) => !/^\s*#/.test(line)).join('\n').trim();
}

/** Which section of a flow a file of the template belongs to. */
function sectionOf(file: string): number {
  // What the flow reads while it is declared stands before it.
  if (file === 'settings.ts' || file === 'time-plan.ts' || file.startsWith('target/')) return 0;
  if (file.endsWith('.flow.ts')) return 1;
  if (file === 'prompts.ts') return 3;
  return file === 'shell.ts' ? 4 : 2;
}

/** The statements that are reached: section by section, in each the files as they are come to, in each file the statements as they stand. */
function* inOrder({ entry }: Template, { pieces }: Reached): Generator<Statement> {
  const files = [...new Set([entry, ...pieces].map(({ file }) => file))];
  for (let section = 0; section <= 4; section += 1) {
    for (const file of files.filter((candidate) => sectionOf(candidate) === section)) {
      const statements = new Set([entry, ...pieces].filter((piece) => piece.file === file).map(({ statement }) => statement));
      yield* [...statements].sort((a, b) => a.getPos() - b.getPos());
    }
  }
}

/** A statement with its comments, as it stands in a file that exports nothing but its flow, and with the value that its constant has here. */
function textOf(statement: Statement, values: ReadonlyMap<string, string>): string {
  const text = statement.getFullText();
  const begin = statement.getStart() - statement.getPos();
  const [comments, code] = [text.slice(0, begin), text.slice(begin)];
  const declaration = Node.isVariableStatement(statement) ? statement.getDeclarations()[0] : undefined;
  const initializer = declaration?.getInitializer();
  const value = declaration === undefined ? undefined : values.get(declaration.getName());
  const valued = initializer === undefined || value === undefined ? tabbed(code) : `${code.slice(0, initializer.getStart() - statement.getStart())}${value};`;
  return `${comments}${Node.isExportAssignment(statement) ? valued : valued.replace(/^export /, '')}`.trim();
}

/** Code indented as the shell parts are. */
function tabbed(code: string): string {
  return code.replaceAll(/^(?: {2})+/gm, (indent) => '\t'.repeat(indent.length / 2));
}

function imports({ imports: kinds }: Template, { imported }: Reached): string {
  const named = [...imported].sort((a, b) => (a < b ? -1 : 1));
  const values = named.filter((name) => kinds.get(name) === 'value');
  const types = named.filter((name) => kinds.get(name) === 'type').map((name) => `type ${name}`);
  return `import { ${[...values, ...types].join(', ')} } from '@relayflows/surface';`;
}

function header({ workflow, agents, target, sources }: Draft): string {
  return [
    '/**',
    ' * Turns a ticket into a change request: finds out how the repository checks itself, lets agents do the work, and publishes what they did.',
    ' *',
    ` * Made by @relayflows/generator: workflow ${workflow}, agents ${agents.join(' and ')}, tickets of ${sources.map(({ kind }) => kind).join(', ')}, target ${target}.`,
    ' * Run it in a checkout with an origin:',
    ' *',
    ' *   flows run software-garden.flow.ts --input ticket.json',
    ' */',
  ].map((line) => (line.length <= LINE_MAX ? line : line.replace(/^(.{60,110}[ ,:])\s*/, '$1\n * '))).join('\n').replaceAll(' \n', '\n');
}
