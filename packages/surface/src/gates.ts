/** A gate as data. `(string | number)[]` is a path into the step's value: member names and array positions. */
export type NamedGate =
  /** The selected output text contains the value of `input[input_key]`. */
  | { type: 'references_input'; input_key: string; in_output_at?: (string | number)[] }
  /** The command exits 0. With `from_output`, the selected value is passed to it. */
  | { type: 'subprocess_gate'; command: string; from_output?: (string | number)[] }
  /** The number of words, separated by white space, lies within the bounds. At least one bound. */
  | { type: 'word_count_bounds'; min?: number; max?: number }
  /** RE2 syntax, at most 8,192 characters; `flags` may hold `i`, `m` and `s`, each once. */
  | { type: 'regex_match'; pattern: string; flags?: string; in_output_at?: (string | number)[] }
  /** A regular file exists at this path, relative to the step's directory. */
  | { type: 'artifact_exists'; path: string };
