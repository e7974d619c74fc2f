import { readdirSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Node, Project, SyntaxKind, type SourceFile, type Statement } from 'ts-morph';
import type { Draft } from '../draft/schema.js';

const FOLDER = fileURLToPath(new URL('../../template/', import.meta.url));

/** A declaration at the top level of the template. */
export interface Piece {
  readonly name: string;
  readonly statement: Statement;
  /** Its file within the template, `stages/plan.ts`. */
  readonly file: string;
}

/** The template of a workflow, parsed. */
export interface Template {
  /** `export default flow(…)`. */
  readonly entry: Piece;
  /** Everything else by name. Names are unique over the whole template, since they all come to stand in one file. */
  readonly pieces: ReadonlyMap<string, Piece>;
  /** What the template takes from the surface: the names of types and of values. */
  readonly imports: ReadonlyMap<string, 'type' | 'value'>;
}

/** Parses the files that a draft's flow is made of. Nothing is resolved or checked here: the template is type-checked where it lies. */
export function loadTemplate({ workflow, target }: Pick<Draft, 'workflow' | 'target'>): Template {
  const project = new Project({ skipAddingFilesFromTsConfig: true, skipFileDependencyResolution: true });
  // Listed here rather than by a glob, which would read the brackets of a folder's name as its own, and sorted, since file systems list in orders of their own.
  const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts')).map((name) => name.split(sep).join('/')).sort()
    .filter((path) => (path.endsWith('.flow.ts') ? path === `${workflow}.flow.ts` : !path.startsWith('target/') || target === 'local'))
    .map((path) => ({ file: project.addSourceFileAtPath(`${FOLDER}${path}`), path }));
  const pieces = new Map<string, Piece>();
  const imports = new Map<string, 'type' | 'value'>();
  let entry: Piece | undefined;
  for (const { file, path } of files) {
    if (target === 'cloud' && path.endsWith('.flow.ts')) withoutFilter(file);
    readImports(file, imports);
    for (const statement of file.getStatements()) {
      if (Node.isExportAssignment(statement)) entry = { name: 'default', statement, file: path };
      for (const name of namesOf(statement)) {
        if (pieces.has(name)) throw new TypeError(`The template declares ${name} twice: in ${pieces.get(name)?.file} and in ${path}.`);
        pieces.set(name, { name, statement, file: path });
      }
    }
  }
  if (entry === undefined) throw new TypeError(`The template has no flow for the workflow ${workflow}.`);
  return { entry, pieces, imports };
}

/** A host that chooses tickets starts no flow with one that is not wanted: the question is taken out. */
function withoutFilter(flow: SourceFile): void {
  const question = flow.getDescendantsOfKind(SyntaxKind.BinaryExpression).find((each) => each.getRight().getText() === 'unwanted(input)');
  if (question === undefined) throw new TypeError(`${flow.getBaseName()} does not ask whether a ticket is wanted.`);
  question.replaceWithText(question.getLeft().getText());
}

function readImports(file: SourceFile, imports: Map<string, 'type' | 'value'>): void {
  for (const declaration of file.getImportDeclarations()) {
    if (declaration.isModuleSpecifierRelative()) continue;
    for (const specifier of declaration.getNamedImports()) {
      const isType = declaration.isTypeOnly() || specifier.isTypeOnly();
      if (!isType || !imports.has(specifier.getName())) imports.set(specifier.getName(), isType ? 'type' : 'value');
    }
  }
}

function namesOf(statement: Statement): string[] {
  if (Node.isVariableStatement(statement)) return statement.getDeclarations().map((declaration) => declaration.getName());
  // `declare function` stands for what the generator puts in.
  if (Node.isFunctionDeclaration(statement)) return statement.hasDeclareKeyword() ? [] : [statement.getName() ?? ''];
  if (Node.isInterfaceDeclaration(statement) || Node.isTypeAliasDeclaration(statement)) return [statement.getName()];
  return [];
}
