import type { Finding, Rule } from '../finding.js';
import { RestUpTo } from '../rest.js';
import { isTokenStart, type TextWindow } from '../text-window.js';

interface Shape {
  /** In the spelling of the service; it is compared exactly. */
  readonly prefix: string;
  /** Whether what follows the prefix, up to the end of the token or 96 characters, makes it one. */
  readonly accepts: (body: string) => boolean;
}

const BODY = /[A-Za-z0-9_-]{0,96}/y;
const BODY_END = /[^A-Za-z0-9_-]/g;

const hasRunOf = (length: number) => {
  const run = new RegExp(`^[A-Za-z0-9_-]*?[A-Za-z0-9]{${length}}`);
  return (body: string): boolean => run.test(body);
};
const startsWithRunOf = (length: number) => {
  const run = new RegExp(`^[A-Za-z0-9]{${length}}`);
  return (body: string): boolean => run.test(body);
};
const longerThan = (length: number) => (body: string): boolean => body.length >= length;

/** A run of 16 letters and digits, both of them: names in programs begin with `at_` as well. */
const mixedRun = (body: string): boolean => (body.match(/[A-Za-z0-9]{16,}/g) ?? []).some((run) => /\d/.test(run) && /[A-Za-z]/.test(run));

const SHAPES: readonly Shape[] = [
  { prefix: 'sk-ant-', accepts: longerThan(8) },
  { prefix: 'sk-', accepts: (body) => hasRunOf(16)(body) || (body.match(/[A-Za-z0-9]{12,}/g) ?? []).some((run) => /\d/.test(run)) },
  ...['ghp_', 'gho_', 'ghs_', 'ghu_', 'ghr_', 'github_pat_', 'sk_live_', 'sk_test_'].map((prefix) => ({ prefix, accepts: startsWithRunOf(10) })),
  ...['xoxa-', 'xoxb-', 'xoxp-', 'xoxs-', 'xoxe-', 'xapp-'].map((prefix) => ({ prefix, accepts: longerThan(10) })),
  ...['AKIA', 'ASIA'].map((prefix) => ({ prefix, accepts: (body: string) => /^[A-Z0-9]{16}(?![A-Za-z0-9])/.test(body) })),
  ...['at_', 'rk_', 'nt_', 'ot_', 'br_', 'arr_'].map((prefix) => ({ prefix, accepts: mixedRun })),
  { prefix: 'glpat-', accepts: longerThan(16) },
  { prefix: 'npm_', accepts: startsWithRunOf(36) },
  { prefix: 'AIza', accepts: (body) => /^[A-Za-z0-9_-]{35}(?![A-Za-z0-9])/.test(body) },
  { prefix: 'lin_api_', accepts: startsWithRunOf(20) },
  { prefix: 'ATATT3', accepts: longerThan(30) },
];

/** Tokens that give themselves away by how they begin. */
export const tokenShapes: readonly Rule[] = SHAPES.map(({ prefix, accepts }) => ({
  anchors: [prefix.toLowerCase()],
  mayBegin: (text: string, start: number): boolean => prefix.startsWith(text.slice(start)) && isTokenStart(text, start),
  inspect(window: TextWindow, at: number): Finding | undefined {
    if (!window.text.startsWith(prefix, at) || !isTokenStart(window.text, at)) return undefined;
    window.holdFrom = at;
    const bodyStart = at + prefix.length;
    const body = window.take(BODY, bodyStart);
    if (!accepts(body)) return undefined;
    return { start: at, label: 'token', certainTo: bodyStart + body.length, rest: new RestUpTo(BODY_END) };
  },
}));
