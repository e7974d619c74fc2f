import type { WorkflowDefinition, WorkflowNode } from '../definition.js';
import { edgesOf, edgeText, nodeNote } from './edges.js';
import { wrap } from './wrap.js';

/**
 * A workflow as a Mermaid flowchart, for Markdown files. Shapes tell the nodes apart: `start` round, `end` with two circles, agents square, nodes with a person
 * six-cornered; failures are dashed and say so. The text depends on the workflow alone.
 */
export function toMermaid(workflow: WorkflowDefinition): string {
  // Names such as `end` are words of Mermaid, so nodes go by number.
  const ids = new Map(Object.keys(workflow.nodes).map((name, index) => [name, `n${index}`]));
  const id = (name: string): string => ids.get(name) ?? '';
  return [
    'flowchart TD',
    ...Object.entries(workflow.nodes).map(([name, node]) => `  ${id(name)}${shape(name, node, label([[name, 64], [nodeNote(workflow, name), 40]]))}`),
    ...edgesOf(workflow).map((edge) => {
      const text = label([[edgeText(edge), 32]]);
      return `  ${id(edge.from)} ${edge.outcome === 'failure' ? '-.->' : '-->'}${text === '""' ? '' : `|${text}|`} ${id(edge.to)}`;
    }),
    '',
  ].join('\n');
}

function shape(name: string, node: WorkflowNode, text: string): string {
  if (node.type === 'agent') return `[${text}]`;
  if (node.type === 'hitl') return `{{${text}}}`;
  return name === 'end' ? `(((${text})))` : `([${text}])`;
}

/** Quoted lines. What Mermaid, Markdown or HTML would read as more than text is written as a numbered character. */
function label(parts: readonly (readonly [text: string | undefined, columns: number])[]): string {
  const lines = parts.flatMap(([text, columns]) => (text === undefined ? [] : wrap(text, columns, 6)));
  return `"${lines.map((line) => line.replaceAll(/[^\p{L}\p{M}\p{N} .,:;!?()/'’–—_-]/gu, (character) => `#${character.codePointAt(0) ?? 32};`)).join('<br/>')}"`;
}
