import type { RunEvent } from '@relayflows/sdk';

/** Shows a run while it is executed. */
export interface Observer {
  /** Called with every event, in order. */
  event(event: RunEvent): void;
  /** Complete lines from elsewhere: what the body printed, a notice of the command itself. Ends with a line feed. */
  print(text: string): void;
  /** Gives the terminal back. Nothing is shown afterwards. Calling it twice does nothing. */
  close(): void;
}

/** Values a body reads, which take no time and say nothing by themselves. */
export function isSilent(kind: string): boolean {
  return kind === 'now' || kind === 'uuid';
}

/** What hosts read from the output of a run; it must stand on a line of its own, unchanged. */
export function phaseLine(name: string): string {
  return `relayflow phase: ${name}`;
}
