/** Keys that mean something elsewhere, or meant something once: they deserve a better answer than the nearest word. */
export function foreignKey(key: string, of: string): { readonly text: string; readonly hint: string } | undefined {
  if (key === 'executorPlugin' || /^temporal/i.test(key)) {
    return { text: `${JSON.stringify(key.slice(0, 60))} cannot be set, here or elsewhere: the journal of relay-flow is the only engine, and Temporal is not used.`, hint: 'Remove it.' };
  }
  if (MACHINE_KEYS.has(key)) return { text: `${key} is a setting of the machine, not of ${of}.`, hint: 'Set it in config.yaml and remove it here.' };
  if (key === 'when' && of === 'a node') return { text: 'A node has no "when": it says when a route is chosen.', hint: 'Write it below "target:" in a route of onSuccess or onFailure.' };
  return ELSEWHERE.get(key);
}

const MACHINE_KEYS: ReadonlySet<string> = new Set([
  'pollIntervalSeconds', 'completedRunRetentionDays', 'keepTerminalsAlive', 'keepSessionsAlive', 'taskPlugin', 'runnerPlugin', 'runnerConfig', 'harnessPlugin', 'harnessConfig',
]);

const ELSEWHERE: ReadonlyMap<string, { readonly text: string; readonly hint: string }> = new Map([
  ['jql', { text: "Tickets are not chosen by a query of one's own.", hint: 'Remove it, and use "filters:" in taskConfig.' }],
  ['timeout', { text: 'There is no timeout: a node waits for its report as long as that takes.', hint: 'Remove it; "relay-flow run cancel" ends a run.' }],
  ...['filters', 'assignee', 'transitionTo', 'templates'].map((key) => [key, { text: `"${key}" is a part of taskConfig.`, hint: 'Write it below "taskConfig:".' }] as const),
]);
