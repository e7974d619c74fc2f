import * as dagre from '@dagrejs/dagre';

/** What is used of dagre. Its own declarations import without file endings, which leaves nothing of them under Node's module rules. */
export interface LayoutGraph<N, E> {
  setGraph(settings: { readonly rankdir: 'TB'; readonly nodesep: number; readonly edgesep: number; readonly ranksep: number; readonly marginx: number; readonly marginy: number }): void;
  setNode(name: string, box: N): void;
  /** Several edges between the same nodes differ in `label`. */
  setEdge(from: string, to: string, box: E, label: string): void;
  node(name: string): N;
  edge(from: string, to: string, label: string): E;
  /** With `width` and `height` after the layout. */
  graph(): { readonly width?: number; readonly height?: number };
}

interface Dagre {
  readonly Graph: new <N, E>(options: { readonly directed: boolean; readonly multigraph: boolean }) => LayoutGraph<N, E>;
  /** Writes `x`, `y` and `points` into the boxes. */
  readonly layout: <N, E>(graph: LayoutGraph<N, E>) => void;
}

export const { Graph, layout } = dagre as unknown as Dagre;
