import { resolve } from 'node:path';
import { checkDocument } from '../check/check-document.js';
import { checkFlow, namesOfChildren, type CheckedFlow } from '../check/checked-flow.js';
import type { CommandContext } from '../command.js';
import { watchLoading } from '../execution/early-exit.js';
import { EXIT } from '../report/exit-status.js';
import { problemOfError } from '../report/problem.js';
import { diagnosticLines, problemLines } from '../report/report-lines.js';
import { cleanLine, jsonLine } from '../text/clean.js';
import { colorsFor, type Colors } from '../text/colors.js';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values, switches }, io, style } = context;
  const path = values['flow'] ?? '';
  const checked = await watchLoading({ context, path }, () => checkFlow({ path: resolve(io.cwd, path), cwd: io.cwd, env: io.env }));
  const passed = checked.problems.length === 0;
  if (switches.has('json')) {
    io.stdout.write(`${jsonLine(checkDocument(path, checked))}\n`);
  } else {
    io.stdout.write(`${[...description(checked, colorsFor(io.stdout.isTerminal, io.env)), passed ? 'CHECK PASSED' : 'CHECK FAILED'].join('\n')}\n`);
  }
  const lines = [
    ...checked.warnings.flatMap(({ code, text }) => diagnosticLines({ severity: 'warning', code, message: text }, style)),
    ...checked.problems.flatMap((problem) => problemLines(problemOfError(problem), style)),
  ];
  if (lines.length > 0) io.stderr.write(`${lines.join('\n')}\n`);
  return passed ? EXIT.success : EXIT.refused;
}

function description({ sealed, flow, resolutions }: CheckedFlow, colors: Colors): string[] {
  const { header } = flow.definition;
  const children = namesOfChildren(flow);
  const facts: (readonly [string, string])[] = [
    ['flow', cleanLine(header.version === undefined ? flow.name : `${flow.name} ${header.version}`)],
    ['file', cleanLine(sealed.path)],
    ['digest', sealed.digest],
    ...(children.length === 0 ? [] : [['children', cleanLine(children.join(', '))] as const]),
    ...(header.budget === undefined ? [] : [['budget', cleanLine(typeof header.budget === 'string' ? header.budget : JSON.stringify(header.budget))] as const]),
    ...(header.hooks === undefined || header.hooks.length === 0 ? [] : [['hooks', cleanLine(header.hooks.join(', '))] as const]),
    ...resolutions.map(({ agent, executable, version, model }) => {
      const found = [executable, version === undefined ? '' : `(${version})`, model === undefined ? '' : `model ${model}`].filter((part) => part !== '');
      return ['agent', cleanLine(`${agent ?? 'by default'}: ${found.join(' ')}`)] as const;
    }),
  ];
  return facts.map(([name, value]) => `${colors.dim(name.padEnd(8))} ${value}`);
}
