#!/usr/bin/env node
/**
 * `node dist/main.js --scenario FILE [--port N] [--log FILE]`: prints `{"port":N,"url":"http://127.0.0.1:N","pid":N}` as its first line and serves until
 * SIGTERM or SIGINT.
 */
import { parseArgs } from 'node:util';
import { readScenario } from './scenario/read.js';
import { startStub } from './server/start.js';

const USAGE = 'Usage: node dist/main.js --scenario FILE [--port N] [--log FILE]\n';

async function main(): Promise<number | undefined> {
  const { values } = parseArgs({ options: { scenario: { type: 'string' }, port: { type: 'string', default: '0' }, log: { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (values.scenario === undefined) throw new Error(USAGE.trimEnd());
  const port = Number(values.port);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`--port must be a number from 0 to 65535, not ${values.port}.`);
  const server = await startStub({ scenario: readScenario(values.scenario), port, ...(values.log === undefined ? {} : { log: values.log }) });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(0));
  process.stdout.write(`${JSON.stringify({ port: server.port, url: server.url, pid: process.pid })}\n`);
  return undefined;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
