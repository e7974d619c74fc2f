import type { Point } from './layout.js';

/** Through the middle of each stretch, with the points between as handles. */
export function curve(points: readonly Point[]): string {
  const [first = { x: 0, y: 0 }, ...rest] = points;
  const last = rest.at(-1) ?? first;
  const bends = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1] ?? last;
    const to = index === rest.length - 2 ? last : { x: (point.x + next.x) / 2, y: (point.y + next.y) / 2 };
    return `Q ${at(point)} ${at(to)}`;
  });
  return [`M ${at(first)}`, ...(bends.length === 0 ? [`L ${at(last)}`] : bends)].join(' ');
}

/**
 * From a node to itself: out above it, down through its label at `across`, and back from below. The layout leaves room beside the node and says where the label
 * stands, but its own points cross the labels of other loops. `index` tells the loops of one node apart: the outer ones go around the inner ones.
 */
export function loop({ x, y, width, height }: Point & { readonly width: number; readonly height: number }, across: number, index: number): string {
  const inset = x + width / 2 - 26 + index * -14;
  const rise = 11 + index * 7;
  const [top, bottom, corner] = [y - height / 2, y + height / 2, 8];
  return [
    `M ${at({ x: inset, y: top })}`,
    `L ${at({ x: inset, y: top - rise + corner })}`,
    `Q ${at({ x: inset, y: top - rise })} ${at({ x: inset + corner, y: top - rise })}`,
    `L ${at({ x: across - corner, y: top - rise })}`,
    `Q ${at({ x: across, y: top - rise })} ${at({ x: across, y: top - rise + corner })}`,
    `L ${at({ x: across, y: bottom + rise - corner })}`,
    `Q ${at({ x: across, y: bottom + rise })} ${at({ x: across - corner, y: bottom + rise })}`,
    `L ${at({ x: inset + corner, y: bottom + rise })}`,
    `Q ${at({ x: inset, y: bottom + rise })} ${at({ x: inset, y: bottom + rise - corner })}`,
    `L ${at({ x: inset, y: bottom })}`,
  ].join(' ');
}

const at = ({ x, y }: Point): string => `${rounded(x)} ${rounded(y)}`;

/** A tenth of a pixel is fine enough, and the same on every machine. */
export function rounded(value: number): string {
  return String(Math.round(value * 10) / 10 + 0);
}
