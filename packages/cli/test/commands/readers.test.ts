import { beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from '../workplace.js';

describe('a reader that goes away is not worth a word', () => {
  let place: Workplace;

  beforeAll(async () => {
    place = await Workplace.create({ big: `await f.run('seq 200000'); f.done('success');` }, 'by hand');
    await place.flows(['run', 'big.flow.ts', '--input', '{}']);
    return () => place.remove();
  });

  test.each(['runs', 'replay last', 'logs last', 'status last --json', '--help', '--version'])('%s', async (command) => {
    const { stderr } = await place.shell(`{ $flows ${command}; echo "status $?" >&2; } | true`).ended;
    expect(stderr).toBe('status 0\n');
  });

  test('a slow one gets everything', async () => {
    const { stdout } = await place.shell('$flows logs last | { sleep 0.3; wc -l; }').ended;
    expect(Number(stdout)).toBe(200_001);
  });

  test('a long copy says nothing of its own', async () => {
    const { stderr } = await place.shell(`$flows logs last | wc -c`).ended;
    expect(stderr).toBe('');
  });

  test('a full disk is no success', async () => {
    const { stderr } = await place.shell('$flows runs >/dev/full; echo "status $?" >&2').ended;
    expect(stderr).toMatch(/^FAILED \[file_unwritable\] .*ENOSPC.*\nstatus 1\n$/);
  });
});

test('a run goes on without its reader', async () => {
  const place = await Workplace.create({ slow: `await f.run('sleep 0.3; touch finished'); f.done('success');` });
  const { stderr } = await place.shell(`{ $flows run slow.flow.ts --input '{}' --json-events; echo "status $?" >&2; } | head -1 >/dev/null`).ended;
  expect(stderr).toBe('status 0\n');
  expect(await place.files()).toContain('finished');
});

test('--follow ends with its reader', async () => {
  const place = await Workplace.create({ talks: `await f.run('until [ -e stop ]; do echo line; sleep 0.1; done'); f.done('success');` });
  const run = place.start(['run', 'talks.flow.ts', '--input', '{}']);
  await run.printed(/run-1 started/);
  const { stderr } = await place.shell('{ $flows logs last --follow; echo "status $?" >&2; } | head -1').ended;
  expect(stderr).toBe('status 0\n');
  await place.write('stop', '');
  await run.ended;
});
