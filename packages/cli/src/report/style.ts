import { join } from 'node:path';
import type { Io } from '../io.js';
import { colorsFor } from '../text/colors.js';
import { shellWord } from '../text/shell-word.js';
import type { LineStyle } from './report-lines.js';

/** How lines on stderr look. `values` are the arguments of the command, which say where its runs are kept. */
export function styleFor(io: Io, values: Readonly<Record<string, string>> = {}): LineStyle {
  const program = programName(io.env);
  const dataDir = values['data-dir'] ?? (values['cwd'] === undefined ? undefined : join(values['cwd'], '.relayflowd'));
  const where = dataDir === undefined ? '' : ` --data-dir ${shellWord(dataDir)}`;
  return {
    colors: colorsFor(io.stderr.isTerminal, io.env),
    command: (args) => `${program} ${args}${NAMES_A_RUN.test(args) ? where : ''}`,
    now: io.now(),
  };
}

const NAMES_A_RUN = /^(resume|answer|cancel|status|runs|logs|replay)\b(?!.*--(help|data-dir)\b)/;

/** What a user has to type: someone who came through npx has no `flows` on the PATH. */
export function programName(env: Io['env']): string {
  return env['npm_command'] === 'exec' && env['npm_lifecycle_event'] === 'npx' ? 'npx @relayflows/cli' : 'flows';
}
