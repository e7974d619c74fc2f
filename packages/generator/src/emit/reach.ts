import { Node, SyntaxKind } from 'ts-morph';
import type { Piece, Template } from './template.js';

export interface Reached {
  /** In the order in which the entry leads to them, the entry itself left out. */
  readonly pieces: readonly Piece[];
  /** The imported names that are used. */
  readonly imported: ReadonlySet<string>;
}

/** What the flow of a template leads to: the pieces whose names are read, from the entry on, depth first. */
export function reach({ entry, pieces, imports }: Template): Reached {
  const found = new Map<string, Piece>();
  const imported = new Set<string>();
  const visit = (piece: Piece): void => {
    for (const name of namesRead(piece)) {
      if (imports.has(name)) imported.add(name);
      const next = pieces.get(name);
      if (next === undefined || found.has(name)) continue;
      found.set(name, next);
      visit(next);
    }
  };
  visit(entry);
  return { pieces: [...found.values()], imported };
}

/** The identifiers of a piece that can refer to another one, in order: not the names of members. */
function namesRead({ statement }: Piece): string[] {
  return statement.getDescendantsOfKind(SyntaxKind.Identifier).filter((identifier) => {
    const parent = identifier.getParent();
    if (Node.isPropertyAccessExpression(parent)) return parent.getExpression() === identifier;
    if (Node.isPropertyAssignment(parent) || Node.isPropertySignature(parent)) return parent.getNameNode() !== identifier;
    return !(Node.isBindingElement(parent) || Node.isParameterDeclaration(parent)) || parent.getInitializer() === identifier;
  }).map((identifier) => identifier.getText());
}
