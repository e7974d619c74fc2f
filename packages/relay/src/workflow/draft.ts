import type { Located, LocatedMap, Place } from './yaml/located.js';

/**
 * A workflow whose keys and kinds of values were looked at, before any rule on what they say. A field that is absent was not written; one whose `value` is
 * `undefined` was written with the wrong kind of value, which has been reported.
 */
export interface Draft {
  readonly at: Place;
  readonly name?: Field<string>;
  readonly repos?: Field<readonly Field<string>[]>;
  readonly cleanupRunnerOnEnd?: Field<boolean>;
  readonly taskConfig?: Field<LocatedMap>;
  readonly nodes?: Field<readonly DraftNode[]>;
}

export interface Field<T> {
  readonly at: Place;
  readonly value: T | undefined;
  /** As written, of whatever kind. */
  readonly located: Located;
}

export interface DraftNode {
  readonly name: string;
  /** Of its name. */
  readonly at: Place;
  /** Its value was no map, which has been reported: its rules are not asked. */
  readonly broken: boolean;
  readonly type?: Field<string>;
  readonly agent?: Field<string>;
  readonly description?: Field<string>;
  readonly nudgePrompt?: Field<string>;
  readonly autoReject?: Field<boolean>;
  readonly taskConfig?: Field<LocatedMap>;
  readonly onSuccess?: Field<readonly DraftRoute[]>;
  readonly onFailure?: Field<readonly DraftRoute[]>;
}

export interface DraftRoute {
  readonly at: Place;
  readonly target?: Field<string>;
  readonly when?: Field<string>;
}

/** All routes of a node that could be read. */
export function draftRoutes(node: DraftNode): readonly DraftRoute[] {
  return [...(node.onSuccess?.value ?? []), ...(node.onFailure?.value ?? [])];
}
