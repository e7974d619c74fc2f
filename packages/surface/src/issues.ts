/** The trackers a ticket may come from. */
export type IssueSource = 'github' | 'gitlab' | 'linear' | 'shortcut' | 'jira' | 'slack' | 'markdown';

/** A ticket, whatever its tracker. The optional members belong to some trackers only. */
export interface Issue {
  source: IssueSource;
  title: string;
  body: string;
  labels: string[];
  /** Slack: the message mentions the bot. */
  mentioned?: boolean;
  /** GitHub: `owner/name`. */
  repository?: string;
  /** Linear and Shortcut. */
  team?: string;
  /** Shortcut. */
  workspace?: string;
  /** GitLab (`group/name`), Linear and Jira. */
  project?: string;
  /** Slack, with or without a leading `#`. */
  channel?: string;
  /** Markdown: the file the task stands in. */
  path?: string;
}

/** Which tickets a flow takes: a member per tracker, `{}` for all of its tickets. A tracker that is not listed matches nothing. */
export interface SourceFilters {
  github?: { repository?: string; labels?: string[] };
  gitlab?: { project?: string; labels?: string[] };
  linear?: { team?: string; project?: string; labels?: string[] };
  shortcut?: { workspace?: string; team?: string; labels?: string[] };
  jira?: { project?: string; labels?: string[] };
  /** `contains` is looked for in the title and the body. */
  slack?: { channel?: string; contains?: string; mentioned?: boolean };
  markdown?: { path?: string };
}

type Matcher = (issue: Issue, wanted: unknown) => boolean;

const MATCHERS: { readonly [Source in IssueSource]: Readonly<Record<string, Matcher>> } = {
  github: { repository: sameText('repository'), labels: hasLabels },
  gitlab: { project: sameText('project'), labels: hasLabels },
  linear: { team: sameText('team'), project: sameText('project'), labels: hasLabels },
  shortcut: { workspace: sameText('workspace'), team: sameText('team'), labels: hasLabels },
  jira: { project: sameText('project'), labels: hasLabels },
  slack: { channel: sameChannel, contains: containsText, mentioned: (issue, wanted) => typeof wanted === 'boolean' && (issue.mentioned ?? false) === wanted },
  markdown: { path: (issue, wanted) => typeof wanted === 'string' && issue.path === wanted },
};

/**
 * Whether a value is a well-formed ticket that fits the filters. Fails closed: a tracker that is not listed, an unknown filter or malformed data on
 * either side gives `false`. Labels, ids and text compare case-insensitively after trimming; channels without a leading `#`; a Markdown path exactly;
 * every label of the filter must be present.
 */
export function matchesIssue(issue: unknown, filters: SourceFilters): issue is Issue {
  if (!isIssue(issue) || !isRecord(filters) || !Object.keys(filters).every((source) => Object.hasOwn(MATCHERS, source))) return false;
  const filter: unknown = Object.hasOwn(filters, issue.source) ? filters[issue.source] : undefined;
  if (!isRecord(filter)) return false;
  const matchers = MATCHERS[issue.source];
  return Object.entries(filter).every(
    ([key, wanted]) => Object.hasOwn(matchers, key) && (wanted === undefined || matchers[key]?.(issue, wanted) === true),
  );
}

const OPTIONAL_TEXT = ['repository', 'team', 'workspace', 'project', 'channel', 'path'] as const;

function isIssue(value: unknown): value is Issue {
  return isRecord(value)
    && typeof value['source'] === 'string' && Object.hasOwn(MATCHERS, value['source'])
    && typeof value['title'] === 'string'
    && typeof value['body'] === 'string'
    && isTextList(value['labels'])
    && (value['mentioned'] === undefined || typeof value['mentioned'] === 'boolean')
    && OPTIONAL_TEXT.every((key) => value[key] === undefined || typeof value[key] === 'string');
}

function sameText(key: 'repository' | 'team' | 'workspace' | 'project'): Matcher {
  return (issue, wanted) => isFilled(wanted) && fold(issue[key] ?? '') === fold(wanted);
}

function sameChannel(issue: Issue, wanted: unknown): boolean {
  return isFilled(wanted) && issue.channel !== undefined && channelName(issue.channel) === channelName(wanted);
}

function containsText(issue: Issue, wanted: unknown): boolean {
  return isFilled(wanted) && fold(`${issue.title}\n${issue.body}`).includes(fold(wanted));
}

function hasLabels(issue: Issue, wanted: unknown): boolean {
  if (!isTextList(wanted)) return false;
  const present = new Set(issue.labels.map(fold));
  return wanted.every((label) => fold(label) !== '' && present.has(fold(label)));
}

const channelName = (text: string): string => fold(text).replace(/^#/, '');
const fold = (text: string): string => text.trim().toLowerCase();
const isFilled = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';
const isTextList = (value: unknown): value is string[] => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
