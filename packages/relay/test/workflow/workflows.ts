import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { WorkflowDefinition } from '../../src/workflow/definition.js';
import { parseWorkflow } from '../../src/workflow/parse.js';
import type { WorkflowProblem } from '../../src/workflow/problem.js';

const FIXTURES = fileURLToPath(new URL('fixtures/', import.meta.url));

/** Valid workflows, by file name. */
export const fixtures: ReadonlyMap<string, string> = new Map(readdirSync(FIXTURES).filter((file) => file.endsWith('.yaml')).toSorted().map((file) => [file, readFileSync(`${FIXTURES}${file}`, 'utf8')]));

export function fixture(file: string): string {
  const text = fixtures.get(file);
  if (text === undefined) throw new Error(`There is no fixture ${file}.`);
  return text;
}

export function parsed(text: string): WorkflowDefinition {
  const result = parseWorkflow(text);
  if ('problems' in result) throw new Error(JSON.stringify(result.problems));
  return result.workflow;
}

export function problems(text: string | Uint8Array): readonly WorkflowProblem[] {
  const result = parseWorkflow(text);
  return 'problems' in result ? result.problems : [];
}

/** `rule line:column path` of each mistake. */
export function placesOf(text: string | Uint8Array): readonly string[] {
  return problems(text).map(({ rule, line, column, path }) => `${rule} ${line}:${column} ${path}`.trim());
}

/** A workflow that is right but for what is put in: lines of the root, of `start`, of `build`, of `end`. */
export function withLines({ root = '', start = '', build = '', end = '', route = '' }: { root?: string; start?: string; build?: string; end?: string; route?: string }): string {
  return [
    'name: sample', 'repos: [shop]', ...lines(root, ''),
    'nodes:',
    '  start:', '    onSuccess:', '      - target: build', ...lines(start, '    '),
    '  build:', '    type: agent', '    agent: builder', '    description: Build it.', '    onSuccess:', '      - target: end', ...lines(route, '        '), '    onFailure:', '      - target: build', ...lines(build, '    '),
    '  end:', '    taskConfig: {}', ...lines(end, '    '),
  ].join('\n');
}

function lines(text: string, indent: string): readonly string[] {
  return text === '' ? [] : text.split('\n').map((line) => `${indent}${line}`);
}
