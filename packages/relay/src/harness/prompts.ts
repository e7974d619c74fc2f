import { renderTemplate } from '../workflow/templates/render.js';
import type { PromptTemplates } from './port.js';

/** What prompts can say. */
export interface PromptVariables {
  /** What stands behind "is kept in": `Jira`, `a folder of Markdown files`. */
  readonly taskSystem: string;
  readonly ticket: string;
  readonly workflow: string;
  readonly repo: string;
  readonly node: string;
  readonly nodeType: 'agent' | 'hitl';
  readonly agent: string;
  /** With its own variables put in. */
  readonly nodeDescription: string;
  /** `nextStepsText` */
  readonly nextSteps: string;
  /** The key of the node's mailbox. */
  readonly mailbox: string;
}

/** The variables of `initial`, `feedback` and `hitl`. */
export const PROMPT_NAMES: readonly (keyof PromptVariables)[] = ['taskSystem', 'ticket', 'workflow', 'repo', 'node', 'nodeType', 'agent', 'nodeDescription', 'nextSteps', 'mailbox'];

/** The variables of a node's `nudgePrompt`. */
export const NUDGE_NAMES: readonly (keyof PromptVariables)[] = ['taskSystem', 'ticket', 'workflow', 'repo', 'node', 'mailbox', 'nextSteps'];

const INITIAL = [
  'You work on the ticket {{ticket}} in the repository {{repo}}. This is the step {{node}} of the workflow {{workflow}}. The ticket is kept in {{taskSystem}}.',
  'The mailbox {{mailbox}}, a child of the ticket, belongs to this step: its description and its comments hold your instructions. Read them first, if you have access to them.',
  'What is to be done in this step: {{nodeDescription}}',
  'At the end you give a report. Keep its summary short, and say in its feedback exactly what the next step has to do. The next steps: {{nextSteps}}.',
].join('\n\n');

const FEEDBACK = [
  'Feedback was added to the mailbox {{mailbox}} of ticket {{ticket}}: another step of the workflow {{workflow}} has sent the ticket back to {{node}}.',
  'Read it, do what it asks for, and give a new report at the end. What is to be done in this step is unchanged: {{nodeDescription}}',
].join('\n\n');

/** For a session that was at work when its server or terminal ended. Nothing has changed for its agent, so no template of config.yaml speaks of it. */
const RESUMED = 'Your work on ticket {{ticket}} at the step {{node}} was interrupted. Look at how far you came, go on from there, and give the report at the end as you were told.';

/** For harnesses whose plugin asks a person in a dialog of the terminal. */
const HITL_DIALOG = 'A person decides about this step. Give the complete report directly, without asking for approval first: when you have given it, the person is asked in a dialog. Never use a question tool to have it approved.';

/** For harnesses without a terminal, whose reports wait for `relay-flow run approve`. */
const HITL_HEADLESS = 'A person decides about this step. Give the complete report directly, without asking for approval first: the person reads it afterwards, and approves or rejects it.';

export const HEADLESS_TEMPLATES: PromptTemplates = { initial: INITIAL, feedback: FEEDBACK, hitl: HITL_HEADLESS };
export const DIALOG_TEMPLATES: PromptTemplates = { initial: INITIAL, feedback: FEEDBACK, hitl: HITL_DIALOG };

export interface PromptRequest {
  /** `initial` for a fresh session, `feedback` for another visit of a session that goes on, `resumed` for the same visit of one that was interrupted. */
  readonly kind: 'initial' | 'feedback' | 'resumed';
  readonly templates: PromptTemplates;
  readonly variables: PromptVariables;
  /** The node's own words, as its workflow has them. Absent where the mailbox says them already, and for a replacement in the same visit. */
  readonly nudge?: string | undefined;
  /** What the step before reported for this one. */
  readonly previousFeedback?: string | undefined;
  /** What the ticket says, for agents that cannot open the task system. */
  readonly ticketText?: string | undefined;
  /** What a person or the server has to add, such as why a report was rejected. */
  readonly remark?: string | undefined;
  /** The contract of the report. Needed by agents that have no plugin to correct them: always for headless harnesses. */
  readonly contract?: string | undefined;
}

/**
 * The prompt of a turn: template, what the ticket says, what the step before said, the part for people, the nudge, a remark and the contract of the
 * report, joined by blank lines. It begins with a letter or digit, because programs take other beginnings for switches, files and commands. Pure.
 */
export function renderPrompt(request: PromptRequest): string {
  const { kind, templates, variables, nudge, previousFeedback, ticketText, remark, contract } = request;
  const values = { ...variables };
  const parts = [
    renderTemplate(kind === 'resumed' ? RESUMED : templates[kind], values),
    labelled('What the ticket says:\n\n', ticketText),
    labelled('Previous step feedback: ', previousFeedback),
    variables.nodeType === 'hitl' ? renderTemplate(templates.hitl, values) : '',
    nudge === undefined ? '' : renderNudge(nudge, variables),
    remark ?? '',
    contract ?? '',
  ];
  return beginningWithWord(parts.map((part) => part.trim()).filter((part) => part !== '').join('\n\n'));
}

/** A node's `nudgePrompt` with its variables. Pure. */
export function renderNudge(nudge: string, variables: PromptVariables): string {
  return renderTemplate(nudge, Object.fromEntries(NUDGE_NAMES.map((name) => [name, variables[name]])));
}

function labelled(label: string, text: string | undefined): string {
  return text === undefined || text.trim() === '' ? '' : `${label}${text.trim()}`;
}

/** Programs take other beginnings for switches, files and commands. Pure. */
export function beginningWithWord(prompt: string): string {
  return /^[\p{L}\p{N}]/u.test(prompt) ? prompt : `Task:\n\n${prompt}`;
}
