import type { Ctx } from '@relayflows/surface';

declare module '@relayflows/surface' {
  interface Ctx {
    /** Supplied by some hosts. */
    announcer?: { send(text: string): void };
  }
}

export async function versionOf(f: Ctx, wanted: string): Promise<string> {
  return (await f.run('printf "v%s" "$WANTED"', { env: { WANTED: wanted } })).trim();
}

export function announce(f: Ctx, version: string): string {
  if (f.announcer === undefined) return 'silently';
  f.announcer.send(version);
  return 'announced';
}
