import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach } from 'vitest';
import { FlowsError } from '../../src/errors/flows-error.js';

const made: string[] = [];

afterEach(() => {
  for (const root of made.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** A temporary folder with these files, removed after the test. Gives the absolute path of a name in it. */
export function folder(files: Readonly<Record<string, string | Uint8Array>> = {}): (name?: string) => string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'relayflows-flow-')));
  made.push(root);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
  return (name = '') => join(root, name);
}

/** A flow file that exports this flow; `rest` is further code at its top level. */
export function flowFile(name: string, header: object = {}, rest = ''): string {
  return [
    "import { flow } from '@relayflows/surface';",
    rest,
    `export default flow(${JSON.stringify(name)}, ${JSON.stringify(header)}, async (f) => { f.done('success'); });`,
    '',
  ].join('\n');
}

/** The error that a promise or a function fails with; the test fails when it does not. */
export async function failure(failing: Promise<unknown> | (() => unknown)): Promise<FlowsError> {
  try {
    await (typeof failing === 'function' ? failing() : failing);
  } catch (error) {
    if (error instanceof FlowsError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}
