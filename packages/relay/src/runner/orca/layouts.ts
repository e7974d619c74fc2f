/** A tab of a terminal, with the handles of the panes it is split into, the first of which it began with. */
export interface Tab {
  readonly title: string;
  readonly panes: readonly string[];
}

/**
 * The tabs in what `terminal list --include-visual-layouts` answers; `undefined` when it has no layouts. Groups of tabs can be nested, and a tab has one pane or a tree of them.
 * Titles are those of tabs: programs give their panes titles of their own.
 */
export function tabsOf(result: unknown): readonly Tab[] | undefined {
  const layouts = isRecord(result) ? result['visualLayouts'] : undefined;
  if (!Array.isArray(layouts)) return undefined;
  return layouts.flatMap((layout) => (isRecord(layout) ? tabsIn(layout['root']) : []));
}

function tabsIn(node: unknown): readonly Tab[] {
  if (Array.isArray(node)) return node.flatMap((each) => tabsIn(each));
  if (!isRecord(node)) return [];
  return Object.entries(node).flatMap(([name, value]) => (name === 'tabs' && Array.isArray(value) ? value.flatMap((tab) => toTab(tab)) : tabsIn(value)));
}

function toTab(tab: unknown): readonly Tab[] {
  return isRecord(tab) && typeof tab['title'] === 'string' ? [{ title: tab['title'], panes: panesIn(tab['panes']) }] : [];
}

function panesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap((each) => panesIn(each));
  if (!isRecord(node)) return [];
  if (typeof node['handle'] === 'string') return [node['handle']];
  return Object.values(node).flatMap((value) => panesIn(value));
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
