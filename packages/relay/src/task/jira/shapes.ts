import { z } from 'zod';

/** What is read of Jira's answers. Everything else in them is passed over. */

const person = z.object({ accountId: z.string().min(1), emailAddress: z.string().optional(), displayName: z.string().optional(), active: z.boolean().optional() });
export type JiraPerson = z.infer<typeof person>;

export const readMyself = (body: unknown): JiraPerson => person.parse(body);
export const readPeople = (body: unknown): readonly JiraPerson[] => z.array(person).parse(body);

const category = z.object({ key: z.string() });
const status = z.object({ name: z.string().min(1), statusCategory: category.optional() });

const links = z.array(z.object({
  type: z.object({ name: z.string() }),
  inwardIssue: z.object({ key: z.string(), fields: z.object({ status: status.optional() }).optional() }).optional(),
}));

const issue = z.object({
  id: z.string().min(1),
  key: z.string().min(1),
  fields: z.object({
    summary: z.string(),
    status,
    issuetype: z.object({ name: z.string(), subtask: z.boolean().optional(), id: z.string().optional() }),
    labels: z.array(z.string()).nullish(),
    assignee: person.nullish(),
    issuelinks: links.nullish(),
    description: z.unknown().optional(),
    subtasks: z.array(z.object({ key: z.string(), fields: z.object({ summary: z.string() }) })).nullish(),
  }),
});
export type JiraIssue = z.infer<typeof issue>;

export const readIssue = (body: unknown): JiraIssue => issue.parse(body);

const page = z.object({ issues: z.array(issue), nextPageToken: z.string().nullish(), isLast: z.boolean().optional() });
export type SearchPage = z.infer<typeof page>;

export const readSearchPage = (body: unknown): SearchPage => page.parse(body);

const issueTypes = z.array(z.object({
  id: z.string().min(1), name: z.string(), subtask: z.boolean(),
  statuses: z.array(z.object({ name: z.string().min(1), statusCategory: category.optional() })),
}));
export type JiraIssueType = z.infer<typeof issueTypes>[number];

export const readIssueTypes = (body: unknown): readonly JiraIssueType[] => issueTypes.parse(body);

const created = z.object({ issues: z.array(z.object({ key: z.string().min(1) })), errors: z.array(z.unknown()).optional() });

export const readCreated = (body: unknown): z.infer<typeof created> => created.parse(body);

const transitions = z.object({
  transitions: z.array(z.object({
    id: z.string().min(1),
    to: z.object({ name: z.string() }),
    fields: z.record(z.string(), z.object({ required: z.boolean().optional(), hasDefaultValue: z.boolean().optional() })).optional(),
  })),
});
export type JiraTransition = z.infer<typeof transitions>['transitions'][number];

export const readTransitions = (body: unknown): readonly JiraTransition[] => transitions.parse(body).transitions;

const comments = z.object({ comments: z.array(z.object({ id: z.string(), body: z.unknown() })), total: z.int().nonnegative() });

export const readComments = (body: unknown): z.infer<typeof comments> => comments.parse(body);

const projects = z.object({ values: z.array(z.object({ key: z.string().min(1), name: z.string() })), isLast: z.boolean().optional() });

export const readProjects = (body: unknown): z.infer<typeof projects> => projects.parse(body);
