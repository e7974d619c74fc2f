import type { Behavior } from '../scene.js';

export function call(asked: {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly input: () => string;
}): { readonly exitCode: number; readonly stdout: string; readonly stderr: string; readonly behavior: Behavior };
