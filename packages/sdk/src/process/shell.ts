import { existsSync } from 'node:fs';
import type { Shell } from './port.js';
import { start } from './supervise.js';

/** POSIX does not promise a place for the shell; nearly every system has it here. */
const SHELL = existsSync('/bin/sh') ? '/bin/sh' : 'sh';

/** The machine's POSIX shell: `sh -c <command>`. */
export const systemShell: Shell = {
  run(request) {
    const { command } = request;
    // A command that begins with a dash would be read as options.
    const args = command.startsWith('-') || command.startsWith('+') ? ['-c', '--', command] : ['-c', command];
    return start(SHELL, args, request);
  },
};
