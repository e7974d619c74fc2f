/** One change of a folder of published versions. */
export type Step =
  /** Writes a file that nobody reads before it is renamed. */
  | { readonly do: 'write'; readonly name: string; readonly text: string }
  | { readonly do: 'rename'; readonly from: string; readonly to: string }
  | { readonly do: 'remove'; readonly name: string };
