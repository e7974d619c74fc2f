import type { CommandContext, Shown } from '../command.js';

export async function execute({ version }: CommandContext): Promise<Shown> {
  return { data: versions(version), lines: [version] };
}

/** Also what `--version` says as data. */
export function versions(version: string): { readonly version: string; readonly node: string } {
  return { version, node: process.versions.node };
}
