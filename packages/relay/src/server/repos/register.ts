import { realpathSync, statSync } from 'node:fs';
import { RelayError } from '../../errors/relay-error.js';
import { addRepo, removeRepo } from '../../host/config-edit.js';
import { repoNameProblem } from '../../host/config.js';
import type { RelayConfig } from '../../host/config-types.js';
import type { Home } from '../../host/home.js';
import type { RepoRegistration } from '../api.js';
import type { RepoView } from '../answers.js';
import type { WorkflowBook } from '../workflows/book.js';
import type { Workshop } from '../workshop.js';
import { openRepo } from './open.js';

/** The registered repositories as config.yaml has them now. */
export interface RepoBook {
  entries: RelayConfig['repos'];
}

/** Registers a repository: everything is checked first, and config.yaml is written last. Throws `repo_invalid`, and what the adapters refuse. */
export async function registerRepo(shop: Workshop, home: Home, book: RepoBook, registration: RepoRegistration): Promise<void> {
  const { name } = registration;
  const odd = repoNameProblem(name);
  if (odd !== undefined) throw new RelayError('repo_invalid', odd, { evidence: { name } });
  const namesake = Object.keys(book.entries).find((known) => known.toLowerCase() === name.toLowerCase());
  if (namesake !== undefined) throw new RelayError('repo_invalid', `A repository ${namesake} is registered already.`, { hint: `Look at it with \`relay-flow repo get --name ${namesake}\`, or choose another name: capitals make no difference.` });
  const path = realFolder(registration.path);
  const [twin] = Object.entries(book.entries).find(([, entry]) => entry.path === path) ?? [];
  if (twin !== undefined) throw new RelayError('repo_invalid', `${path} is registered already, as ${twin}.`);
  const taskConfig = registration.taskConfig ?? shop.taskSystem.registrationConfig({ repo: { name, path }, values: registration.values ?? {} });
  await shop.runner.ensureRepo({ name, path });
  await shop.runner.validateRepo({ name, path });
  try {
    await openRepo(shop, name, { path, taskConfig });
    await shop.harness.setupRepo({ path });
    book.entries = addRepo(home, name, { path, taskConfig }).repos;
  } catch (error) {
    shop.repos.remove(name);
    throw error;
  }
}

/** Throws `repo_unknown`; `repo_busy` while a workflow names it, or a run of it has not ended. */
export function unregisterRepo(shop: Workshop, home: Home, book: RepoBook, workflowBook: WorkflowBook, name: string): void {
  if (book.entries[name] === undefined) throw new RelayError('repo_unknown', `No repository ${JSON.stringify(name)} is registered.`, { hint: 'List them with `relay-flow repo list`.' });
  const naming = workflowBook.naming(name);
  if (naming.length > 0) throw new RelayError('repo_busy', `The repository ${name} is named by ${naming.join(', ')}.`, { hint: 'Remove the workflow first, or submit it without the repository.' });
  const active = shop.store.countActive({ repo: name });
  if (active > 0) throw new RelayError('repo_busy', `The repository ${name} has ${active} ${active === 1 ? 'run that has' : 'runs that have'} not ended.`, { hint: active === 1 ? 'Cancel it, or wait for its end.' : 'Cancel them, or wait for their end.' });
  book.entries = removeRepo(home, name).repos;
  shop.repos.remove(name);
}

export function repoView(shop: Workshop, book: RepoBook, workflowBook: WorkflowBook, name: string): RepoView {
  const entry = book.entries[name];
  if (entry === undefined) throw new RelayError('repo_unknown', `No repository ${JSON.stringify(name)} is registered.`, { hint: 'List them with `relay-flow repo list`.' });
  return {
    name, path: entry.path, taskConfig: entry.taskConfig, problem: shop.repos.problem(name) ?? null,
    ticketProblems: shop.repos.ticketProblems(name).map(({ where, text, hint }) => ({ where, text, hint: hint ?? null })),
    workflows: workflowBook.naming(name), activeRuns: shop.store.countActive({ repo: name }),
  };
}

function realFolder(path: string): string {
  try {
    const real = realpathSync(path);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // What follows says it.
  }
  throw new RelayError('repo_invalid', `${path} is no folder.`, { hint: 'Give the path of a repository on this machine.', evidence: { path } });
}
