import type { Registration } from '../git/registrations.js';
import type { Workshop } from './workshop.js';

/** A worktree without a branch keeps its commits alive itself; forgetting it would leave them to the garbage collector. So they get a reference, `refs/relay/kept/<commit>`. */
export async function keepDetachedCommits(shop: Workshop, repo: string, gone: Registration | undefined): Promise<void> {
  if (gone?.head === undefined || gone.branch !== undefined) return;
  const held = await shop.git({ at: repo, args: ['for-each-ref', '--count=1', '--contains', gone.head] });
  if (held.exitCode === 0 && held.stdout !== '') return;
  await shop.git({ at: repo, args: ['update-ref', `refs/relay/kept/${gone.head}`, gone.head] });
}
