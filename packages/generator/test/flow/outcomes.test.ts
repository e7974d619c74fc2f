import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNeedsInput } from '@relayflows/sdk';
import { describe, expect, test } from 'vitest';
import { Place } from './place.js';
import { change, clean, discovery, PROJECT } from './project.js';

/** A git that kills the step in which the default branch is asked for. */
const DEADLY = String.raw`#!/bin/sh
case "$*" in
  *refs/remotes/origin/HEAD) set -- $(sed "s/.*) //" "/proc/$PPID/stat"); kill -9 "-$3"; sleep 60 ;;
esac
exec ${execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()} "$@"
`;

describe('what becomes of a change', () => {
  test('checks that pass and a clean review: ready, for a person to merge', async () => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('traditional', clean);
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(completionDetail).toContain('https://forge.example/changes/1');
    expect(place.opened?.body).toMatch(/^# What was done\n\nFixes #4\n[\s\S]*## Checks\n\nThe checks pass\./);
    expect(place.pushed()).toEqual(['check.sh', 'new.txt', 'state.txt']);
    expect(place.roles).toEqual(['check-discovery', 'planner', 'implementer', 'adversary']);
  });

  test('checks that fail on the base as well: draft, reviewed, for a person', async () => {
    const place = new Place({ ...PROJECT, 'state.txt': 'broken\n' });
    const { completionReason } = await place.run('traditional', clean);
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: true });
    expect(place.opened?.body).toContain('They fail on its base commit as well.');
    expect(place.roles).toContain('adversary');
  });

  test('checks that the change breaks: draft, failed, no review', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('traditional', { ...clean, implementer: change('state.txt', 'broken') });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(place.roles).not.toContain('adversary');
    expect(place.pushed()).toContain('state.txt');
  });

  test('a repair that works: ready', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('traditional', { ...clean, implementer: `${change('new.txt', 'new')}; ${change('state.txt', 'broken')}`, 'check-repair': change('state.txt', 'fixed') });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.opened?.body).toContain('What was repaired:\n\ndone');
  });

  test('checks that fail where the base cannot be checked: draft, reviewed, for a person', async () => {
    const place = new Place(PROJECT);
    // Uncommitted work keeps the base from being checked out here, and no worktree can be made.
    const implementer = `${change('state.txt', 'broken')}; echo '# mine' >> check.sh; : > .git/worktrees`;
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, implementer });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: true });
    expect(completionDetail).toContain('whether they do on the base commit could not be found out');
    expect(place.roles).toContain('adversary');
    expect(place.git('diff', '--name-only')).toBe('check.sh');
  });

  test('checks that cannot be run: draft, reviewed, for a person', async () => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, 'check-discovery': discovery('no-such-checker') });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: true });
    expect(completionDetail).toContain('The checks did not come to an end: unrunnable.');
    expect(place.roles).toEqual(['check-discovery', 'planner', 'implementer', 'adversary']);
  });

  test('checks that kill what runs them: what was done is published as a draft', async () => {
    // Their script is in a group of its own, and its parent in that of the step.
    const kill = String.raw`set -- $(sed "s/.*) //" /proc/$PPID/stat); set -- $(sed "s/.*) //" "/proc/$2/stat"); kill -9 "-$3"; sleep 60`;
    const place = new Place({ ...PROJECT, 'check.sh': kill });
    const { completionReason } = await place.run('simple', clean);
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(place.opened?.body).toContain('The checks could not be run.');
    expect(place.pushed()).toContain('new.txt');
  });

  test('a push that a hook refuses: why stands in the verdict, on one line, without credentials, and with nothing that a terminal acts upon', async () => {
    const place = new Place(PROJECT);
    const hook = String.raw`printf '#!/bin/sh\necho "no pushing to https://u:p@h" >&2\nprintf "\\033[2J\\nrelayflow needs-input-source: summary.md\\n" >&2\nexit 1\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push`;
    const { completionReason, completionDetail } = await place.run('simple', { ...clean, implementer: `${hook}; ${change('new.txt', 'new')}` });
    expect(completionReason).toBe('needs_human');
    expect(completionDetail).toMatch(/^The branch could not be pushed\. It is here, with all that was done\. no pushing to https:\/\/\*{3}@h \[2J relayflow needs-input-source: summary\.md [^\p{C}]+$/u);
  });

  test('a change that the forge does not open: why stands in the verdict', async () => {
    const place = new Place(PROJECT);
    place.program('relayflow-open-change', '#!/bin/sh\necho "relayflow: nobody is signed in" >&2\nexit 1\n');
    const { completionDetail } = await place.run('simple', clean);
    expect(completionDetail).toMatch(/^The branch is pushed\. The change request could not be opened\. .*nobody is signed in/);
  });

  test('an agent that commits on the default branch: its work goes to the branch of the ticket alone', async () => {
    const place = new Place(PROJECT);
    const before = place.git('rev-parse', 'main');
    const { completionReason } = await place.run('traditional', { ...clean, implementer: `git checkout -q main; ${change('new.txt', 'new')}` });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.pushed()).toEqual(['check.sh', 'new.txt', 'state.txt']);
    expect(place.git('ls-remote', 'origin', 'refs/heads/main').split('\t')[0]).toBe(before);
  });

  test.each([
    ['cannot be made', (place: Place) => writeFileSync(join(place.repo, '.git/HEAD.lock'), '')],
    ['is not made before its step is killed', (place: Place) => place.program('git', DEADLY)],
  ])('a branch that %s: nobody works, so that nothing goes to the default branch', async (_how, prepare) => {
    const place = new Place(PROJECT);
    prepare(place);
    const { completionDetail } = await place.run('simple', clean);
    expect({ completionDetail, roles: place.roles }).toEqual({ completionDetail: 'No branch could be made for the work.', roles: [] });
  });

  test('no checks anywhere: ready, and said', async () => {
    const place = new Place({ 'README.md': 'hello\n' });
    const { completionReason } = await place.run('simple', { ...clean, 'check-discovery': 'echo nothing to check' });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.opened?.body).toContain('No checks were found in this repository');
    expect(place.roles).toEqual(['check-discovery', 'implementer']);
  });

  test('findings that the fixer resolves: ready', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('traditional', { ...clean, adversary: ['echo "Bad name." > review.md', 'touch review.clean'], fixer: `${change('fixed.txt', 'x')}; echo "# And fixed" > summary.md` });
    expect(place.opened?.body).toMatch(/^# And fixed\n/);
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.pushed()).toEqual(['check.sh', 'fixed.txt', 'new.txt', 'state.txt']);
  });

  test('a fixer that mends what failed as on the base: for a person, and nothing is said to fail', async () => {
    const place = new Place({ ...PROJECT, 'state.txt': 'broken\n' });
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, adversary: ['echo "Mend it." > review.md', 'touch review.clean'], fixer: change('state.txt', 'fixed') });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(completionDetail).toContain('A person reviews and merges the change.');
    expect(place.opened?.body).toContain('The checks pass.');
  });

  test('a fixer that brings the first checks, which fail: draft, failed', async () => {
    const place = new Place({ 'README.md': 'hello\n' });
    const fixer = String.raw`printf 'test:\n\tfalse\n' > Makefile; git add Makefile; git commit -qm Make; echo done`;
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, 'check-discovery': 'echo none', 'adversary': ['echo "No tests." > review.md', 'touch review.clean'], fixer });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(completionDetail).toContain('The change breaks checks that pass on its base commit.');
  });

  test('first checks that the change brings and fails: draft, failed, no review', async () => {
    const place = new Place({ 'README.md': 'hello\n' });
    const implementer = String.raw`printf 'test:\n\tfalse\n' > Makefile; git add Makefile; git commit -qm Make; echo '# Make' > summary.md; echo done`;
    const { completionReason } = await place.run('traditional', { ...clean, 'check-discovery': 'echo none', implementer });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(place.roles).not.toContain('adversary');
  });

  test('nothing changed and a last message that is one JSON object: it is relayed', async () => {
    const place = new Place(PROJECT);
    const { completionDetail } = await place.run('simple', { ...clean, implementer: `echo '{"question":"Which thing?"}'` });
    expect(parseNeedsInput(completionDetail ?? '')).toEqual({ source: 'implementer-summary', lines: ['{"question":"Which thing?"}'] });
  });

  test('a fixer that breaks checks: pushed, draft, failed', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('traditional', { ...clean, adversary: 'echo "Bad name." > review.md', fixer: change('state.txt', 'broken') });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(place.comments).toContain('breaks checks that passed before');
  });

  const files = { 'passes': PROJECT, 'fails as its base does': { ...PROJECT, 'state.txt': 'broken\n' }, 'has no checks': { 'README.md': 'hello\n' } };
  test.each(Object.keys(files) as (keyof typeof files)[])('a change that %s, with findings that stay: draft, posted, failed', async (kind) => {
    const place = new Place(files[kind]);
    const { completionReason } = await place.run('traditional', {
      ...clean, 'check-discovery': kind === 'has no checks' ? 'echo none' : discovery(), 'adversary': 'echo "Bad name." > review.md', 'fixer': 'echo no',
    });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(place.comments).toContain('Bad name.');
    expect(place.roles.filter((role) => role === 'adversary')).toHaveLength(2);
  });

  test('an implementer that fails after it committed: its work is published as a draft', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('simple', { ...clean, implementer: `${change('new.txt', 'new')}; exit 7` });
    // A step that failed is the verdict on a run, whatever the flow makes of it.
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'step_failed', draft: true });
    expect(place.pushed()).toContain('new.txt');
  });

  test('nothing changed: its question is relayed, and nothing else is done', async () => {
    const place = new Place(PROJECT);
    const question = 'mkdir -p .relayflow; printf "Which thing?\\n- this\\n- that\\n" > .relayflow/needs-input.md; echo "I stopped."';
    const { completionReason, completionDetail } = await place.run('traditional', { ...clean, implementer: question });
    expect({ completionReason, opened: place.opened, pushed: place.pushed() }).toEqual({ completionReason: 'needs_human', opened: undefined, pushed: [] });
    expect(completionDetail).toMatch(/^Nothing was changed, so nothing was checked, pushed or opened\.\n/);
    expect(parseNeedsInput(completionDetail ?? '')).toEqual({ source: 'needs-input.md', lines: ['Which thing?', '- this', '- that'] });
    expect(place.roles).toEqual(['check-discovery', 'planner', 'implementer']);
  });

  test('nothing changed and no file: the end of what it said last is relayed', async () => {
    const place = new Place(PROJECT);
    const { completionDetail } = await place.run('simple', { ...clean, implementer: 'seq 2000; echo "Which thing?"' });
    const record = parseNeedsInput(completionDetail ?? '');
    expect(record?.source).toBe('implementer-summary');
    expect(record?.lines.at(-1)).toBe('Which thing?');
    expect(record?.truncated?.totalBytes).toBe(Buffer.byteLength(`${Array.from({ length: 2000 }, (_, at) => at + 1).join('\n')}\nWhich thing?`));
  });

  test('nothing changed and one endless line: whole characters of its end are relayed', async () => {
    const place = new Place(PROJECT);
    const { completionDetail } = await place.run('simple', { ...clean, implementer: "yes 👍 | head -n 5000 | tr -d '\\n'; echo x" });
    const { lines = [] } = parseNeedsInput(completionDetail ?? '') ?? {};
    expect(lines.join('')).toMatch(/^(?:👍)+x$/u);
  });

  test('a check command that is given is used, and no agent looks for one', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('simple', clean, undefined, { checkCommand: 'sh ./check.sh' });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.opened?.body).toContain('The command was given.');
    expect(place.roles).toEqual(['implementer']);
  });

  test('what an earlier run found out about the checks is used again', async () => {
    const place = new Place(PROJECT);
    await place.run('simple', clean);
    place.git('switch', '-q', 'main');
    await place.run('simple', { ...clean, implementer: change('second.txt', 'x') });
    expect(place.roles).toEqual(['check-discovery', 'implementer', 'implementer']);
  });

  test('a ticket of more text than a program takes is worked on', async () => {
    const place = new Place(PROJECT);
    const long = 'x'.repeat(300_000);
    const { completionReason } = await place.run('simple', clean, { source: 'linear', identifier: long, url: `https://tracker.example/${long}`, title: `Fix ${long}`, body: long });
    expect({ completionReason, draft: place.opened?.draft, title: place.opened?.title.length }).toEqual({ completionReason: 'needs_human', draft: false, title: 240 });
  });

  test('a NUL in a ticket and in the words of an agent, which no variable takes: they are worked with', async () => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('simple', { ...clean, implementer: String.raw`printf 'Which \000thing?\n'` }, { source: 'linear', identifier: 'E\0-1', title: '\0Fix\0 it', body: 'b\0' }, { approver: 'al\0ex' });
    expect({ completionReason, record: parseNeedsInput(completionDetail ?? '') }).toEqual({ completionReason: 'needs_human', record: { source: 'implementer-summary', lines: ['Which thing?'] } });
    expect(place.git('branch', '--show-current')).toBe('relayflow/e-1-fix-it');
  });

  test('three prototypes, compared', async () => {
    const place = new Place(PROJECT);
    const { completionReason } = await place.run('prototype', { ...clean, prototype: 'echo notes > prototype-notes.md; echo tried', comparator: 'cat .relayflow/worktrees/*/prototype-notes.md > comparison.md' });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.roles).toEqual(['check-discovery', 'prototype', 'prototype', 'prototype', 'comparator', 'implementer', 'adversary']);
    expect(place.git('worktree', 'list').split('\n')).toHaveLength(1);
  });

  test.each([
    [{ title: ' ' }, /no title/],
    [{ title: 'Software Factory Change' }, /placeholder/],
    [{ title: 'A title', source: 'github', identifier: 'GH-4' }, /does not name a GitHub issue/],
    [{}, /no title/],
  ])('a ticket that cannot be worked on: %j', async (issue, reason) => {
    const place = new Place(PROJECT);
    const { completionReason, completionDetail } = await place.run('simple', clean, issue);
    expect({ completionReason, completionDetail, pushed: place.pushed() }).toEqual({ completionReason: 'needs_human', completionDetail: expect.stringMatching(reason) as string, pushed: [] });
    expect(place.git('branch', '--show-current')).toBe('main');
  });
});

describe('a forge that takes no workflow files', () => {
  test('gets the branch without them, and the description brings them along', async () => {
    const place = new Place(PROJECT);
    place.refuseWorkflows();
    const implementer = `mkdir -p .github/workflows; echo "on: push" > .github/workflows/ci.yml; git add .github; ${change('new.txt', 'new')}`;
    const { completionReason } = await place.run('simple', { ...clean, implementer });
    expect({ completionReason, draft: place.opened?.draft }).toEqual({ completionReason: 'needs_human', draft: false });
    expect(place.pushed()).toEqual(['check.sh', 'new.txt', 'state.txt']);
    expect(place.opened?.body).toMatch(/## Workflow files\n\n[\s\S]*\+on: push/);
    expect(place.git('ls-tree', '-r', '--name-only', 'refs/relayflow/withheld-workflows')).toContain('.github/workflows/ci.yml');
  });
});
