import stringWidth from 'string-width';
import type { WorkflowDefinition } from '../definition.js';
import { Graph, layout } from './dagre.js';
import { edgesOf, edgeText, nodeNote, type GraphEdge } from './edges.js';
import { wrap } from './wrap.js';

/** Where everything stands, in pixels from the upper left corner; centres, not corners. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly DrawnNode[];
  readonly edges: readonly DrawnEdge[];
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface DrawnNode extends Point {
  readonly name: string;
  readonly kind: 'start' | 'end' | 'agent' | 'hitl';
  readonly width: number;
  readonly height: number;
  /** The first is the name. */
  readonly lines: readonly string[];
}

export interface DrawnEdge {
  readonly edge: GraphEdge;
  /** At least two. */
  readonly points: readonly Point[];
  readonly label?: Point & { readonly width: number; readonly height: number; readonly lines: readonly string[] };
}

export const NODE_FONT = 14;
export const EDGE_FONT = 12;
export const LINE = 1.35;

/** The widest letters of the fonts in use are a little narrower. */
const COLUMN = 0.62;

interface NodeBox { width: number; height: number; x?: number; y?: number }
interface EdgeBox { width: number; height: number; labelpos: 'c'; labeloffset: number; points?: Point[]; x?: number; y?: number }

/** Places a workflow from top to bottom. The same workflow always stands in the same places. */
export function place(workflow: WorkflowDefinition): Drawing {
  const graph = new Graph<NodeBox, EdgeBox>({ directed: true, multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 48, edgesep: 24, ranksep: 44, marginx: 24, marginy: 24 });
  const names = Object.keys(workflow.nodes);
  for (const name of names) graph.setNode(name, sizeOf(workflow, name));
  const edges = edgesOf(workflow);
  for (const edge of edges) graph.setEdge(edge.from, edge.to, edgeBox(edge), edge.outcome);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width: Math.ceil(width),
    height: Math.ceil(height),
    nodes: names.map((name) => {
      const box = graph.node(name);
      return { name, kind: kindOf(workflow, name), x: box.x ?? 0, y: box.y ?? 0, width: box.width, height: box.height, lines: nodeLines(workflow, name) };
    }),
    edges: edges.map((edge) => {
      const { points = [], x = 0, y = 0, width: labelWidth, height: labelHeight } = graph.edge(edge.from, edge.to, edge.outcome);
      const lines = edgeLines(edge);
      return { edge, points, ...(lines.length === 0 ? {} : { label: { x, y, width: labelWidth, height: labelHeight, lines } }) };
    }),
  };
}

function kindOf(workflow: WorkflowDefinition, name: string): DrawnNode['kind'] {
  const type = workflow.nodes[name]?.type;
  if (type === 'agent' || type === 'hitl') return type;
  return name === 'end' ? 'end' : 'start';
}

function nodeLines(workflow: WorkflowDefinition, name: string): readonly string[] {
  const note = nodeNote(workflow, name);
  return [name, ...(note === undefined ? [] : wrap(note, 36, 3))];
}

function sizeOf(workflow: WorkflowDefinition, name: string): NodeBox {
  const lines = nodeLines(workflow, name);
  const { width, height } = textSize(lines, NODE_FONT);
  return { width: Math.max(width + (kindOf(workflow, name) === 'hitl' ? 56 : 36), 76), height: height + 22 };
}

function edgeLines(edge: GraphEdge): readonly string[] {
  const text = edgeText(edge);
  return text === '' ? [] : wrap(text, 28, 6);
}

function edgeBox(edge: GraphEdge): EdgeBox {
  const lines = edgeLines(edge);
  const { width, height } = textSize(lines, EDGE_FONT);
  return { width: lines.length === 0 ? 0 : width + 10, height: lines.length === 0 ? 0 : height + 4, labelpos: 'c', labeloffset: 0 };
}

function textSize(lines: readonly string[], font: number): { readonly width: number; readonly height: number } {
  return { width: Math.ceil(Math.max(0, ...lines.map((line) => stringWidth(line))) * font * COLUMN), height: Math.ceil(lines.length * font * LINE) };
}
