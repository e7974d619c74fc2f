/** What a command accepts, as data: it is parsed by it, explained by it, and the manual is compared with it. */
export interface CommandDeclaration {
  /** One word, or a group and a word: `run get`. */
  readonly name: string;
  /** One line for lists. */
  readonly summary: string;
  readonly options: readonly OptionDeclaration[];
  /** All of them or none. */
  readonly together?: readonly string[];
  /** At most one of them. */
  readonly either?: readonly string[];
  readonly examples: readonly Example[];
  /** Sentences at the end of its help. */
  readonly notes?: readonly string[];
}

export interface OptionDeclaration {
  /** Without dashes. */
  readonly name: string;
  /** What its value is called. Absent: it takes none. */
  readonly value?: string;
  readonly summary: string;
  readonly required?: true;
  /** May be given several times. */
  readonly many?: true;
  /** The only values. */
  readonly values?: readonly string[];
  /** Known from other relay-flows, and without meaning here: the sentence that refuses it. Not in the help. */
  readonly refused?: string;
}

export interface Example {
  /** As typed after `relay-flow`. */
  readonly args: string;
  readonly explains: string;
}

/** A command line that was understood. */
export interface CommandInvocation {
  readonly kind: 'command';
  readonly command: string;
  /** The last value of each option that has one. */
  readonly values: Readonly<Record<string, string>>;
  /** Every value of those that may be given several times. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
  readonly switches: ReadonlySet<string>;
}
