import { describe, expect, test } from 'vitest';
import { Place } from './place.js';
import { change, clean, PROJECT } from './project.js';

/** Seconds that who is to be stopped gets: enough to do something before. */
const SHORT = 10;

/** Gives a role seconds where the flow gives it minutes. */
function hurried(role: string): (source: string) => string {
  return (source) => replaced(source, /timeout: (`\$\{minutes\}m`), recoveryMode/, `timeout: role === '${role}' ? '${SHORT}s' : $1, recoveryMode`);
}

/** Lets the checks of a flow stop themselves after two seconds. */
function hurriedChecks(source: string): string {
  return replaced(source, /\bcheckLimit: String\(.*\) \}/, "checkLimit: '2' }");
}

function replaced(source: string, pattern: RegExp, by: string): string {
  const changed = source.replace(pattern, by);
  if (changed === source) throw new Error(`The flow has nothing like ${pattern}.`);
  return changed;
}

describe('who is stopped at a limit', () => {
  test('checks, repaired in vain: draft that says so, reviewed, for a person', async () => {
    const place = new Place({ ...PROJECT, 'check.sh': 'sleep 300\n' });
    const { completionReason, completionDetail } = await place.run('traditional', clean, undefined, {}, hurriedChecks);
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: true });
    expect(completionDetail).toContain('The checks did not come to an end: timeout.');
    expect(place.roles).toEqual(['check-discovery', 'planner', 'implementer', 'check-repair', 'check-repair', 'adversary']);
    expect(place.pushed()).toContain('new.txt');
  });

  test('the implementer: what it committed is checked, published as a draft that says so, and reviewed', async () => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, implementer: `${change('new.txt', 'new')}; sleep 300` }, undefined, {}, hurried('implementer'));
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: true });
    expect(completionDetail).toMatch(/The implementer was stopped after \d+ minutes\./);
    expect(place.opened?.body).toContain('The checks pass.');
    expect(place.opened?.body).toContain('The implementer was stopped');
    expect(place.roles).toContain('adversary');
  });

  test('the implementer, before it committed anything: nothing is published, and nothing is lost', async () => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('simple', { ...clean, implementer: 'echo half > half.txt; sleep 300' }, undefined, {}, hurried('implementer'));
    expect({ completionReason, opened: place.opened }).toEqual({ completionReason: 'needs_human', opened: undefined });
    expect(completionDetail).toContain('Nothing was committed, so there is nothing to publish.');
    expect(place.git('status', '--porcelain', 'half.txt')).toBe('?? half.txt');
  });

  test('the review: draft, with what it found, failed', async () => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, adversary: 'echo "Bad name." > review.md; sleep 300' }, undefined, {}, hurried('adversary'));
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(completionDetail).toMatch(/The adversary was stopped after \d+ minutes\./);
    expect(place.comments).toContain('Bad name.');
    expect(place.roles.filter((role) => role === 'adversary' || role === 'fixer')).toEqual(['adversary']);
  });

  test('check discovery: what it was writing is no script', async () => {
    const place = new Place({ 'README.md': 'hello\n' });
    const { completionReason } = await place.run('simple', { ...clean, 'check-discovery': 'mkdir -p .relayflow; echo "exit 1" > .relayflow/check.sh; sleep 300' }, undefined, {}, hurried('check-discovery'));
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.opened?.body).toContain('No checks were found in this repository');
  });
});
