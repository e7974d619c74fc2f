import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wrapperAdapter } from '../../src/agents/wrapper/adapter.js';
import { superviseProcess } from '../../src/process/supervise.js';
import { createRedactor } from '../../src/redaction/redactor.js';
import { folder } from './fixture.js';

it('the wrapper in the documentation works, below any package.json', async () => {
  const text = readFileSync(new URL('../../../../docs/agents.md', import.meta.url), 'utf8');
  const code = /```js\n([\s\S]*?)```/.exec(text)?.[1] ?? '';
  for (const type of ['commonjs', 'module']) {
    const cwd = folder();
    const executable = join(cwd, 'agent');
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ type }));
    writeFileSync(executable, code);
    chmodSync(executable, 0o755);
    const redact = createRedactor({ env: {} });
    const shared = { cwd, hostEnv: process.env, marker: { runId: 'documented', stepId: type, attempt: 1 }, now: Date.now, supervise: superviseProcess, redaction: () => redact.stream() };
    const identity = await wrapperAdapter.probe({ executable, ...shared });
    const { outcome } = await wrapperAdapter.execute({ mode: 'agent', identity, task: 'Say something.', runEnv: {}, onEvent: () => undefined, ...shared });
    expect(outcome).toEqual({ class: 'success', message: 'I was asked: Say something.' });
  }
});
