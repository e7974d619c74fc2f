import type { JsonValue } from '@relayflows/sdk';
import { Complaints } from '../../task/config/complaints.js';
import { decodeTaskConfig } from '../../task/config/decode.js';
import { pathText, type Path, type TaskConfigLayers } from '../../task/config/layers.js';
import type { TaskConfigProblem } from '../../task/config/problem.js';
import { scopeProblems } from '../../task/config/scope-rules.js';
import type { TaskRules } from '../../task/port.js';
import type { TaskConfigLayer } from '../../task/task-config.js';
import type { Draft, Field } from '../draft.js';
import { nullPlaces } from '../null-places.js';
import { plain, type Located, type LocatedMap, type Place } from '../yaml/located.js';
import type { Finding } from './rule.js';

/**
 * Rule 15: what the workflow itself says in taskConfig decodes, and stands where it may. Each layer is looked at alone, which finds the same as merged ones: layers
 * below only fill in what it leaves open.
 */
export function settingsRule({ taskConfig, nodes }: Draft, rules: TaskRules): readonly Finding[] {
  return [
    ...findings(taskConfig, rules, (layer) => ({ workflow: layer })),
    ...(nodes?.value ?? []).flatMap(({ name, taskConfig: own }) => findings(own, rules, (layer) => ({ node: layer }), name)),
  ];
}

function findings(field: Field<LocatedMap> | undefined, rules: TaskRules, layersOf: (layer: TaskConfigLayer) => TaskConfigLayers, node?: string): readonly Finding[] {
  const map = field?.value;
  // A null has a rule of its own, and is the wrong kind of value everywhere.
  if (map === undefined || nullPlaces(map).length > 0) return [];
  const layer = plain(map) as Readonly<Record<string, JsonValue>>;
  const layers = layersOf(layer);
  const { config, problems } = decodeTaskConfig(layer, Object.keys(rules.ownKeys), layers, node);
  const complaints = new Complaints();
  if (problems.length === 0) rules.complainOf?.(config, complaints);
  return [...scopeProblems(rules, layers, node), ...problems, ...complaints.problems].map(({ path, text, hint }: TaskConfigProblem): Finding => [placeOf(map, path) ?? map.at, text, hint]);
}

/** Where a path of the settings stands: the key, or the item of a list. */
function placeOf(map: LocatedMap, wanted: string): Place | undefined {
  const search = (value: Located, path: Path): Place | undefined => {
    const below: readonly (readonly [Path, Place, Located])[] = value.kind === 'map' ? value.entries.map((entry) => [[...path, entry.key], entry.at, entry.value])
      : value.kind === 'list' ? value.items.map((item, index) => [[...path, index], item.at, item]) : [];
    for (const [at, place, inside] of below) {
      const found = pathText(at) === wanted ? place : search(inside, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(map, []);
}
