// A server in miniature that can be killed: `host.mjs command|claude <config as JSON>` starts the visit it reads from standard input, and stays.
import { readFileSync } from 'node:fs';
import { createClaudeHarness } from '../../../dist/harness/claude/harness.js';
import { createCommandHarness } from '../../../dist/harness/command/harness.js';
import { createHeadlessRunner } from '../../../dist/harness/headless/runner.js';

const [name, config] = process.argv.slice(2);
const { home, visit } = JSON.parse(readFileSync(0, 'utf8'));
const harness = (name === 'claude' ? createClaudeHarness : createCommandHarness)({ config: JSON.parse(config), env: process.env });
createHeadlessRunner({ home, env: process.env }).start({
  ...visit,
  harness,
  onProcess: (process_) => process.stdout.write(`${JSON.stringify(process_)}\n`),
  onEvent: () => undefined,
});
