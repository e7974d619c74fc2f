import type { Io } from '../io.js';
import { colorsFor } from '../text/colors.js';
import type { LineStyle } from './report-lines.js';

/** How lines on stderr look. */
export function styleFor(io: Io): LineStyle {
  const program = programName(io.env);
  return { colors: colorsFor(io.stderr.isTerminal, io.env), command: (args) => `${program} ${args}`, now: io.now() };
}

/** What a user has to type: someone who came through npx has no `flows` on the PATH. */
export function programName(env: Io['env']): string {
  return env['npm_command'] === 'exec' && env['npm_lifecycle_event'] === 'npx' ? 'npx @relayflows/cli' : 'flows';
}
