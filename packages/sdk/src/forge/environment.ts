/** The variables that a forge is chosen by and called with. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The first of these variables that has a value, and its name. */
export function firstVariable(env: Environment, names: readonly string[]): { readonly name: string; readonly value: string } | undefined {
  for (const name of names) {
    const value = env[name]?.trim();
    if (value !== undefined && value !== '') return { name, value };
  }
  return undefined;
}
