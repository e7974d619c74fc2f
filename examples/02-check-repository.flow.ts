/**
 * Checks the repository it is run in. A failing test is a finding here, not a broken flow, so its status is recorded instead of thrown.
 *
 *   flows run examples/02-check-repository.flow.ts --input '{}'
 *   flows run examples/02-check-repository.flow.ts --input '{"command":"make test"}'
 */
import { flow } from '@relayflows/surface';

export default flow<{ command?: string }>('check-repository', async (f, input) => {
  const uncommitted = await f.run('git status --porcelain');

  // `scrub` keeps your tokens out of code that the repository brings along.
  const tests = await f.run(input.command ?? 'npm test', { onNonZero: 'record', onTimeout: 'record', timeout: '10m', secrets: 'scrub' });

  const findings: string[] = [];
  if (uncommitted !== '') findings.push('there are uncommitted changes');
  if (tests.timedOut === true) findings.push('the tests did not end within ten minutes');
  else if (!tests.ok) findings.push(`the tests failed with status ${tests.exitCode}`);

  if (findings.length === 0) f.done('success', { detail: 'clean, and the tests pass' });
  else f.done('needs_human', { detail: findings.join('; ') });
});
