import { spawn } from 'node:child_process';

export interface OwnNode {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

const dist = new URL('../../dist', import.meta.url).href;

/**
 * Runs a program against the built package in a Node of its own: for what happens to a whole process, and where the test runner's way of importing
 * differs from Node's. The program sees `sealFlow`, `loadSealed`, `parseSealed`, `serializeSealed`, the folder of the package as `dist` and its arguments as
 * `args`. With a `uid` it gives its rights up by itself, for Node may lie where that user may not go.
 */
export function ownNode(program: string, options: { readonly args?: readonly string[]; readonly env?: Record<string, string>; readonly uid?: number; readonly cwd?: string } = {}): Promise<OwnNode> {
  const source = `
    const [dist, ...args] = process.argv.slice(1);
    const { sealFlow } = await import(dist + '/flow/seal.js');
    const { loadSealed } = await import(dist + '/flow/load.js');
    const { parseSealed, serializeSealed } = await import(dist + '/flow/stored.js');
    ${options.uid === undefined ? '' : `process.setgroups([]); process.setgid(${options.uid}); process.setuid(${options.uid});`}
    ${program}
  `;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source, dist, ...(options.args ?? [])], {
    env: { ...process.env, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => { stdout += text; });
  child.stderr.setEncoding('utf8').on('data', (text: string) => { stderr += text; });
  return new Promise((done, failed) => {
    child.on('error', failed);
    child.on('close', (exitCode, signal) => done({ stdout, stderr, exitCode, signal }));
  });
}
