import { isRelayError, RelayError } from '../errors/relay-error.js';
import { wireCode, type WireCode } from '../server/wire-error.js';
import type { CommandContext } from './command.js';
import { jsonLine } from './text/clean.js';

const LARGEST = 4 * 1024 * 1024;
/** For reading and delivering together. */
export const DELIVERY_MS = 30_000;

/**
 * What plugins call: a message on standard input, its answer as JSON on standard output. On failure the exit status is 1 and `{code, message}` stands on error output;
 * `invalidReport` is final, anything else may be tried again with the same bytes.
 */
export async function deliver({ io }: CommandContext, send: (message: { readonly text: string; readonly json: unknown }, leftMs: number) => Promise<unknown>): Promise<number> {
  const begin = io.now();
  const fail = (code: WireCode, message: string): number => {
    io.err.write(`${jsonLine({ code, message })}\n`);
    return 1;
  };
  try {
    const text = await inTime(io.input(LARGEST));
    if (text === undefined) return fail('invalidReport', `The message has more than ${LARGEST} bytes.`);
    const answer = await send({ text, json: parsed(text) }, Math.max(1, DELIVERY_MS - (io.now() - begin)));
    io.out.write(`${jsonLine(answer)}\n`);
    return 0;
  } catch (error) {
    if (!isRelayError(error)) throw error;
    return fail(wireCode(error.code), error.text);
  }
}

/** Not JSON is `undefined`, which no message is. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

async function inTime<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new RelayError('request_invalid', `Standard input did not end within ${DELIVERY_MS / 1_000} seconds.`)), DELIVERY_MS);
  });
  try {
    return await Promise.race([reading, late]);
  } finally {
    clearTimeout(timer);
  }
}
