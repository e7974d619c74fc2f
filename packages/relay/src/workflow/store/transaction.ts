import { z } from 'zod';
import { NOTHING, sameBytes, samePair, type FileKind, type Pair } from './files.js';

/**
 * The replacing of a pair of files, so that whoever comes after a crash finds one pair or the other:
 * 1. `<name>.txn` is written with both pairs. From here on the old pair can be brought back.
 * 2. The YAML is replaced, then its hash. In between the pair is mixed, which goes back to old.
 * 3. `<name>.txn` is removed. Before that, a complete new pair wins.
 */
export interface Transaction {
  readonly old: Pair;
  readonly next: Pair;
}

/** One change of one file; `undefined` removes it. What is there already is written again: that costs little, and needs no look. */
export interface Step {
  readonly kind: FileKind;
  readonly content: Uint8Array | string | undefined;
}

/** Every step of replacing a pair, in their order. */
export function replaceSteps(transaction: Transaction): readonly Step[] {
  return [{ kind: 'txn', content: transactionText(transaction) }, ...pairSteps(transaction.next), { kind: 'txn', content: undefined }];
}

/** Takes a replacement back that could not be finished. */
export function rollbackSteps({ old }: Transaction): readonly Step[] {
  return [...pairSteps(old), { kind: 'txn', content: undefined }];
}

/** What is left to do about a transaction that was found beside a pair. Doing it may be cut short as well: the same is then decided again. */
export function recoverySteps(found: Pair, transaction: Transaction): readonly Step[] {
  const pair = settled(found, transaction);
  return [...(samePair(found, pair) ? [] : pairSteps(pair)), { kind: 'txn', content: undefined }];
}

/** The pair that counts while a transaction lies beside it. Bytes that are of neither pair are a person's: they are left alone, and their hash will tell. */
export function settled(found: Pair, { old, next }: Transaction): Pair {
  const ours = (sameBytes(found.yaml, old.yaml) || sameBytes(found.yaml, next.yaml)) && (found.sha256 === old.sha256 || found.sha256 === next.sha256);
  return !ours || samePair(found, next) ? found : old;
}

function pairSteps({ yaml, sha256 }: Pair): readonly Step[] {
  return [{ kind: 'yaml', content: yaml }, { kind: 'sha256', content: sha256 }];
}

const storedPair = z.strictObject({ yaml: z.base64().nullable(), sha256: z.string().nullable() });
const stored = z.strictObject({ version: z.literal(1), old: storedPair, new: storedPair });

function transactionText({ old, next }: Transaction): string {
  return `${JSON.stringify({ version: 1, old: asStored(old), new: asStored(next) } satisfies z.infer<typeof stored>)}\n`;
}

/** `undefined` when the text is no transaction. */
export function readTransaction(text: string): Transaction | undefined {
  try {
    const { old, new: next } = stored.parse(JSON.parse(text));
    return { old: fromStored(old), next: fromStored(next) };
  } catch {
    return undefined;
  }
}

function asStored({ yaml, sha256 }: Pair): z.infer<typeof storedPair> {
  return { yaml: yaml === undefined ? null : Buffer.from(yaml).toString('base64'), sha256: sha256 ?? null };
}

function fromStored({ yaml, sha256 }: z.infer<typeof storedPair>): Pair {
  return { ...NOTHING, ...(yaml === null ? {} : { yaml: Uint8Array.from(Buffer.from(yaml, 'base64')) }), ...(sha256 === null ? {} : { sha256 }) };
}
