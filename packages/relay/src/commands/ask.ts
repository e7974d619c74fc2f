import { Left } from './command.js';

export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

/** Questions on the terminal; they are shown on error output. Throws {@link Left} when somebody leaves them. */
export interface Ask {
  choose(message: string, choices: readonly Choice[], initial?: string): Promise<string>;
  text(message: string, given?: { readonly initial?: string; readonly optional?: boolean; readonly problem?: (text: string) => string | undefined }): Promise<string>;
  secret(message: string): Promise<string>;
  confirm(message: string): Promise<boolean>;
}

/** Loads what asks only now: most commands never do. The title stands above the first question; where everything was given, nothing is shown. */
export async function asking(title: string): Promise<Ask> {
  const prompts = await import('@clack/prompts');
  const output = process.stderr;
  let titled = false;
  const answered = async <T>(ask: () => Promise<T>): Promise<Exclude<T, symbol>> => {
    if (!titled) prompts.intro(title, { output });
    titled = true;
    const answer = await ask();
    if (!prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
    prompts.cancel('Nothing was done.', { output });
    throw new Left();
  };
  return {
    choose: (message, choices, initial) => answered(() => prompts.select({ message, options: [...choices], output, ...(initial === undefined ? {} : { initialValue: initial }) })),
    text: async (message, { initial, optional = false, problem } = {}) => {
      const validate = (typed: string | undefined): string | undefined => {
        const text = (typed ?? '').trim();
        return text === '' ? (optional || initial !== undefined ? undefined : 'Please type something.') : problem?.(text);
      };
      return (await answered(() => prompts.text({ message, validate, output, defaultValue: initial ?? '', ...(initial === undefined ? {} : { placeholder: initial }) }))).trim();
    },
    secret: async (message) => (await answered(() => prompts.password({ message, output, validate: (typed) => ((typed ?? '').trim() === '' ? 'Please type something.' : undefined) }))).trim(),
    confirm: (message) => answered(() => prompts.confirm({ message, output, initialValue: false })),
  };
}
