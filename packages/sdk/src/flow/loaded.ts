import type { FlowDefinition } from '@relayflows/surface/runtime';

/** A sealed flow whose module has been executed. */
export interface LoadedFlow {
  /** As given to `flow()`. */
  readonly name: string;
  readonly definition: FlowDefinition;
  /** Its body gets the verbs of a host's own flow. */
  readonly host?: true;
  /** Its direct children by their declared names. */
  readonly children: ReadonlyMap<string, LoadedFlow>;
}
