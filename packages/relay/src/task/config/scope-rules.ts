import type { JsonValue } from '@relayflows/sdk';
import type { TaskSystem } from '../port.js';
import type { TaskConfigScope } from '../task-config.js';
import { SCOPE_NAMES, scopeName, SCOPES, pathText, type Path, type TaskConfigLayers } from './layers.js';
import { isMap } from './merge.js';
import type { TaskConfigProblem } from './problem.js';

/** Whether a layer may hold what it holds: no null at any depth, and no key that belongs into another scope. */
export function scopeProblems(system: Pick<TaskSystem, 'ownKeys' | 'templateScopes'>, layers: TaskConfigLayers, node?: string): readonly TaskConfigProblem[] {
  return SCOPES.flatMap((scope) => {
    const layer = layers[scope];
    if (layer === undefined) return [];
    return [...nulls(layer as JsonValue, []).map((path) => nullProblem(scope, path, node)), ...Object.keys(layer).flatMap((key) => misplaced(system, scope, key, node))];
  });
}

function nulls(value: JsonValue, path: Path): readonly Path[] {
  if (value === null) return [path];
  if (Array.isArray(value)) return (value as readonly JsonValue[]).flatMap((item, index) => nulls(item, [...path, index]));
  return isMap(value) ? Object.entries(value).flatMap(([key, item]) => nulls(item, [...path, key])) : [];
}

function nullProblem(scope: TaskConfigScope, path: Path, node: string | undefined): TaskConfigProblem {
  return { path: pathText(path), scope, text: `${path.length === 0 ? '' : `${pathText(path)} in `}${scopeName(scope, node)} is null.`, hint: 'Remove the key to inherit its value, or write one; "" and [] switch a setting off.' };
}

function misplaced(system: Pick<TaskSystem, 'ownKeys' | 'templateScopes'>, scope: TaskConfigScope, key: string, node: string | undefined): readonly TaskConfigProblem[] {
  const allowed = key === 'templates' ? system.templateScopes : Object.hasOwn(system.ownKeys, key) ? system.ownKeys[key] : undefined;
  if (allowed === undefined || allowed.includes(scope)) return [];
  const where = allowed.map((one) => SCOPE_NAMES[one]).join(' or ');
  return [{ path: key, scope, text: `${key} cannot be set in ${scopeName(scope, node)}.`, hint: allowed.length === 0 ? 'Remove it; this task system has none.' : `Set it in ${where}.` }];
}
