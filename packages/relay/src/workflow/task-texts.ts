import { NONE } from 'relay-flow-plugin/report';
import type { TEMPLATE_VARIABLES } from './templates/check.js';
import { renderTemplate, renderWithin } from './templates/render.js';

/** A node's mailbox in Markdown: what is to be done, where it can go from there, and how to report. */
const MAILBOX_DESCRIPTION = [
  '{{nodeDescription}}',
  '',
  'This is node {{node}} ({{nodeType}}) of ticket {{ticket}}, for the agent {{agent}}. Workflow {{workflow}}, repository {{repo}}.',
  '',
  '## Next steps',
  '',
  'After a success:',
  '',
  '```text',
  '{{successRoutes}}',
  '```',
  '',
  'After a failure:',
  '',
  '```text',
  '{{failureRoutes}}',
  '```',
  '',
  '## Report',
  '',
  '```text',
  '{{report}}',
  '```',
].join('\n');

const SUMMARY_COMMENT = ['Summary of {{node}}:', '', '{{summaryReport}}'].join('\n');
const FEEDBACK_COMMENT = ['Feedback from {{sourceNode}}:', '', '{{feedbackReport}}'].join('\n');

type Variable = (typeof TEMPLATE_VARIABLES)['mailboxDescription'][number];
type OnlyWithReport = 'sourceNode' | 'targetNode' | 'summaryReport' | 'feedbackReport';

/** The value of each name; what only a report brings may be absent. */
export type TaskTextValues = Readonly<Record<Exclude<Variable, OnlyWithReport>, string> & Partial<Record<OnlyWithReport, string>>>;

export interface TextOptions {
  /** In UTF-16 units; default: none. What comes with the text, such as a marker, is for the caller to leave room for. */
  readonly limit?: number;
}

/** What stands in a mailbox. `template` is `templates.mailboxDescription`, or absent. */
export function mailboxDescription(template: string | undefined, values: TaskTextValues, { limit = Number.POSITIVE_INFINITY }: TextOptions = {}): string {
  return renderWithin(template ?? MAILBOX_DESCRIPTION, withDefaults(values), { limit, elastic: 'nodeDescription' });
}

/** The comment on a node's own mailbox after its report. */
export function summaryComment(template: string | undefined, values: TaskTextValues, { limit = Number.POSITIVE_INFINITY }: TextOptions = {}): string {
  return renderWithin(template ?? SUMMARY_COMMENT, withDefaults(values), { limit, elastic: 'summaryReport' });
}

/** The comment on the mailbox of the node that is next. */
export function feedbackComment(template: string | undefined, values: TaskTextValues, { limit = Number.POSITIVE_INFINITY }: TextOptions = {}): string {
  return renderWithin(template ?? FEEDBACK_COMMENT, withDefaults(values), { limit, elastic: 'feedbackReport' });
}

/** The extra instruction of a node. */
export function renderNudge(nudgePrompt: string, values: Readonly<Record<(typeof TEMPLATE_VARIABLES)['nudgePrompt'][number], string>>): string {
  return renderTemplate(nudgePrompt, values);
}

/** A name that means nothing at the moment still has a text: both nodes are the current one, and there is no report yet. */
function withDefaults(values: TaskTextValues): Readonly<Record<string, string>> {
  const { node } = values;
  return { sourceNode: node, targetNode: node, summaryReport: NONE, feedbackReport: NONE, ...values };
}
