import { isAlias, isMap, isNode, isPair, isScalar, isSeq, type Alias, type Document, type Node, type Pair, type Scalar, type YAMLMap, type YAMLSeq } from 'yaml';
import { below, cut, type Located, type LocatedEntry, type Place } from './located.js';
import type { YamlProblem } from './read-yaml.js';

/** Values that a file may amount to once its aliases are resolved. */
const MAX_VALUES = 50_000;
const MAX_DEPTH = 100;

type PositionOf = (offset: number) => { readonly line: number; readonly column: number };

/** Turns a parsed document into values that know where they stand, or says what in it no JSON can hold. */
export function locate(document: Document.Parsed, positionOf: PositionOf): { readonly root: Located } | { readonly problems: readonly YamlProblem[] } {
  const walk = new Walk(positionOf);
  const root = walk.value(document.contents, { path: '', ...positionOf(document.contents?.range?.[0] ?? 0) }, 0);
  return walk.problems.length > 0 ? { problems: walk.problems } : { root };
}

class Walk {
  readonly problems: YamlProblem[] = [];
  private readonly anchors = new Map<string, Node>();
  private readonly positionOf: PositionOf;
  private left = MAX_VALUES;
  /** Aliases that are being written out: an anchor counts where it stands, not where it is repeated. */
  private expanding = 0;

  constructor(positionOf: PositionOf) {
    this.positionOf = positionOf;
  }

  value(node: unknown, at: Place, depth: number): Located {
    this.left -= 1;
    if (this.left < 0 || depth > MAX_DEPTH) {
      if (this.left > -MAX_VALUES) this.problem(at, 'The aliases of the file repeat too much, or refer to themselves.', 'Write out what they stand for.');
      // One sentence is enough: every further value is passed over.
      this.left = -MAX_VALUES;
      return { kind: 'scalar', at, value: null };
    }
    if (isAlias(node)) return this.alias(node, at, depth);
    if (isNode(node) && node.anchor !== undefined && this.expanding === 0) this.anchors.set(node.anchor, node);
    if (isMap(node)) return this.map(node, at, depth);
    if (isSeq(node)) return this.list(node, at, depth);
    return this.scalar(isScalar(node) ? node : undefined, at);
  }

  private alias(node: Alias, at: Place, depth: number): Located {
    const target = this.anchors.get(node.source);
    if (target === undefined) {
      this.problem(at, `The alias *${cut(node.source)} refers to nothing.`, 'Put the text in quotes if it only begins with an asterisk; otherwise write the anchor before the alias.');
      return { kind: 'scalar', at, value: null };
    }
    this.expanding += 1;
    const value = this.value(target, at, depth + 1);
    this.expanding -= 1;
    return value;
  }

  private list(node: YAMLSeq, at: Place, depth: number): Located {
    return {
      kind: 'list',
      at,
      items: node.items.flatMap((item, index) => (this.left < 0 ? [] : [this.value(item, this.place(item, below(at.path, index), at), depth + 1)])),
    };
  }

  private map(node: YAMLMap, at: Place, depth: number): Located {
    const seen = new Set<string>();
    const entries: LocatedEntry[] = [];
    for (const pair of node.items) {
      if (this.left < 0) break;
      if (!isPair(pair)) continue;
      const key = this.key(pair, at);
      if (key === undefined) continue;
      const keyAt = this.place(pair.key, below(at.path, key), at);
      if (seen.has(key)) this.problem(keyAt, `The key ${cut(key)} stands here a second time.`, 'Keep one of them.');
      seen.add(key);
      const value = pair.value === null || isEmpty(pair.value) ? this.value(pair.value, keyAt, depth + 1) : this.value(pair.value, this.place(pair.value, keyAt.path, keyAt), depth + 1);
      entries.push({ key, at: keyAt, value });
    }
    return { kind: 'map', at, entries };
  }

  private key(pair: Pair, map: Place): string | undefined {
    const at = this.place(pair.key, map.path, map);
    if (!isScalar(pair.key) || typeof pair.key.value !== 'string') {
      this.problem(at, 'A key here is not a text.', 'Write a plain word before the colon; put it in quotes if it looks like a number.');
      return undefined;
    }
    const key = pair.key.value;
    if (key === '<<') {
      this.problem(at, 'The merge key << is not used in workflows, since nobody sees what it adds.', 'Write out the keys that it stands for.');
      return undefined;
    }
    if (key === '__proto__' || unfit(key) !== undefined) {
      this.problem(at, `A key here cannot be used: ${JSON.stringify(cut(key))}.`, 'Choose another name.');
      return undefined;
    }
    return key;
  }

  private scalar(node: Scalar | undefined, at: Place): Located {
    const value: unknown = node?.value ?? null;
    if (typeof value === 'string') {
      const bad = unfit(value);
      if (bad !== undefined) this.problem(at, `${at.path === '' ? 'The text' : at.path} holds ${bad}, which no program can be given.`, 'Remove it.');
      return { kind: 'scalar', at, value };
    }
    if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) return { kind: 'scalar', at, value };
    this.problem(at, `${at.path === '' ? 'The value' : at.path} is neither text, number nor true or false.`, 'Put it in quotes, or give a plain value.');
    return { kind: 'scalar', at, value: null };
  }

  private place(node: unknown, path: string, otherwise: Place): Place {
    const offset = (node as Node | null)?.range?.[0];
    return { path, ...(offset === undefined ? { line: otherwise.line, column: otherwise.column } : this.positionOf(offset)) };
  }

  private problem(at: Place, text: string, hint: string): void {
    this.problems.push({ path: at.path, line: at.line, column: at.column, text, hint });
  }
}

/** An absent value (`key:` and nothing more) stands wherever the parser stopped looking for it; its key is the better place. */
function isEmpty(value: unknown): boolean {
  return isScalar(value) && value.value === null && (value.source ?? '') === '';
}

function unfit(text: string): string | undefined {
  if (!text.isWellFormed()) return 'half of a character';
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/.test(text) ? 'a control character' : undefined;
}
