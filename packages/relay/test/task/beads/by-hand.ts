import { join } from 'node:path';
import type { BeadsScene } from './scene.js';

/** What the stand-in answers when it is called by hand; throws what it says when it fails. */
export async function runs(at: BeadsScene, ...words: readonly string[]): Promise<unknown> {
  const { exitCode, stdout, stderr } = await at.run({ file: join(at.bin, 'bd'), args: [...words, '--json'], env: { ...at.env, BEADS_DIR: at.workspace }, timeoutMs: 30_000 });
  if (exitCode !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as unknown;
}
