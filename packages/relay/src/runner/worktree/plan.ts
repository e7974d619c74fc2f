import type { Found } from './found.js';
import type { Registration } from '../git/registrations.js';

/** What is known about the place and the branch of a ticket. */
export interface Situation {
  readonly place: string;
  /** `relay/<ticket>` */
  readonly branch: string;
  readonly found: Found;
  /** The worktree that the repository believes to be in the place. */
  readonly here?: Registration;
  /** Another worktree on which the branch is checked out, and whether its folder is there. */
  readonly elsewhere?: { readonly registration: Registration; readonly gone: boolean };
  /** The worktree in the place was begun and never finished; `old` when nobody can be at it any more. */
  readonly unfinished?: 'young' | 'old';
}

export type Plan =
  | { readonly act: 'use'; readonly note?: string }
  /** Make the folder and its registration know each other again. */
  | { readonly act: 'repair' }
  /** Drop the registration of a folder that is gone. */
  | { readonly act: 'forget'; readonly path: string }
  /** Take away what a killed git left, and begin again. */
  | { readonly act: 'clear' }
  | { readonly act: 'wait'; readonly text: string }
  | { readonly act: 'add' }
  | { readonly act: 'refuse'; readonly text: string; readonly hint: string };

/** The next step towards a worktree for a ticket in its place. */
export function planWorkspace(situation: Situation): Plan {
  const { place, branch, found, here, elsewhere, unfinished } = situation;
  if (unfinished === 'young') return { act: 'wait', text: `The worktree at ${place} is being made by another git.` };
  if (unfinished === 'old') return { act: 'clear' };
  switch (found.kind) {
    case 'worktree':
      return use(place, branch, here);
    case 'moved':
      return { act: 'repair' };
    case 'foreign':
      return {
        act: 'refuse',
        text: `The place of the worktree, ${place}, holds ${found.what}.`,
        hint: 'Nothing in it was touched. Move it somewhere else or delete it; then the worktree is made.',
      };
    case 'nothing':
    case 'empty':
      return here !== undefined ? forget(here) : elsewhere === undefined ? { act: 'add' } : elsewhereTaken(branch, place, elsewhere);
  }
}

function use(place: string, branch: string, here: Registration | undefined): Plan {
  if (here?.branch === branch) return { act: 'use' };
  const now = here?.branch === undefined ? 'no branch' : `the branch ${here.branch}`;
  return { act: 'use', note: `The worktree at ${place} has ${now} checked out, not ${branch}: it is used as it is.` };
}

/** A lock is how a person says that a missing folder will come back, such as one on a drive. */
export function forget(gone: Registration): Plan {
  if (gone.locked === undefined) return { act: 'forget', path: gone.path };
  return {
    act: 'refuse',
    text: `The worktree at ${gone.path} is locked${gone.locked === '' ? '' : ` (${gone.locked})`}, and its folder is gone.`,
    hint: 'Bring the folder back, for instance by mounting its drive, or unlock it with "git worktree unlock".',
  };
}

function elsewhereTaken(branch: string, place: string, elsewhere: NonNullable<Situation['elsewhere']>): Plan {
  const { registration, gone } = elsewhere;
  if (gone && !registration.main) return forget(registration);
  return {
    act: 'refuse',
    text: `The branch ${branch} is checked out at ${registration.path}, not in the place of the ticket's worktree, ${place}.`,
    hint: registration.main ? 'Check out another branch there.' : 'Check out another branch there, or bring it back with "git worktree move".',
  };
}
