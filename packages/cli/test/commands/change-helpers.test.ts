import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Workplace } from '../workplace.js';

const BIN = fileURLToPath(new URL('../../../sdk/bin', import.meta.url));

const FLOW = `
  const found = await f.run('command -v relayflow-open-change && command -v relayflow-change && printf "%s\\\\n" "$RELAYFLOW_NODE"');
  console.error(found);
  await f.run('git switch -q -c feature && git commit -q --allow-empty -m work && git push -q origin feature');
  const opened = await f.run('printf "Fixes #4" | relayflow-open-change --title "Fix it" --body-file - && relayflow-change draft', { onNonZero: 'record' });
  console.error(opened.stdout + opened.stderr);
  f.done(opened.ok ? 'success' : 'step_failed');
`;

async function place(): Promise<Workplace> {
  const workplace = await Workplace.create({ change: FLOW });
  const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: workplace.folder, stdio: 'pipe', encoding: 'utf8' });
  git('init', '-q', '--bare', '-b', 'main', 'origin.git');
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'A');
  git('config', 'user.email', 'a@example.com');
  git('commit', '-q', '--allow-empty', '-m', 'Begin');
  git('remote', 'add', 'origin', './origin.git');
  git('push', '-q', 'origin', 'main');
  return workplace;
}

it.each([
  ['from a terminal', {}],
  ['by npx', { npm_execpath: '/npm/npm-cli.js', npm_command: 'exec', PATH: `/somewhere/node_modules/.bin:${dirname(process.execPath)}:${process.env['PATH']}` }],
] as const)('steps of a run that was started %s find the change helpers', async (_how, env) => {
  const workplace = await place();
  const { status, stderr } = await workplace.flows(['run', 'change.flow.ts', '--input', '{}'], { env: { ...env, RELAYFLOW_FORGE_DIR: join(workplace.folder, 'forge') } });
  expect(stderr).toContain(`${BIN}/relayflow-open-change\n${BIN}/relayflow-change\n${process.execPath}\n`);
  expect(stderr).toContain(`/forge/open/feature/description.md`);
  expect(status).toBe(0);
});
