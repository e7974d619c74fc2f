import { describe, expect, test } from 'vitest';
import type { WorkflowDefinition } from '../../../src/workflow/definition.js';
import { edgesOf } from '../../../src/workflow/graph/edges.js';
import { place, type DrawnNode } from '../../../src/workflow/graph/layout.js';
import { toMermaid } from '../../../src/workflow/graph/mermaid.js';
import { toSvg } from '../../../src/workflow/graph/svg.js';
import { wrap } from '../../../src/workflow/graph/wrap.js';
import { fixture, fixtures, parsed } from '../workflows.js';

const HOSTILE = `"]); <script>alert(1)</script> & ' \` #35; %% end\nsubgraph x |pipe| {{ticket}} \\ --> ]]> \u0007 ${'w'.repeat(100)} 漢字漢字漢字漢字漢字漢字漢字漢字 \u{1F469}\u200D\u{1F4BB}`;

function hostile(): WorkflowDefinition {
  const route = (target: string, when: string) => ({ target, when });
  const work = { type: 'hitl', agent: HOSTILE, description: HOSTILE, autoReject: false } as const;
  return {
    name: 'hostile', repos: ['shop'], cleanupRunnerOnEnd: false,
    nodes: {
      start: { type: 'lifecycle', onSuccess: [route('graph', HOSTILE)], onFailure: [] },
      graph: { ...work, onSuccess: [route('subgraph', HOSTILE), route('end', 'x')], onFailure: [route('graph', HOSTILE), route('end', HOSTILE)] },
      subgraph: { ...work, type: 'agent', onSuccess: [route('end', HOSTILE)], onFailure: [route('subgraph', '')] },
      end: { type: 'lifecycle', onSuccess: [], onFailure: [] },
    },
  };
}

const workflows: readonly (readonly [string, WorkflowDefinition])[] = [...[...fixtures].map(([file, text]) => [file, parsed(text)] as const), ['hostile', hostile()]];

/** Reads XML as strictly as what is written here needs: every element closed, every text and value escaped. Answers with the texts of the `<text>` elements. */
function readXml(svg: string): readonly string[] {
  const open: string[] = [];
  const texts: string[] = [];
  let rest = svg;
  while (rest.trim() !== '') {
    const tag = /^<(\/?)([a-z]+)((?: [a-zA-Z:-]+="[^"<>]*")*)(\/?)>/.exec(rest);
    if (tag === null) {
      const text = /^[^<]+/.exec(rest)?.[0] ?? '';
      expect(text).not.toBe('');
      expect(text).not.toMatch(/&(?!amp;|lt;|gt;|quot;|#39;)/);
      if (open.at(-1) === 'text') texts.push(text);
      rest = rest.slice(text.length);
      continue;
    }
    const [whole, closing, name = '', , alone] = tag;
    if (closing === '/') expect(open.pop()).toBe(name);
    else if (alone !== '/') open.push(name);
    rest = rest.slice(whole.length);
  }
  expect(open).toEqual([]);
  return texts;
}

describe('edges', () => {
  test('a failure that leads to end is not drawn, and routes to one node are one edge', () => {
    expect(edgesOf(hostile()).map(({ from, to, outcome, when }) => [from, to, outcome, when.length])).toEqual([
      ['start', 'graph', 'begin', 1], ['graph', 'subgraph', 'success', 1], ['graph', 'end', 'success', 1], ['graph', 'graph', 'failure', 1], ['subgraph', 'end', 'success', 1], ['subgraph', 'subgraph', 'failure', 0],
    ]);
    const node = { type: 'agent', agent: 'a', description: 'd', autoReject: false, onFailure: [], onSuccess: [{ target: 'b', when: 'x' }, { target: 'b', when: 'y' }, { target: 'b' }] } as const;
    expect(edgesOf({ name: 'a', repos: [], cleanupRunnerOnEnd: false, nodes: { a: node } })).toEqual([{ from: 'a', to: 'b', outcome: 'success', when: ['x', 'y'] }]);
  });
});

describe('Mermaid', () => {
  test('of a review loop', () => {
    expect(toMermaid(parsed(fixture('review-loop.yaml')))).toMatchInlineSnapshot(`
      "flowchart TD
        n0(["start"])
        n1["build<br/>builder"]
        n2{{"clarify<br/>analyst, then a person"}}
        n3["review<br/>reviewer"]
        n4{{"approve<br/>reviewer, then a person"}}
        n5((("end")))
        n0 --> n1
        n1 -->|"success: the tests pass"| n3
        n1 -.->|"failure: another try is likely<br/>to help"| n1
        n1 -.->|"failure: the ticket cannot be<br/>understood"| n2
        n2 -->|"success"| n1
        n2 -.->|"failure"| n2
        n3 -->|"success"| n4
        n3 -.->|"failure: something must be<br/>changed"| n1
        n4 -->|"success"| n5
        n4 -.->|"failure"| n1
        n4 -.->|"failure"| n3
      "
    `);
  });

  test.each(workflows)('of %s: a line per node and edge, in which nothing but our own words has a meaning', (_name, workflow) => {
    const [first, ...lines] = toMermaid(workflow).trimEnd().split('\n');
    expect(first).toBe('flowchart TD');
    expect(lines).toHaveLength(Object.keys(workflow.nodes).length + edgesOf(workflow).length);
    const label = /"(?:[\p{L}\p{M}\p{N} .,:;!?()/'’–—_-]|#\d+;|<br\/>|…)*"/u.source;
    const line = new RegExp(`^  n\\d+(?:\\(\\[${label}\\]\\)|\\[${label}\\]|\\{\\{${label}\\}\\}|\\(\\(\\(${label}\\)\\)\\)| (?:-->|-\\.->)(?:\\|${label}\\|)? n\\d+)$`, 'u');
    for (const one of lines) expect(one).toMatch(line);
    expect(toMermaid(workflow)).toBe(toMermaid(structuredClone(workflow)));
  });
});

describe('SVG', () => {
  test('of a review loop', async () => {
    await expect(toSvg(parsed(fixture('review-loop.yaml')))).toMatchFileSnapshot('review-loop.svg');
  });

  test.each(workflows)('of %s: well-formed, the same bytes each time, with every name and outcome in words', (_name, workflow) => {
    const svg = toSvg(workflow);
    const texts = readXml(svg);
    expect(toSvg(structuredClone(workflow))).toBe(svg);
    for (const name of Object.keys(workflow.nodes)) expect(texts).toContain(name);
    for (const outcome of ['success', 'failure']) expect(texts.filter((text) => text.startsWith(outcome))).toHaveLength(edgesOf(workflow).filter((edge) => edge.outcome === outcome).length);
    expect(svg).not.toMatch(/[\u0000-\u0009\u000b-\u001f]|<script|NaN|undefined|Infinity/);
    expect(svg.match(/class="edge failure"/g)?.length ?? 0).toBe(edgesOf(workflow).filter(({ outcome }) => outcome === 'failure').length);
  });

  test.each(workflows)('of %s: nodes do not overlap, and everything lies on the page', (_name, workflow) => {
    const { width, height, nodes, edges } = place(workflow);
    const apart = (a: DrawnNode, b: DrawnNode): boolean => Math.abs(a.x - b.x) >= (a.width + b.width) / 2 || Math.abs(a.y - b.y) >= (a.height + b.height) / 2;
    for (const [index, node] of nodes.entries()) for (const other of nodes.slice(index + 1)) expect([node.name, other.name, apart(node, other)]).toEqual([node.name, other.name, true]);
    for (const box of [...nodes, ...edges.flatMap(({ label }) => label ?? [])]) {
      expect(box.x - box.width / 2).toBeGreaterThanOrEqual(0);
      expect(box.x + box.width / 2).toBeLessThanOrEqual(width);
      expect(box.y - box.height / 2).toBeGreaterThanOrEqual(0);
      expect(box.y + box.height / 2).toBeLessThanOrEqual(height);
    }
    for (const { points } of edges) expect(points.length).toBeGreaterThanOrEqual(2);
  });

  test('shapes tell the kinds of nodes apart without colour', () => {
    const svg = toSvg(parsed(fixture('review-loop.yaml')));
    const shapes = (name: string): readonly string[] => Array.from(new RegExp(`<g><title>${name}</title>\n([^]*?)\n</g>`).exec(svg)?.[1]?.matchAll(/<(rect|polygon|circle) class="([a-z]+)"/g) ?? [], ([, shape, style]) => `${shape} ${style}`);
    expect([shapes('start'), shapes('build'), shapes('approve'), shapes('end')]).toEqual([['rect node', 'circle dot'], ['rect node'], ['polygon node'], ['rect node', 'rect inner']]);
  });
});

describe('wrapped text', () => {
  test.each([
    ['a bb ccc', 4, 9, ['a bb', 'ccc']],
    ['abcdefgh', 3, 9, ['abc', 'def', 'gh']],
    ['漢字漢字', 4, 9, ['漢字', '漢字']],
    ['\u{1F469}\u200D\u{1F4BB}\u{1F469}\u200D\u{1F4BB}', 2, 9, ['\u{1F469}\u200D\u{1F4BB}', '\u{1F469}\u200D\u{1F4BB}']],
    ['a b c d', 1, 2, ['a', 'b…']],
    ['', 5, 2, ['']],
    ['漢', 1, 2, ['漢']],
  ])('%j in %i columns and %i lines', (text, columns, most, lines) => {
    expect(wrap(text, columns, most)).toEqual(lines);
  });
});
