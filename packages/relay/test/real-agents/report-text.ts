/** What a model says at the end of a turn: a valid report, for `end` with nothing to hand over. */
export function reported(args: { readonly next: string; readonly status?: 'success' | 'failure'; readonly completed?: string; readonly actions?: string; readonly preamble?: string }): string {
  const { next, status = 'success', completed = 'The work.', actions = 'Look at it.', preamble } = args;
  const [reason, then] = next === 'end' ? ['None', 'None'] : [`It is the turn of ${next}.`, actions];
  return [
    ...(preamble === undefined ? [] : [preamble, '']),
    `STATUS: ${status}`, `NEXT STEP: ${next}`, 'SUMMARY:', `COMPLETED: ${completed}`, 'COMMITS: None', 'NOT COMPLETED: None',
    `ISSUES DISCOVERED: ${status === 'failure' ? 'The name is wrong.' : 'None'}`, 'VERIFICATION: None', 'NOTES: None',
    'FEEDBACK:', `REASON FOR NEXT STEP: ${reason}`, `REQUIRED ACTIONS: ${then}`, 'RELEVANT CONTEXT: None', 'EXPECTED RESULT: None',
  ].join('\n');
}
