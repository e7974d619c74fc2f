import { resolve } from 'node:path';
import { checkDocument } from '../check/check-document.js';
import { checkFlow, namesOf, type CheckedFlow } from '../check/checked-flow.js';
import type { CommandContext } from '../command.js';
import { EXIT } from '../report/exit-status.js';
import { problemOfError } from '../report/problem.js';
import { problemLines } from '../report/report-lines.js';
import { cleanLine, jsonLine } from '../text/clean.js';
import { colorsFor, type Colors } from '../text/colors.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io, style } = context;
  const path = values['flow'] ?? '';
  const checked = await checkFlow({ path: resolve(io.cwd, path), cwd: io.cwd, env: io.env });
  const passed = checked.problems.length === 0;
  if (switches.has('json')) {
    io.stdout.write(`${jsonLine(checkDocument(path, checked))}\n`);
  } else {
    io.stdout.write(`${[...description(checked, colorsFor(io.stdout.isTerminal, io.env)), passed ? 'CHECK PASSED' : 'CHECK FAILED'].join('\n')}\n`);
  }
  const refusals = checked.problems.flatMap((problem) => problemLines(problemOfError(problem), style));
  if (refusals.length > 0) io.stderr.write(`${refusals.join('\n')}\n`);
  return passed ? EXIT.success : EXIT.refused;
}

function description({ sealed, flow, resolutions }: CheckedFlow, colors: Colors): string[] {
  const { header } = flow.definition;
  const children = namesOf(flow);
  const facts: (readonly [string, string])[] = [
    ['flow', cleanLine(header.version === undefined ? flow.name : `${flow.name} ${header.version}`)],
    ['file', cleanLine(sealed.path)],
    ['digest', sealed.digest],
    ...(children.length === 0 ? [] : [['children', cleanLine(children.join(', '))] as const]),
    ...(header.budget === undefined ? [] : [['budget', cleanLine(typeof header.budget === 'string' ? header.budget : JSON.stringify(header.budget))] as const]),
    ...(header.hooks === undefined || header.hooks.length === 0 ? [] : [['hooks', cleanLine(header.hooks.join(', '))] as const]),
    ...resolutions.map(({ name, path, version, model }) => {
      const found = [path, version === undefined ? '' : `(${version})`, model === undefined ? '' : `model ${model}`].filter((part) => part !== '' && part !== undefined);
      return ['agent', cleanLine(`${name}: ${found.join(' ')}`)] as const;
    }),
  ];
  return facts.map(([name, value]) => `${colors.dim(name.padEnd(8))} ${value}`);
}
