import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { FlowsError } from '../errors/flows-error.js';
import { type FlowsConfig, readConfigValue } from './config-rules.js';
import { readJson } from './json-text.js';
import { excerpt, formatPosition } from './source-position.js';

export type { FlowsConfig } from './config-rules.js';

export interface LocatedConfig {
  /** Absolute path of the `flows.json`. */
  readonly path: string;
  readonly config: FlowsConfig;
}

/**
 * The configuration that applies to flows in a folder: the nearest `flows.json` in it or above it, and only that one; `undefined` when there is none.
 * Throws `config_invalid` when the file cannot be read, is not JSON, or has an unknown key or a wrong value; all problems are named at once.
 */
export function findConfig(directory: string): LocatedConfig | undefined {
  for (let folder = directory; ; folder = dirname(folder)) {
    const path = join(folder, 'flows.json');
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return { path, config: readConfig(path) };
    if (dirname(folder) === folder) return undefined;
  }
}

/** Reads one `flows.json`. Throws `config_invalid`. */
export function readConfig(path: string): FlowsConfig {
  const reading = readJson(readText(path));
  if (!reading.ok) {
    const position = { path, line: reading.line, column: reading.column };
    throw new FlowsError('config_invalid', [`${formatPosition(position)} is not JSON: ${reading.reason}.`, ...excerpt(position)].join('\n'), {
      hint: 'Correct the syntax; comments and trailing commas are not allowed.',
      evidence: { ...position },
    });
  }
  const { config, problems } = readConfigValue(reading.value);
  if (problems.length === 0) return config;
  const text = problems.length === 1 ? `${path}: ${problems[0]}.` : [`${path} has ${problems.length} problems:`, ...problems.map((problem) => `  ${problem}`)].join('\n');
  throw new FlowsError('config_invalid', text, {
    hint: 'Known keys are cli, models, executors, mcp, plugins and deploy.',
    evidence: { path, problems },
  });
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new FlowsError('config_invalid', `${path} cannot be read: ${(cause as Error).message}.`, {
      hint: 'Make it readable or remove it.',
      evidence: { path, errno: (cause as NodeJS.ErrnoException).code },
      cause,
    });
  }
}
