import type { WorkflowDefinition } from '../definition.js';
import { curve, loop, rounded as n } from './curve.js';
import { edgeText, type GraphEdge } from './edges.js';
import { EDGE_FONT, LINE, NODE_FONT, place, type DrawnEdge, type DrawnNode, type Point } from './layout.js';

/**
 * A workflow as an SVG picture. Shapes and words tell nodes and outcomes apart, not colours; it brings its own background, and a dark one where that is preferred.
 * The same workflow gives the same bytes.
 */
export function toSvg(workflow: WorkflowDefinition): string {
  const { width, height, nodes, edges } = place(workflow);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">`,
    `<title id="title">${xml(`Workflow ${workflow.name}`)}</title>`,
    `<desc id="desc">${xml(edges.map(({ edge }) => sentence(edge)).join(' '))}</desc>`,
    STYLE,
    '<defs><marker id="arrow" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="head" d="M 0 1 L 10 5 L 0 9 z"/></marker></defs>',
    `<rect class="page" width="${width}" height="${height}"/>`,
    ...edges.map((edge) => edgeLine(edge, edges, nodes)),
    // Labels lie above every line, nodes above both.
    ...edges.flatMap(edgeLabel),
    ...nodes.map(drawNode),
    '</svg>',
    '',
  ].join('\n');
}

const STYLE = [
  '<style>',
  '.page{fill:#fff}.node{fill:#f6f8fa;stroke:#1f2328;stroke-width:1.5}.inner{fill:none;stroke:#1f2328;stroke-width:1.5}.dot,.head{fill:#1f2328}',
  '.edge{fill:none;stroke:#1f2328;stroke-width:1.5}.failure{stroke-dasharray:6 4}.halo{fill:#fff;opacity:.9}',
  `text{font-family:system-ui,-apple-system,"Segoe UI",sans-serif;fill:#1f2328;text-anchor:middle}.name{font-size:${NODE_FONT}px;font-weight:600}.note,.when{font-size:${EDGE_FONT}px}`,
  '@media (prefers-color-scheme:dark){.page,.halo{fill:#0d1117}.node{fill:#21262d;stroke:#e6edf3}.inner,.edge{stroke:#e6edf3}.dot,.head,text{fill:#e6edf3}}',
  '</style>',
].join('\n');

function sentence(edge: GraphEdge): string {
  const when = edge.when.length === 0 ? '' : ` when ${edge.when.join(', or when ')}`;
  return `${edge.from} leads to ${edge.to}${edge.outcome === 'begin' ? '' : ` after a ${edge.outcome}`}${when}.`;
}

function edgeLine(drawn: DrawnEdge, edges: readonly DrawnEdge[], nodes: readonly DrawnNode[]): string {
  const { edge, points, label } = drawn;
  const node = nodes.find(({ name }) => name === edge.from);
  const loops = edges.filter((other) => other.edge.from === edge.from && other.edge.to === edge.from);
  const path = edge.from === edge.to && node !== undefined ? loop(node, label?.x ?? 0, loops.indexOf(drawn)) : curve(points);
  return `<path class="edge${edge.outcome === 'failure' ? ' failure' : ''}" d="${path}" marker-end="url(#arrow)"/>`;
}

function edgeLabel({ edge, label }: DrawnEdge): readonly string[] {
  if (label === undefined) return [];
  const { x, y, width, height, lines } = label;
  return [
    `<g><title>${xml(edgeText(edge))}</title>`,
    `<rect class="halo" x="${n(x - width / 2)}" y="${n(y - height / 2)}" width="${n(width)}" height="${n(height)}"/>`,
    ...textLines(lines.map((line) => ({ line, style: 'when', font: EDGE_FONT })), { x, y }),
    '</g>',
  ];
}

function drawNode(node: DrawnNode): string {
  const { name, x, y, lines } = node;
  return [`<g><title>${xml(name)}</title>`, ...outline(node), ...textLines(lines.map((line, index) => (index === 0 ? { line, style: 'name', font: NODE_FONT } : { line, style: 'note', font: NODE_FONT })), { x, y }), '</g>'].join('\n');
}

/** `start` a round box with a dot, `end` a round box with two borders, an agent a box, a person a box with six corners. */
function outline({ kind, x, y, width, height }: DrawnNode): readonly string[] {
  const [left, top, right, bottom] = [x - width / 2, y - height / 2, x + width / 2, y + height / 2];
  const box = (style: string, inset: number, radius: number): string =>
    `<rect class="${style}" x="${n(left + inset)}" y="${n(top + inset)}" width="${n(width - 2 * inset)}" height="${n(height - 2 * inset)}" rx="${n(radius)}"/>`;
  switch (kind) {
    case 'start': return [box('node', 0, height / 2), `<circle class="dot" cx="${n(left + 13)}" cy="${n(y)}" r="4"/>`];
    case 'end': return [box('node', 0, height / 2), box('inner', 4, height / 2 - 4)];
    case 'agent': return [box('node', 0, 3)];
    case 'hitl': return [`<polygon class="node" points="${[[left + 16, top], [right - 16, top], [right, y], [right - 16, bottom], [left + 16, bottom], [left, y]].map(([px = 0, py = 0]) => `${n(px)},${n(py)}`).join(' ')}"/>`];
  }
}

/** Around a centre. The baseline of a line is a third of its size below its middle. */
function textLines(lines: readonly { readonly line: string; readonly style: string; readonly font: number }[], { x, y }: Point): readonly string[] {
  const total = lines.reduce((sum, { font }) => sum + font * LINE, 0);
  let top = y - total / 2;
  return lines.map(({ line, style, font }) => {
    const middle = top + (font * LINE) / 2;
    top += font * LINE;
    return `<text class="${style}" x="${n(x)}" y="${n(middle + font * 0.34)}">${xml(line)}</text>`;
  });
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Text for XML 1.0, which some characters cannot stand in at all. */
function xml(text: string): string {
  return text.toWellFormed().replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd').replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
