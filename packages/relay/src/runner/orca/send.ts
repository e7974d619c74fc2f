import { setTimeout } from 'node:timers/promises';
import { z } from 'zod';
import { RelayError } from '../../errors/relay-error.js';
import { isUnclear } from './again.js';
import { ACT_MS, LOOK_MS, decodeResult, refused, type Orca, type OrcaAnswer } from './call.js';
import { BLOCKED, meansGone } from './codes.js';
import { holdsText, screenOf, showsWord } from './composer.js';

/** Linux allows 128 KiB for one argument of a command; a character has up to four bytes. */
const MOST_CHARACTERS = 30_000;
/** How often the screen is looked at before the enter key is pressed once more: a program may be slow to take a long text. */
const LOOKS = 3;

const receipt = z.object({ send: z.object({ accepted: z.boolean() }).optional() });

/**
 * Types a text into a terminal and enters it, then looks whether it was entered. It is sent on one line: some versions of Orca cut it at the end of the first.
 * One whose mark is on the screen was typed before. Throws `runner_missing` when the terminal is gone, `runner_conflict` when its program takes no prompt.
 */
export async function sendText(orca: Orca, args: { readonly handle: string; readonly text: string; readonly mark: string | undefined; readonly settleMs: number; readonly live: () => Promise<boolean> }): Promise<void> {
  const { handle, settleMs, mark } = args;
  // Otherwise what is sent to a dead program would wait for the next one.
  if (!(await args.live())) throw gone();
  // NUL cannot be in an argument; the other control characters are keys.
  const text = args.text.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  if (mark === undefined || !(await isSeen(orca, handle, mark))) {
    const pieces = piecesOf(text);
    for (const piece of pieces.slice(0, -1)) await type(orca, handle, ['--text', piece]);
    await type(orca, handle, ['--text', pieces.at(-1) ?? '', '--enter']);
  }
  if (await isStill(orca, { handle, text, settleMs })) await type(orca, handle, ['--enter']);
}

function piecesOf(text: string): readonly string[] {
  const pieces: string[] = [];
  let piece = '';
  for (const character of text) {
    // A piece that begins or ends with a space could lose it.
    if (piece.length >= MOST_CHARACTERS && character !== ' ' && !piece.endsWith(' ')) {
      pieces.push(piece);
      piece = '';
    }
    piece += character;
  }
  return [...pieces, piece];
}

async function type(orca: Orca, handle: string, what: readonly string[]): Promise<void> {
  const verb = 'terminal send';
  const call = (...more: readonly string[]): Promise<OrcaAnswer> => orca({ verb, args: ['--terminal', handle, ...what, ...more], timeoutMs: ACT_MS });
  let answer = await call();
  // Issued again with the id of the first, it is typed once, however often it is asked for.
  if (!answer.ok && answer.requestId !== undefined && isUnclear(answer)) answer = await call('--retry-request', answer.requestId);
  if (!answer.ok) {
    if (meansGone(answer.code)) throw gone();
    if (answer.code === BLOCKED) {
      throw new RelayError('runner_conflict', 'The program in the terminal asks something itself, and takes no prompt.', { hint: 'Open the terminal in Orca and answer it, such as a question about trust, an update or a limit.' });
    }
    throw refused(verb, answer);
  }
  if (decodeResult(verb, receipt, answer.result).send?.accepted === false) throw new RelayError('runner_unavailable', 'The terminal did not take what was sent.', { evidence: { verb } });
}

/** A screen that cannot be read shows nothing. */
async function isSeen(orca: Orca, handle: string, mark: string): Promise<boolean> {
  const screen = await read(orca, handle);
  return screen !== undefined && showsWord(screen, mark);
}

async function read(orca: Orca, handle: string): Promise<string | undefined> {
  const answer = await orca({ verb: 'terminal read', args: ['--terminal', handle, '--screen'], timeoutMs: LOOK_MS });
  return answer.ok ? screenOf(answer.result) : undefined;
}

async function isStill(orca: Orca, args: { readonly handle: string; readonly text: string; readonly settleMs: number }): Promise<boolean> {
  for (let look = 0; look < LOOKS; look += 1) {
    await setTimeout(args.settleMs);
    // A program that ended on what it was told, or a screen that cannot be read: there is nothing to be done.
    const screen = await read(orca, args.handle);
    if (screen === undefined || !holdsText(screen, args.text)) return false;
  }
  return true;
}

function gone(): RelayError {
  return new RelayError('runner_missing', 'The terminal is gone, or its program has ended.');
}
