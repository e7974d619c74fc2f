import type { Reporter, TestCase, TestModule } from 'vitest/node';

/** What a title of `describe` looks like under which the conformance suite of a CLI runs. */
const SUITE = /^(\S+) itself$/;

type Mark = '✓' | '✗' | '–';

/** Prints, at the end of a run, which scenario each CLI passed, and how many wrong verdicts that makes. The target is none. */
export default class VerdictMatrix implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const rows = new Map<string, Map<string, Mark>>();
    for (const test of modules.flatMap((module) => [...module.children.allTests()])) {
      const cli = test.parent.type === 'suite' ? SUITE.exec(test.parent.name)?.[1] : undefined;
      if (cli === undefined || isUnasked(test)) continue;
      const row = rows.get(test.name) ?? new Map<string, Mark>();
      rows.set(test.name, row.set(cli, markOf(test)));
    }
    if (rows.size > 0) process.stdout.write(`\n${tableOf(rows)}\n`);
  }
}

/** Whether it was only not asked for on the command line: one that is left out says why. */
function isUnasked(test: TestCase): boolean {
  const result = test.result();
  return result.state === 'skipped' && result.note === undefined;
}

function markOf(test: TestCase): Mark {
  const { state } = test.result();
  return state === 'passed' ? '✓' : state === 'failed' ? '✗' : '–';
}

function tableOf(rows: ReadonlyMap<string, ReadonlyMap<string, Mark>>): string {
  const clis = [...new Set([...rows.values()].flatMap((row) => [...row.keys()]))].sort();
  const width = Math.max(...[...rows.keys()].map((name) => name.length));
  const marks = [...rows.values()].flatMap((row) => [...row.values()]);
  const count = (mark: Mark): number => marks.filter((other) => other === mark).length;
  return [
    ['scenario'.padEnd(width), ...clis].join('  '),
    ...[...rows].map(([name, row]) => [name.padEnd(width), ...clis.map((cli) => (row.get(cli) ?? ' ').padEnd(cli.length))].join('  ').trimEnd()),
    `Wrong verdicts: ${count('✗')} of ${count('✓') + count('✗')} (target 0). Left out with a reason: ${count('–')}.`,
  ].join('\n');
}
