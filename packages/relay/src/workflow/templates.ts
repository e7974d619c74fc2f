import { nearest } from './yaml/nearest.js';

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
export type TemplateVariable<K extends TemplateKind = TemplateKind> = (typeof TEMPLATE_VARIABLES)[K][number];
export type TemplateValues<K extends TemplateKind> = Readonly<Record<TemplateVariable<K>, string>>;

/** What a template must hold, since nobody else would say it. */
const REQUIRED: Readonly<Partial<Record<TemplateKind, readonly TemplateVariable[]>>> = {
  summaryComment: ['summaryReport'],
  feedbackComment: ['feedbackReport'],
  mailboxDescription: ['report', 'ticket', 'node', 'nodeType', 'agent', 'nodeDescription', 'successRoutes', 'failureRoutes'],
};

/** No blanks are trimmed: `{{ ticket }}` is a name that does not exist. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

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
  const meant = known.includes(name.trim()) ? name.trim() : nearest(name.trim(), known);
  return meant === undefined ? `Use ${known.map((one) => `{{${one}}}`).join(', ')}.` : `Write {{${meant}}}, without blanks inside.`;
}

/** Puts values into a checked template, once: what a value holds is text, also when it looks like a name. A name that is not known stays as it is. */
export function renderTemplate<K extends TemplateKind>(_kind: K, template: string, values: TemplateValues<K>): string {
  const byName: ReadonlyMap<string, string> = new Map(Object.entries<string>(values));
  return template.replaceAll(PLACEHOLDER, (whole, name: string) => byName.get(name) ?? whole);
}

/** The value that may be shortened where a text is too long: the others are needed to the letter. */
const ELASTIC = { mailboxDescription: 'nodeDescription', summaryComment: 'summaryReport', feedbackComment: 'feedbackReport' } as const;

/**
 * Renders a text that must not be longer than `limit` (UTF-16 units, which are never fewer than characters). What is too much is taken from the end of the one long
 * value, so that the report contract and the routes stay whole; only a template that is itself too long is cut at its end.
 */
export function renderWithin<K extends keyof typeof ELASTIC>(kind: K, template: string, values: TemplateValues<K>, limit: number): string {
  const text = renderTemplate(kind, template, values);
  if (text.length <= limit) return text;
  const elastic: TemplateVariable<K> = ELASTIC[kind];
  const times = template.split(`{{${elastic}}}`).length - 1;
  if (times > 0) {
    const value = values[elastic];
    const room = Math.max(0, value.length - Math.ceil((text.length - limit) / times));
    const shorter = renderTemplate(kind, template, { ...values, [elastic]: cutText(value, room) });
    if (shorter.length <= limit) return shorter;
  }
  return cutText(text, limit);
}

const CUT_NOTE = '\n\n[The rest was too long and is left out.]';

/** The beginning of a text with a note that there was more: at most `limit` long, not inside a character, best at the end of a line, with a code block closed again. */
export function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const fence = '\n```';
  const room = limit - CUT_NOTE.length - fence.length;
  if (room <= 0) return whole(text.slice(0, Math.max(0, limit)));
  const head = whole(text.slice(0, room));
  const lineEnd = head.lastIndexOf('\n');
  const kept = (lineEnd > room * 0.8 ? head.slice(0, lineEnd) : head).trimEnd();
  const open = (kept.match(/^ {0,3}```/gm)?.length ?? 0) % 2 === 1;
  return `${kept}${open ? fence : ''}${CUT_NOTE}`;
}

/** Without half a character at the end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text;
}
