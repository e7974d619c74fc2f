import { expect, test } from 'vitest';
import { isWorkNode, type WorkflowDefinition } from '../../src/workflow/definition.js';
import { parseWorkflow } from '../../src/workflow/parse.js';
import { fixtures } from './workflows.js';

const WORDS = ['name', 'repos', 'nodes', 'start', 'end', 'type', 'agent', 'hitl', 'onSuccess', 'onFailure', 'target', 'when', 'taskConfig', 'null', '~', '<<', '&a', '*a', '!!str', '!x', '{{ticket}}', '{{x}}', '---', '...', '? ', '- ', ': ', '#', '|', '>', '"', "'", '[', ']', '{', '}', ',', '\t', '\r\n', '\n', '  ', '\0', '\u{FEFF}', '%YAML 1.1', '1e999', '.inf', 'true', '\u{1F600}', '\uD800', '__proto__'];

/** Numbers that look random and are the same in every run (mulberry32). */
function dice(seed: number): (sides: number) => number {
  let state = seed;
  return (sides) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % sides;
  };
}

function mutate(text: string, roll: (sides: number) => number): string {
  const at = roll(text.length + 1);
  const length = roll(roll(4) === 0 ? 60 : 6);
  const word = WORDS[roll(WORDS.length)] ?? '';
  const lines = text.split('\n');
  const line = roll(lines.length);
  switch (roll(6)) {
    case 0: return text.slice(0, at) + word + text.slice(at);
    case 1: return text.slice(0, at) + text.slice(at + length);
    case 2: return text.slice(0, at) + word + text.slice(at + length);
    case 3: return [...lines.slice(0, line), ...lines.slice(line + 1)].join('\n');
    case 4: return [...lines.slice(0, line), lines[roll(lines.length)] ?? '', ...lines.slice(line)].join('\n');
    default: return [...lines.slice(0, line), ` ${lines[line] ?? ''}`, ...lines.slice(line + 1)].join('\n');
  }
}

function expectSound({ name, repos, nodes }: WorkflowDefinition): void {
  expect(name).toMatch(/^[a-z][a-zA-Z0-9]*$/);
  expect(new Set(repos).size).toBe(repos.length);
  expect(Object.keys(nodes)).toEqual(expect.arrayContaining(['start', 'end']));
  expect(nodes['start']?.onSuccess).toHaveLength(1);
  for (const node of Object.values(nodes)) {
    for (const { target } of [...node.onSuccess, ...node.onFailure]) expect(target !== 'start' && Object.hasOwn(nodes, target)).toBe(true);
    if (isWorkNode(node)) expect([node.agent.trim(), node.description.trim(), node.onSuccess.length, node.onFailure.length]).not.toContain(node.agent === '' ? '' : 0);
  }
}

test.each([...fixtures].map(([file, text], index) => [file, text, index + 1] as const))('whatever happens to %s, the answer is a sound workflow or sentences', (_file, text, seed) => {
  const roll = dice(seed);
  let refused = 0;
  for (let round = 0; round < 400; round += 1) {
    let mutant = text;
    for (let times = 1 + roll(4); times > 0; times -= 1) mutant = mutate(mutant, roll);
    const result = parseWorkflow(mutant);
    if ('workflow' in result) {
      expectSound(result.workflow);
      expect(JSON.parse(JSON.stringify(result.workflow))).toEqual(result.workflow);
      continue;
    }
    refused += 1;
    const lines = mutant.split('\n').length + 1;
    const unsound = result.problems.filter(({ text: sentence, hint, line, column, rule }) => !/^[\p{L}"][^\n]*\.$/u.test(sentence) || !/^\p{L}[^\n]*\.$/u.test(hint) || line < 1 || line > lines || column < 1 || rule < 1);
    expect([result.problems.length > 0, unsound]).toEqual([true, []]);
  }
  // Neither may be the only answer: a fuzz that always refuses tests little.
  expect(refused).toBeGreaterThan(100);
  expect(refused).toBeLessThan(400);
});

test('bytes of any kind are refused in sentences', () => {
  const roll = dice(99);
  for (let round = 0; round < 300; round += 1) {
    const bytes = Uint8Array.from({ length: roll(300) }, () => roll(256));
    expect(parseWorkflow(bytes)).toHaveProperty('problems.0.text', expect.stringMatching(/\.$/));
  }
});
