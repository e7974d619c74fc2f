import type { Draft, DraftNode, DraftRoute, Field } from './draft.js';
import { foreignKey } from './foreign-keys.js';
import { cut, kindOf, type Located, type LocatedEntry, type LocatedMap, type Place } from './yaml/located.js';
import { nearest } from '../host/nearest.js';
import type { YamlProblem } from './yaml/read-yaml.js';

const ROOT_KEYS = ['name', 'repos', 'cleanupRunnerOnEnd', 'taskConfig', 'nodes'] as const;
const NODE_KEYS = ['type', 'agent', 'description', 'nudgePrompt', 'autoReject', 'taskConfig', 'onSuccess', 'onFailure'] as const;
const ROUTE_KEYS = ['target', 'when'] as const;

/** Rule 1: every key is known, at every level, and has the kind of value it needs. */
export function readDraft(root: Located): { readonly draft: Draft; readonly problems: readonly YamlProblem[] } {
  const reader = new Reader();
  return { draft: reader.workflow(root), problems: reader.problems };
}

class Reader {
  readonly problems: YamlProblem[] = [];

  workflow(root: Located): Draft {
    const map = this.map(root, 'The file', `Write the keys ${list(ROOT_KEYS)}.`);
    if (map === undefined) return { at: root.at };
    const keys = this.keys(map, ROOT_KEYS, 'a workflow');
    return {
      at: map.at,
      ...this.when('name', keys.name, (value) => this.text(value)),
      ...this.when('repos', keys.repos, (value) => this.list(value, 'the names of repositories', (item) => this.field(item, item.at, (one) => this.text(one)))),
      ...this.when('cleanupRunnerOnEnd', keys.cleanupRunnerOnEnd, (value) => this.flag(value)),
      ...this.when('taskConfig', keys.taskConfig, (value) => this.taskConfig(value)),
      ...this.when('nodes', keys.nodes, (value) => this.map(value, 'nodes', 'Write one key per node, start and end among them.')?.entries.map((entry) => this.node(entry))),
    };
  }

  private node({ key: name, at, value }: LocatedEntry): DraftNode {
    // `end:` with nothing below it is how the last node is usually written.
    if (value.kind === 'scalar' && value.value === null) return { name, at, broken: false };
    const map = this.map(value, at.path, `Write its keys below it: ${list(NODE_KEYS)}.`);
    if (map === undefined) return { name, at, broken: true };
    const keys = this.keys(map, NODE_KEYS, 'a node');
    return {
      name,
      at,
      broken: false,
      ...this.when('type', keys.type, (one) => this.text(one)),
      ...this.when('agent', keys.agent, (one) => this.text(one)),
      ...this.when('description', keys.description, (one) => this.text(one)),
      ...this.when('nudgePrompt', keys.nudgePrompt, (one) => this.text(one)),
      ...this.when('autoReject', keys.autoReject, (one) => this.flag(one)),
      ...this.when('taskConfig', keys.taskConfig, (one) => this.taskConfig(one)),
      ...this.when('onSuccess', keys.onSuccess, (one) => this.list(one, 'routes', (item) => this.route(item))),
      ...this.when('onFailure', keys.onFailure, (one) => this.list(one, 'routes', (item) => this.route(item))),
    };
  }

  private route(item: Located): DraftRoute | undefined {
    const map = this.map(item, item.at.path, 'Write a route as "target: <node>", and if need be "when: <advice>" below it.');
    if (map === undefined) return undefined;
    const keys = this.keys(map, ROUTE_KEYS, 'a route');
    if (keys.target === undefined) this.problem(map.at, `${map.at.path} has no target.`, 'Add "target:" with the name of a node.');
    return { at: map.at, ...this.when('target', keys.target, (one) => this.text(one)), ...this.when('when', keys.when, (one) => this.text(one)) };
  }

  /** An explicit null has a rule of its own, which says it better. */
  private taskConfig(value: Located): LocatedMap | undefined {
    if (value.kind === 'scalar' && value.value === null) return undefined;
    return this.map(value, value.at.path, 'Write its settings below it, such as "assignee:" or "filters:".');
  }

  private when<K extends string, T>(key: K, entry: LocatedEntry | undefined, read: (value: Located) => T | undefined): { readonly [P in K]?: Field<T> } {
    return entry === undefined ? {} : ({ [key]: this.field(entry.value, entry.at, read) } as { readonly [P in K]?: Field<T> });
  }

  private field<T>(located: Located, at: Place, read: (value: Located) => T | undefined): Field<T> {
    return { at, located, value: read(located) };
  }

  private keys<K extends string>(map: LocatedMap, known: readonly K[], of: string): { readonly [P in K]?: LocatedEntry } {
    const found: { [P in K]?: LocatedEntry } = {};
    for (const entry of map.entries) {
      const key = known.find((one) => one === entry.key);
      if (key !== undefined) found[key] = entry;
      else this.unknown(entry, known, of);
    }
    return found;
  }

  private unknown({ key, at }: LocatedEntry, known: readonly string[], of: string): void {
    const foreign = foreignKey(key, of);
    if (foreign !== undefined) return this.problem(at, foreign.text, foreign.hint);
    const meant = nearest(cut(key), known);
    this.problem(at, `${JSON.stringify(cut(key))} is no key of ${of}.`, meant === undefined ? `Remove it; ${of} has the keys ${list(known)}.` : `Write ${meant} if that is what you mean, or remove it.`);
  }

  private map(value: Located, name: string, hint: string): LocatedMap | undefined {
    if (value.kind === 'map') return value;
    this.wrong(value, name, 'a map', hint);
    return undefined;
  }

  private list<T>(value: Located, of: string, read: (item: Located) => T | undefined): readonly T[] | undefined {
    if (value.kind !== 'list') {
      this.wrong(value, value.at.path, `a list of ${of}`, 'Begin each line of the list with "- ".');
      return undefined;
    }
    return value.items.flatMap((item) => {
      const one = read(item);
      return one === undefined ? [] : [one];
    });
  }

  private text(value: Located): string | undefined {
    if (value.kind === 'scalar' && typeof value.value === 'string') return value.value;
    this.wrong(value, value.at.path, 'a text', value.kind === 'scalar' && value.value !== null ? 'Put it in quotes.' : 'Write a text there.');
    return undefined;
  }

  private flag(value: Located): boolean | undefined {
    if (value.kind === 'scalar' && typeof value.value === 'boolean') return value.value;
    this.wrong(value, value.at.path, 'true or false', 'Write true or false, without quotes.');
    return undefined;
  }

  private wrong(value: Located, name: string, wanted: string, hint: string): void {
    this.problem(value.at, `${name === '' ? 'The file' : name} must be ${wanted}, but is ${kindOf(value)}.`, hint);
  }

  private problem({ path, line, column }: Place, text: string, hint: string): void {
    this.problems.push({ path, line, column, text, hint });
  }
}

function list(words: readonly string[]): string {
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1) ?? ''}`;
}

