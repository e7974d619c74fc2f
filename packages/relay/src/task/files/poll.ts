import { lstat, readdir } from 'node:fs/promises';
import { isRelayError } from '../../errors/relay-error.js';
import type { TaskProblem, Ticket } from '../port.js';
import { circles } from './circles.js';
import { isClaimed } from '../claim-labels.js';
import { diskFailure, errno } from './disk/failure.js';
import { readPlain, sameStamp, type Stamp } from './disk/read-file.js';
import { eachAtOnce, giveUp } from './each-at-once.js';
import { Keeper, type KeeperParts } from './keeper.js';
import { isReadme, isTicketKey, KEY_RULE } from './ticket-key.js';
import { brokenTicket, readTicketText, type TicketText } from './ticket-file.js';
import { isDone, ticketOf } from './ticket-view.js';

/** Clocks of file systems tick this coarsely: a file that was younger when it was read may change without its time changing. */
const TICK_NS = 50_000_000n;
/** Tickets of a circle that are named. */
const NAMED = 10;

interface Kept {
  readonly stamp: Stamp;
  /** Read so soon after it changed that the stamp may not tell the next change. */
  readonly racy: boolean;
  readonly content: { readonly text: TicketText } | { readonly problem: TaskProblem };
}

/** Reads the folder again and again. Files whose stamp is the one they were read with are not opened. */
export class Poll {
  readonly #parts: KeeperParts;
  readonly #keeper: Keeper;
  #kept: ReadonlyMap<string, Kept> = new Map();
  /** What the last poll could not take for a ticket, or what keeps a ticket from being one that can be worked on. */
  problems: readonly TaskProblem[] = [];

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#keeper = new Keeper(parts);
  }

  async run(signal: AbortSignal): Promise<readonly Ticket[]> {
    giveUp(signal);
    const problems: TaskProblem[] = [];
    const keys = await this.#keys(problems);
    const kept = new Map<string, Kept>();
    await eachAtOnce(keys, signal, async (key) => {
      const entry = await this.#refresh(key);
      if (entry !== undefined) kept.set(key, entry);
    });
    this.#kept = kept;
    const restored = await this.#keeper.keep(new Map([...kept].flatMap(([key, { stamp, content }]) => ('text' in content ? [[key, { stamp, text: content.text }] as const] : []))), new Set(keys), signal);
    problems.push(...restored.problems);
    for (const key of restored.changed) {
      const entry = await this.#refresh(key);
      if (entry !== undefined) kept.set(key, entry);
    }
    const tickets = this.#tickets(kept, problems);
    this.problems = problems;
    return tickets;
  }

  async #keys(problems: TaskProblem[]): Promise<readonly string[]> {
    const { directory } = this.#parts.folder;
    const entries = await readdir(directory, { withFileTypes: true }).catch((error: unknown) => {
      throw diskFailure(error, `The folder of tickets ${directory}`);
    });
    return entries.flatMap((entry) => {
      const { name } = entry;
      if (name.startsWith('.') || !name.endsWith('.md') || isReadme(name.slice(0, -3)) || entry.isDirectory()) return [];
      const key = name.slice(0, -3);
      if (!isTicketKey(key)) problems.push({ where: name, text: `The name of ${name} cannot be the key of a ticket.`, hint: `Use ${KEY_RULE}; or another ending than .md when it is no ticket.` });
      else if (!entry.isFile()) problems.push({ where: name, text: `${name} is a symbolic link or something else that is not a plain file.`, hint: 'Replace it with the file itself.' });
      else return [key];
      return [];
    }).sort(new Intl.Collator('en', { numeric: true }).compare);
  }

  async #refresh(key: string): Promise<Kept | undefined> {
    const path = this.#parts.folder.pathOf(key);
    const file = `${key}.md`;
    try {
      const before = this.#kept.get(key);
      if (before !== undefined && !before.racy && sameStamp(await lstat(path, { bigint: true }), before.stamp)) return before;
      const { bytes, stamp } = await readPlain(path, file);
      const racy = stamp.mtimeNs + TICK_NS > BigInt(Date.now()) * 1_000_000n;
      try {
        return { stamp, racy, content: { text: readTicketText(bytes) } };
      } catch (error) {
        return { stamp, racy, content: { problem: problemOf(brokenTicket(error, file), file) } };
      }
    } catch (error) {
      if (errno(error) === 'ENOENT') return undefined;
      return { stamp: { mtimeNs: 0n, ctimeNs: 0n, size: 0n, ino: 0n }, racy: true, content: { problem: problemOf(diskFailure(error, file), file) } };
    }
  }

  #tickets(kept: ReadonlyMap<string, Kept>, problems: TaskProblem[]): readonly Ticket[] {
    const { statuses } = this.#parts;
    const tickets: Ticket[] = [];
    /** Of tickets that do not begin: what they wait for. */
    const waiting = new Map<string, readonly string[]>();
    // In the order of the keys, whichever file was read first.
    for (const key of [...kept.keys()].sort(new Intl.Collator('en', { numeric: true }).compare)) {
      const content = kept.get(key)?.content;
      if (content === undefined) continue;
      if ('problem' in content) {
        problems.push(content.problem);
        continue;
      }
      const { text } = content;
      if (isDone(text, statuses)) continue;
      const waits = text.blockedBy.filter((blocker) => {
        const other = kept.get(blocker)?.content;
        if (other === undefined) problems.push({ where: `${key}.md`, text: `${key} waits for ${blocker}, which does not exist.`, hint: 'Correct `blockedBy`.' });
        return other === undefined || !('text' in other) || !isDone(other.text, statuses);
      });
      if (text.blockedBy.includes(key)) problems.push({ where: `${key}.md`, text: `${key} waits for itself.`, hint: 'Correct `blockedBy`.' });
      if (waits.length === 0 || isClaimed(text.labels)) tickets.push(ticketOf(key, text, waits.length > 0, statuses));
      else waiting.set(key, waits.filter((blocker) => blocker !== key));
    }
    for (const [first = '', ...others] of circles(waiting)) {
      const way = others.length <= NAMED ? others : [...others.slice(0, NAMED - 1), `… (${others.length - NAMED} more)`, first];
      problems.push({ where: `${first}.md`, text: `${first} waits for ${way.join(', which waits for ')}: none of them can begin.`, hint: 'Take one of them out of `blockedBy` of another.' });
    }
    return tickets;
  }
}

function problemOf(error: unknown, file: string): TaskProblem {
  if (!isRelayError(error)) throw error;
  return { where: file, text: error.text, ...(error.hint === undefined ? {} : { hint: error.hint }) };
}
