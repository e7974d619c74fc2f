import { describe, expect, test } from 'vitest';
import type { Workflow } from '../../src/index.js';
import { Killable } from './killable.js';
import type { Script } from './place.js';

const once = (word: string, script: string): string => `die ${word}; ${script}`;
const commit = (file: string, text: string): string => `[ -e ${file} ] || { echo ${text} > ${file}; git add ${file}; git commit -qm "Add ${file}"; }`;
const SUMMARY = 'printf "# What was done\\n" > summary.md; echo done';

interface Scene {
  readonly workflow: Workflow;
  readonly files: Readonly<Record<string, string>>;
  readonly script: Script;
  /** Where it is killed, in this order. */
  readonly kills: readonly string[];
}

const discovery = 'mkdir -p .relayflow; echo "sh ./check.sh" > .relayflow/check.sh; echo written';
const CHECK = 'die check\ngit symbolic-ref -q HEAD >/dev/null || die base\ngrep -qx fixed state.txt\n';

const SCENES: Record<string, Scene> = {
  'each stage of a change that passes': {
    workflow: 'traditional',
    files: { 'check.sh': CHECK, 'state.txt': 'fixed\n' },
    script: {
      'check-discovery': once('discovery', discovery),
      'planner': once('planner', 'echo plan > plan.md; echo planned'),
      'plan-reviewer': once('plan-reviewer', 'echo better > reviewed-plan.md; echo planned'),
      // Killed with one of its two commits made.
      'implementer': `${commit('one.txt', 'x')}; ${once('implementer', `${commit('two.txt', 'x')}; ${SUMMARY}`)}`,
      'adversary': once('adversary', 'if [ -e fixed.txt ]; then touch review.clean; else echo "Bad name." > review.md; fi; echo seen'),
      'fixer': `${commit('fixed.txt', 'x')}; ${once('fixer', 'echo mended')}`,
    },
    kills: ['discovery', 'planner', 'plan-reviewer', 'implementer', 'check', 'push', 'adversary', 'fixer'],
  },
  'the comparison with a base that fails as well': {
    workflow: 'simple',
    files: { 'check.sh': CHECK, 'state.txt': 'broken\n' },
    script: { 'check-discovery': discovery, 'implementer': `${commit('one.txt', 'x')}; ${SUMMARY}`, 'check-repair': once('repair', 'echo "Not mine."') },
    kills: ['check', 'repair', 'base', 'push'],
  },
  'prototypes side by side': {
    workflow: 'prototype',
    files: { 'check.sh': CHECK, 'state.txt': 'fixed\n' },
    script: {
      'check-discovery': discovery,
      'prototype': `echo tried >> tried.txt; ${once('prototype', 'echo notes > prototype-notes.md; echo tried')}`,
      'comparator': once('comparator', 'cat .relayflow/worktrees/*/prototype-notes.md > comparison.md; echo compared'),
      'implementer': `${commit('one.txt', 'x')}; ${SUMMARY}`,
      'adversary': 'touch review.clean; echo fine',
    },
    kills: ['prototype', 'comparator', 'check', 'push'],
  },
};

describe('a run that is killed and resumed comes to what it comes to without', () => {
  test.each(Object.entries(SCENES))('%s', async (_name, { workflow, files, script, kills }) => {
    const undisturbed = new Killable(files, []);
    const killed = new Killable(files, kills);
    const expected = await undisturbed.run(workflow, script);
    const got = await killed.run(workflow, script);
    expect(expected.ends).toHaveLength(1);
    expect(got.ends).toEqual([...kills.map(() => 'SIGKILL'), expected.ends[0]]);
    expect(kills.filter((word) => killed.killedAt(word) === undefined)).toEqual([]);
    if (kills.includes('base')) expect(killed.killedAt('base')).toBe('');
    expect(got.report.completionReason).toBe(expected.report.completionReason);
    expect(killed.left).toEqual(undisturbed.left);
  });
});
