import type { Routes } from 'relay-flow-plugin/report';

export const ROUTES: Routes = { success: [{ target: 'review', when: 'it is complete' }, { target: 'end' }], failure: [{ target: 'fix', when: 'it is broken' }] };

/** A valid report at a node with these routes. */
export function reportText(nextStep = 'review', status = 'success'): string {
  const feedback = nextStep === 'end' ? 'None' : 'Look at it.';
  return [
    `STATUS: ${status}`, `NEXT STEP: ${nextStep}`, 'SUMMARY:', 'COMPLETED: The work.', 'COMMITS: None', 'NOT COMPLETED: None', 'ISSUES DISCOVERED: None', 'VERIFICATION: None', 'NOTES: None',
    'FEEDBACK:', `REASON FOR NEXT STEP: ${feedback}`, `REQUIRED ACTIONS: ${feedback}`, `RELEVANT CONTEXT: ${feedback}`, `EXPECTED RESULT: ${feedback}`,
  ].join('\n');
}
