import type { CommandContext, Shown } from '../command.js';

export async function execute({ version }: CommandContext): Promise<Shown> {
  return { data: { version, node: process.versions.node }, lines: [version] };
}
