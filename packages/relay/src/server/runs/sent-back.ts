/**
 * What an agent hears of a report of its own that a person did not accept. `isKnown`: it goes on with the session in which it wrote the report; any other has never
 * seen it. Empty reasons are none.
 */
export function sentBack({ reason = '', report, isKnown }: { readonly reason?: string | undefined; readonly report: string; readonly isKnown: boolean }): string {
  const said = reason.trim() === '' ? 'A person has read your report and did not accept it. No reason was given.' : `A person has read your report and did not accept it. They say: ${reason.trim()}`;
  return isKnown ? said : [said, '', 'This was the report:', '', ...report.trim().split('\n').map((line) => `> ${line}`.trimEnd())].join('\n');
}
