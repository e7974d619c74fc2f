import { pathToFileURL } from 'node:url';
import { FlowsError, isFlowsError } from '../../errors/flows-error.js';
import { fitBody } from '../body/fit-body.js';
import { NEWEST, sameText } from '../body/same-text.js';
import { canceled } from '../http/pace.js';
import { missingChange } from '../missing-change.js';
import type { Change, Forge } from '../port.js';
import type { RemoteBranches } from './remote-branches.js';
import { FolderStore, type ChangeFacts } from './store.js';

export interface FolderForgeOptions {
  /** Absolute path; created on first use. One folder serves one repository. */
  readonly directory: string;
  readonly branches: RemoteBranches;
}

const NAME = 'The folder';

/** A folder that stands in for a forge, for demos and tests: a change is a folder of JSON and Markdown. It never forgets an answer and has no limits. */
export function folderForge({ directory, branches }: FolderForgeOptions): Forge {
  const store = new FolderStore(directory);

  /** A folder that cannot be used is a forge that cannot be reached. */
  const usable = async <T>(signal: AbortSignal | undefined, use: () => Promise<T>): Promise<T> => {
    if (signal?.aborted === true) throw canceled();
    try {
      return await use();
    } catch (error) {
      if (isFlowsError(error) || !(error instanceof Error) || !('code' in error)) throw error;
      throw new FlowsError('forge_unreachable', `The folder ${directory} cannot be used as a forge (${String(error.code)}).`, { hint: 'Name a folder in RELAYFLOW_FORGE_DIR that can be written.', evidence: { path: directory }, cause: error });
    }
  };

  const required = async (branch: string): Promise<ChangeFacts> => {
    const found = await store.read(branch);
    if (found === undefined) throw missingChange(NAME, branch);
    return found;
  };

  const changeOf = ({ number, branch, base, title, draft }: ChangeFacts): Change => ({ number, url: pathToFileURL(store.placeOf(branch).description).href, branch, base, title, draft });

  const changed = async (facts: ChangeFacts, members: Partial<ChangeFacts>, description?: string): Promise<Change> => {
    const now = { ...facts, ...members };
    await store.write(now, description);
    return changeOf(now);
  };

  return {
    name: NAME,

    find: async ({ branch, signal }) => await usable(signal, async () => {
      const found = await store.read(branch);
      return found === undefined ? undefined : changeOf(found);
    }),

    open: async ({ branch, title, body, base, draft = false, signal }) => await usable(signal, async () => {
      const description = fitBody(body);
      for (;;) {
        const found = await store.read(branch);
        const target = await branches.check({ branch, base: base ?? found?.base, signal });
        if (found !== undefined) return { ...(await changed(found, { title, draft, base: target }, description)), created: false };
        const created = await store.create({ branch, base: target, title, draft, reviewers: [] }, description);
        if (created !== undefined) return { ...changeOf(created), created: true };
      }
    }),

    draft: async ({ branch, signal }) => await usable(signal, async () => await changed(await required(branch), { draft: true })),
    ready: async ({ branch, signal }) => await usable(signal, async () => await changed(await required(branch), { draft: false })),

    comment: async ({ branch, body, signal }) => await usable(signal, async () => {
      await required(branch);
      const text = fitBody(body);
      const newest = (await store.comments(branch)).slice(-NEWEST);
      if (!newest.some((comment) => sameText(comment, text))) await store.addComment(branch, text);
    }),

    requestReview: async ({ branch, reviewer, signal }) => await usable(signal, async () => {
      const facts = await required(branch);
      const name = reviewer.replace(/^@/, '');
      if (!/^[\w.-]+(?:\/[\w.-]+)?$/.test(name)) throw new FlowsError('forge_refused', `${JSON.stringify(name)} is no name of a person or a team.`, { hint: 'Name a user by the name that stands behind the @.', evidence: { reviewer: name } });
      if (!facts.reviewers.includes(name)) await store.write({ ...facts, reviewers: [...facts.reviewers, name] });
    }),
  };
}
