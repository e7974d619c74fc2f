import { nearest } from '../../host/nearest.js';
import { PLACEHOLDER } from './placeholder.js';

const PROMPT = ['taskSystem', 'ticket', 'workflow', 'repo', 'node', 'nodeType', 'agent', 'nodeDescription', 'nextSteps', 'mailbox'] as const;
const COMMENT = [
  'runID', 'ticket', 'workflow', 'repo', 'node', 'nodeType', 'agent', 'nodeDescription', 'nextSteps', 'successRoutes', 'failureRoutes', 'mailbox', 'sourceNode', 'targetNode',
  'summaryReport', 'feedbackReport', 'report',
] as const;

/** Which names each template knows. */
export const TEMPLATE_VARIABLES = {
  mailboxDescription: COMMENT,
  summaryComment: COMMENT,
  feedbackComment: COMMENT,
  initial: PROMPT,
  feedback: PROMPT,
  hitl: PROMPT,
  nudgePrompt: ['taskSystem', 'ticket', 'workflow', 'repo', 'node', 'mailbox', 'nextSteps'],
  nodeDescription: ['ticket'],
} as const satisfies Record<string, readonly string[]>;

export type TemplateKind = keyof typeof TEMPLATE_VARIABLES;

/** What a template must hold, since nobody else would say it. */
const REQUIRED: Readonly<Partial<Record<TemplateKind, readonly string[]>>> = {
  summaryComment: ['summaryReport'],
  feedbackComment: ['feedbackReport'],
  mailboxDescription: ['report', 'ticket', 'node', 'nodeType', 'agent', 'nodeDescription', 'successRoutes', 'failureRoutes'],
};

/** What is wrong with a template when it is configured, each as two sentences; empty for one that can be rendered. */
export function checkTemplate(kind: TemplateKind, template: string): readonly { readonly text: string; readonly hint: string }[] {
  const known: readonly string[] = TEMPLATE_VARIABLES[kind];
  const used = new Set(Array.from(template.matchAll(PLACEHOLDER), ([, name]) => name ?? ''));
  const unknown = [...used].filter((name) => !known.includes(name)).map((name) => ({
    text: `The template uses {{${name.length > 40 ? `${name.slice(0, 37).toWellFormed()}...` : name}}}, which does not exist here.`,
    hint: unknownHint(name, known),
  }));
  const missing = (REQUIRED[kind] ?? []).filter((name) => !used.has(name));
  return missing.length === 0 ? unknown : [...unknown, { text: `The template does not hold ${missing.map((name) => `{{${name}}}`).join(', ')}.`, hint: 'Add it, or leave the template out to use the one that comes with relay-flow.' }];
}

function unknownHint(name: string, known: readonly string[]): string {
  const meant = known.includes(name.trim()) ? name.trim() : nearest(name.trim().slice(0, 60), known);
  return meant === undefined ? `Use ${known.map((one) => `{{${one}}}`).join(', ')}.` : `Write {{${meant}}}, without blanks inside.`;
}
