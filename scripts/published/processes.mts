/** What publishing knows of processes, as the journal does. */
import { describeSelf, ownerAlive } from '../../packages/sdk/src/run/owner.js';
import type { Processes } from '../../packages/generator/src/publish/claim.js';

type Owner = ReturnType<typeof describeSelf>;

export const processes: Processes<Owner> = { self: () => describeSelf('publish'), alive: ownerAlive };
