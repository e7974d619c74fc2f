import { realpathSync, statSync } from 'node:fs';
import { basename, isAbsolute, resolve } from 'node:path';
import { RelayError } from '../../errors/relay-error.js';
import { repoNameProblem } from '../../host/config.js';
import type { RelayClient } from '../../client/client.js';
import type { RegistrationField } from '../../task/port.js';
import { asking, type Ask } from '../ask.js';
import { UsageError, type CommandContext, type Shown } from '../command.js';
import { oneLine } from '../text/clean.js';

export async function execute(context: CommandContext): Promise<Shown> {
  const { invocation, io, asJson } = context;
  const { name: givenName, path: givenPath } = invocation.values;
  const values = settings(invocation.lists['set'] ?? []);
  const client = context.client();
  const ask = io.canAsk && !asJson ? await asking('A repository whose tickets shall be worked on') : undefined;

  const path = realFolder(givenPath ?? (await askPath(ask, client, io.cwd)), io.cwd);
  const name = givenName ?? (await askName(ask, path));
  const odd = repoNameProblem(name);
  if (odd !== undefined) throw new UsageError(odd, 'Choose another with --name.');
  await client.call('ensureRepo', { body: { name, path } });
  const repo = await client.call('registerRepo', { body: { name, path, values: await answered({ client, ask, name, path, values }) } });
  return {
    data: repo,
    lines: [`The repository ${repo.name} is registered.`],
    notes: repo.workflows.length === 0 ? ['No workflow names it yet: `relay-flow workflow submit --file <path>` with it among its repos.'] : [],
  };
}

/** `key=value`, of which the value may hold anything. Throws a {@link UsageError}. */
export function settings(given: readonly string[]): Readonly<Record<string, string>> {
  const values: Record<string, string> = {};
  for (const one of given) {
    const [, key, value] = /^([A-Za-z][\w.-]*)=(.*)$/s.exec(one) ?? [];
    if (key === undefined || value === undefined) throw new UsageError(`\`--set ${one}\` has no key and value.`, 'Write --set key=value.');
    if (Object.hasOwn(values, key)) throw new UsageError(`\`--set ${key}=…\` was given twice.`, 'Give it once.');
    values[key] = value;
  }
  return values;
}

/** The task system asks on until nothing is missing: an answer may lead to another question. */
async function answered({ client, ask, name, path, values }: { readonly client: RelayClient; readonly ask: Ask | undefined; readonly name: string; readonly path: string; readonly values: Readonly<Record<string, string>> }): Promise<Readonly<Record<string, string>>> {
  const known = { ...values };
  for (;;) {
    const fields = await client.call('nextTaskFields', { body: { name, path, values: known } });
    const open = fields.filter((field) => !Object.hasOwn(known, field.name));
    if (open.length === 0) return known;
    if (ask === undefined) throw unanswered(open);
    for (const { name: key, prompt, choices, initial } of open) {
      known[key] = choices === undefined || choices.length === 0 ? (await ask.text(oneLine(prompt), initial === undefined ? {} : { initial })) || (initial ?? '') : await ask.choose(oneLine(prompt), choices.map(({ value, label }) => ({ value, label: oneLine(label) })), initial);
    }
  }
}

function unanswered(fields: readonly RegistrationField[]): UsageError {
  const told = fields.map(({ name, prompt, choices }) => `--set ${name}=<…>  ${oneLine(prompt)}${choices === undefined ? '' : ` (${choices.map(({ value }) => oneLine(value)).join(', ')})`}`);
  return new UsageError(['The task system must know more about the repository:', ...told].join('\n'), 'Add them to the command.');
}

async function askPath(ask: Ask | undefined, client: RelayClient, cwd: string): Promise<string> {
  if (ask === undefined) throw new UsageError('`--path` is missing: where the repository is.', 'Add --path and --name, or call it on a terminal to be asked.');
  const known = await client.call('discoverRepos', {});
  const other = '\u0000';
  const chosen = known.length === 0 ? other : await ask.choose('Which repository?', [...known.map(({ name, path }) => ({ value: path, label: oneLine(name), hint: oneLine(path) })), { value: other, label: 'another one' }]);
  return chosen === other ? (await ask.text('Where is it?', { initial: cwd })) || cwd : chosen;
}

async function askName(ask: Ask | undefined, path: string): Promise<string> {
  const initial = basename(path).replaceAll(/[^A-Za-z0-9._-]+/g, '-').replace(/^[^A-Za-z0-9]+/, '') || 'repository';
  if (ask === undefined) throw new UsageError('`--name` is missing: what the repository is called here.', `Add it, for example --name ${initial}.`);
  return (await ask.text('What is it called here?', { initial, problem: repoNameProblem })) || initial;
}

function realFolder(given: string, cwd: string): string {
  const path = isAbsolute(given) ? given : resolve(cwd, given);
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch (cause) {
    throw new RelayError('repo_invalid', `There is no folder ${path}.`, { hint: 'Name the folder of the repository with --path.', evidence: { path }, cause });
  }
  throw new RelayError('repo_invalid', `${path} is not a folder.`, { hint: 'Name the folder of the repository with --path.', evidence: { path } });
}
