import type { JsonValue } from '@relayflows/sdk';
import { nearest } from '../../host/nearest.js';
import { checkTemplate } from '../../workflow/templates.js';
import type { TaskConfig, TaskConfigLayer } from '../task-config.js';
import { originOf, pathText, scopeName, type Path, type TaskConfigLayers } from './layers.js';
import { isMap, own } from './merge.js';
import type { TaskConfigProblem } from './problem.js';

const SHARED_KEYS = ['assignee', 'filters', 'transitionTo', 'templates'] as const;
const FILTER_KEYS = ['parentStatuses', 'issueTypes', 'labels', 'assignees'] as const;
const TRANSITION_KEYS = ['parentStatus', 'taskStatus'] as const;
const TEMPLATE_KEYS = ['mailboxDescription', 'summaryComment', 'feedbackComment'] as const;

/** Reads merged settings strictly. What the task system alone knows is passed on as it stands, for the task system to read. */
export function decodeTaskConfig(merged: TaskConfigLayer, ownKeys: readonly string[], layers: TaskConfigLayers, node?: string): { readonly config: TaskConfig; readonly problems: readonly TaskConfigProblem[] } {
  const reader = new Reader(layers, node);
  reader.unknownKeys(merged, [], [...SHARED_KEYS, ...ownKeys]);
  const assignee = own(merged, 'assignee');
  const config: TaskConfig = {
    ...(assignee === undefined ? {} : pair('assignee', reader.text(assignee, ['assignee'], 'empty'))),
    filters: reader.section(merged, 'filters', FILTER_KEYS, (value, path) => reader.texts(value, path)),
    transitionTo: reader.section(merged, 'transitionTo', TRANSITION_KEYS, (value, path) => reader.text(value, path, 'filled')),
    templates: reader.section(merged, 'templates', TEMPLATE_KEYS, (value, path, key) => reader.template(value, path, key)),
    own: Object.fromEntries(Object.entries(merged).filter(([key]) => ownKeys.includes(key))),
  };
  return { config, problems: reader.problems };
}

class Reader {
  readonly problems: TaskConfigProblem[] = [];
  private readonly layers: TaskConfigLayers;
  private readonly node: string | undefined;

  constructor(layers: TaskConfigLayers, node: string | undefined) {
    this.layers = layers;
    this.node = node;
  }

  section<K extends string, T>(merged: TaskConfigLayer, name: string, keys: readonly K[], read: (value: JsonValue, path: Path, key: K) => T | undefined): { readonly [P in K]?: T } {
    const value = own(merged, name);
    if (value === undefined) return {};
    if (!isMap(value)) {
      this.problem([name], `must be a map with ${keys.join(', ')}`, 'Write its keys below it.');
      return {};
    }
    this.unknownKeys(value, [name], keys);
    return Object.assign({}, ...keys.map((key) => {
      const item = own(value, key);
      return item === undefined ? {} : pair(key, read(item, [name, key], key));
    })) as { readonly [P in K]?: T };
  }

  unknownKeys(map: TaskConfigLayer, path: Path, known: readonly string[]): void {
    for (const key of Object.keys(map).filter((one) => !known.includes(one))) {
      const meant = nearest(key.slice(0, 60), known);
      this.problem([...path, key], 'is no setting', meant === undefined ? `Remove it; known here are ${known.join(', ')}.` : `Write ${meant} if that is what you mean, or remove it.`);
    }
  }

  text(value: JsonValue, path: Path, may: 'empty' | 'filled'): string | undefined {
    if (typeof value !== 'string') return this.problem(path, 'must be a text', 'Put it in quotes.');
    if (may === 'filled' && value.trim() === '') return this.problem(path, 'is empty', 'Write the name of a status, or remove the key.');
    return value;
  }

  texts(value: JsonValue, path: Path): readonly string[] | undefined {
    if (!Array.isArray(value)) return this.problem(path, 'must be a list of texts', 'Begin each of its lines with "- ".');
    return (value as readonly JsonValue[]).flatMap((item, index) => {
      if (typeof item !== 'string') this.problem([...path, index], 'must be a text', 'Put it in quotes.');
      else if (item.trim() === '') this.problem([...path, index], 'is empty', 'Remove it; an empty list filters nothing.');
      return typeof item === 'string' ? [item] : [];
    });
  }

  template(value: JsonValue, path: Path, kind: (typeof TEMPLATE_KEYS)[number]): string | undefined {
    if (typeof value !== 'string') return this.problem(path, 'must be a text', 'Put it in quotes, or write it as a block that begins with "|".');
    for (const { text, hint } of checkTemplate(kind, value)) this.problem(path, 'cannot be used', hint, text);
    return value;
  }

  private problem(path: Path, what: string, hint: string, more = ''): undefined {
    const scope = originOf(this.layers, path);
    const where = scope === undefined ? 'taskConfig' : scopeName(scope, this.node);
    this.problems.push({ path: pathText(path), scope, text: `${pathText(path)} in ${where} ${what}${more === '' ? '.' : `: ${more}`}`, hint });
  }
}

function pair<K extends string, T>(key: K, value: T | undefined): { readonly [P in K]?: T } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [P in K]: T });
}
