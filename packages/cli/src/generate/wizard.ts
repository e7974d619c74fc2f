import type { Answers } from './answers.js';
import { sourcesFlag, type SourceAnswer } from './sources.js';
import type { RoleAnswer } from './roles.js';

type Generator = typeof import('@relayflows/generator');
type Prompts = typeof import('@clack/prompts');

/** Where the flow goes. */
export interface Destination {
  readonly output?: string;
  readonly kit?: string;
}

export interface Decided {
  readonly answers: Answers;
  readonly destination: Destination;
}

/** Thrown when somebody leaves the questions. */
export class Left extends Error {
  override readonly name = 'Left';
}

const WORKFLOWS = [
  { value: 'traditional', label: 'traditional', hint: 'plan, review of the plan, implementation, adversarial review' },
  { value: 'simple', label: 'simple', hint: 'implementation and checks' },
  { value: 'prototype', label: 'prototype', hint: 'three prototypes side by side, compared, then as traditional' },
];

/** The filters of each tracker, as they are asked for. */
const FILTERS: Readonly<Record<string, readonly string[]>> = {
  github: ['repository', 'labels'], gitlab: ['project', 'labels'], linear: ['team', 'project', 'labels'], shortcut: ['workspace', 'team', 'labels'], jira: ['project', 'labels'], slack: ['channel', 'contains'], markdown: ['path'],
};

const EXAMPLES: Readonly<Record<string, string>> = { repository: 'owner/name', labels: 'separated by commas' };

/** Asks for what flags have left open, on the terminal. Everything is shown on stderr. Throws {@link Left}. */
export async function ask(given: Answers, destination: Destination, generator: Generator): Promise<Decided> {
  const prompts = await import('@clack/prompts');
  const questions = new Questions(prompts);
  prompts.intro('A flow that turns tickets into change requests', { output: process.stderr });
  const workflow = given.workflow ?? (await questions.choose('How shall it work?', WORKFLOWS));
  const agents = given.agents ?? (await questions.agents(generator.AGENTS, workflow));
  const sources = given.sources ?? (await questions.sources());
  const roles = given.roles ?? (await questions.roles(generator.ROLES, workflow, generator.AGENTS));
  const task = given.task ?? (await questions.text('What shall every builder know besides the ticket?', 'nothing', 600));
  const where = destination.output === undefined && destination.kit === undefined ? await questions.destination() : destination;
  const target = where.kit === undefined ? (given.target ?? (await questions.target())) : 'local';
  prompts.outro(`The same by flags: --workflow ${workflow} --agents ${agents.join(',')} --sources ${sourcesFlag(sources)} --target ${target}`, { output: process.stderr });
  return { answers: { workflow, agents, sources, ...(roles.length === 0 ? {} : { roles }), ...(task === '' ? {} : { task }), target }, destination: where };
}

interface Choice {
  readonly value: string;
  readonly label: string;
  readonly hint?: string;
}

class Questions {
  readonly #prompts: Prompts;

  constructor(prompts: Prompts) {
    this.#prompts = prompts;
  }

  async choose(message: string, options: readonly Choice[], initialValue = options[0]?.value): Promise<string> {
    return this.#answered(await this.#prompts.select({ message, options: [...options], output: process.stderr, ...(initialValue === undefined ? {} : { initialValue }) }));
  }

  async several(message: string, options: readonly Choice[], { initialValues = [], required = true }: { readonly initialValues?: readonly string[]; readonly required?: boolean } = {}): Promise<readonly string[]> {
    return this.#answered(await this.#prompts.multiselect({ message, options: [...options], initialValues: [...initialValues], required, output: process.stderr }));
  }

  /** Empty when nothing is typed. */
  async text(message: string, placeholder: string, most = 200): Promise<string> {
    const validate = (value: string | undefined): string | undefined => ((value ?? '').length > most ? `At most ${most} characters.` : undefined);
    return this.#answered(await this.#prompts.text({ message, placeholder, validate, defaultValue: '', output: process.stderr })).trim();
  }

  async agents(all: readonly string[], workflow: string): Promise<readonly string[]> {
    const builder = await this.choose('Who builds?', all.map(named));
    if (workflow === 'simple') return [builder];
    const others = all.filter((agent) => agent !== builder);
    const reviewer = await this.choose('Who reviews?', [...others.map(named), { value: builder, label: builder, hint: 'reviews its own work' }]);
    const both = reviewer === builder ? [builder] : [builder, reviewer];
    if (workflow !== 'prototype') return both;
    return [...both, ...(await this.several('Who else tries a prototype?', all.filter((agent) => !both.includes(agent)).map(named), { required: false }))];
  }

  async sources(): Promise<readonly SourceAnswer[]> {
    const kinds = await this.several('Where do tickets come from?', Object.keys(FILTERS).map(named), { initialValues: ['github'] });
    const sources: SourceAnswer[] = [];
    for (const kind of kinds) {
      const filters: Record<string, string | readonly string[]> = {};
      for (const name of FILTERS[kind] ?? []) {
        const value = await this.text(`${kind}: which ${name}?`, EXAMPLES[name] ?? (name === 'path' ? 'tasks.md' : 'any'));
        const labels = value.split(',').map((label) => label.trim()).filter((label) => label !== '');
        if (value !== '') filters[name] = name === 'labels' ? labels : value;
      }
      sources.push({ kind, ...filters });
    }
    return sources;
  }

  async roles(all: Generator['ROLES'], workflow: string, agents: readonly string[]): Promise<readonly RoleAnswer[]> {
    const roles = all[workflow as keyof typeof all] ?? [];
    const changed = await this.several('Which roles get an agent or a model of their own?', roles.map(named), { required: false });
    const answers: RoleAnswer[] = [];
    for (const role of changed) {
      const agent = await this.choose(`${role}: which agent?`, [{ value: '', label: 'the usual one' }, ...agents.map(named)]);
      const model = await this.text(`${role}: which model?`, 'what the agent takes by itself');
      if (agent !== '' || model !== '') answers.push({ role, ...(agent === '' ? {} : { agent }), ...(model === '' ? {} : { model }) });
    }
    return answers;
  }

  async target(): Promise<string> {
    return await this.choose('Who decides which tickets it takes?', [
      { value: 'local', label: 'the flow', hint: 'it is run by hand, and says why it leaves a ticket alone' },
      { value: 'cloud', label: 'a host', hint: 'tickets are filtered before it starts' },
    ]);
  }

  async destination(): Promise<Destination> {
    const what = await this.choose('What shall be written?', [
      { value: 'kit', label: 'a kit', hint: 'the flow, an input to fill in, a preflight, and how to begin' },
      { value: 'output', label: 'the flow alone' },
    ]);
    return what === 'kit' ? { kit: (await this.text('Into which folder?', 'garden')) || 'garden' } : { output: (await this.text('Into which file?', 'software-garden.flow.ts')) || 'software-garden.flow.ts' };
  }

  #answered<T>(answer: T): Exclude<T, symbol> {
    if (!this.#prompts.isCancel(answer)) return answer as Exclude<T, symbol>;
    this.#prompts.cancel('Nothing was written.', { output: process.stderr });
    throw new Left();
  }
}

function named(name: string): Choice {
  return { value: name, label: name };
}
