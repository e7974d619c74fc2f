import type { JsonValue } from '@relayflows/sdk';
import type { TaskConfigLayer, TaskConfigScope } from '../task-config.js';
import { isMap, own } from './merge.js';

/** The layers of one place, as they stand in config.yaml (`root`, `repo`) and in the workflow. */
export type TaskConfigLayers = Readonly<Partial<Record<TaskConfigScope, TaskConfigLayer>>>;

/** From the one that yields to the one that wins. */
export const SCOPES: readonly TaskConfigScope[] = ['root', 'repo', 'workflow', 'node'];

export type Path = readonly (string | number)[];

/** `filters.labels[1]` */
export function pathText(path: Path): string {
  return path.map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index === 0 ? '' : '.'}${part.length > 60 ? `${part.slice(0, 57).toWellFormed()}...` : part}`)).join('');
}

/** How a scope is called in a sentence. */
export const SCOPE_NAMES: Readonly<Record<TaskConfigScope, string>> = {
  root: 'the taskConfig of the machine (config.yaml)',
  repo: 'the taskConfig of the repository (config.yaml)',
  workflow: 'the taskConfig of the workflow',
  node: 'the taskConfig of the node',
};

/** The same where the name of the node is known. */
export function scopeName(scope: TaskConfigScope, node?: string): string {
  return scope === 'node' && node !== undefined ? `${SCOPE_NAMES.node} ${node}` : SCOPE_NAMES[scope];
}

/** The scope whose word counts at a path of the merged settings: the last one that says something there. */
export function originOf(layers: TaskConfigLayers, path: Path): TaskConfigScope | undefined {
  return SCOPES.findLast((scope) => {
    let value: JsonValue | undefined = layers[scope];
    for (const part of path) {
      if (value === undefined) return false;
      value = typeof part === 'number' ? (Array.isArray(value) ? (value as readonly JsonValue[])[part] : undefined) : isMap(value) ? own(value, part) : undefined;
    }
    return value !== undefined;
  });
}
