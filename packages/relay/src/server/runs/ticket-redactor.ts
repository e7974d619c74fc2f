import type { JsonValue, Redactor } from '@relayflows/sdk';

/** Members that hold names: of tickets, nodes, mailboxes and the like. Changed, a run would look for what does not exist. */
const NAMES: ReadonlySet<string> = new Set(['ticket', 'workflow', 'repo', 'logicalRunId', 'node', 'visitId', 'mailbox', 'mailboxes', 'reportId', 'nextStep']);

/**
 * The redactor of runs of tickets. What agents and errors say is freed of secrets; names stay as they are, since a run acts upon them, and they are known from tickets,
 * config.yaml and workflows anyway. No member counts as a secret for its own name: nodes are members too, and may be called `rotateToken`; and the `key` of a
 * ticket may look as random as `FixTheLoginWhenNobodyIsNamed`.
 */
export function ticketRedactor(inner: Redactor): Redactor {
  const json = <T extends JsonValue>(value: T): T => {
    if (typeof value === 'string') return inner.text(value) as T;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) {
      const items = value.map((item: JsonValue) => json(item));
      return items.every((item, index) => item === value[index]) ? value : (items as unknown as T);
    }
    const members = Object.entries(value) as [string, JsonValue][];
    // The request of an activity. It must stay what it was when a run that goes on was begun, or its replay would be refused.
    if (members.length === 1 && members[0]?.[0] === 'key') return inner.json(value);
    const kept = members.map(([name, member]) => [name, NAMES.has(name) ? member : json(member)] as const);
    return kept.every(([, member], index) => member === members[index]?.[1]) ? value : (Object.fromEntries(kept) as T);
  };
  return { text: (value) => inner.text(value), json, stream: () => inner.stream() };
}
