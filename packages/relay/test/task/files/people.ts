import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { RepoBinding } from '../../../src/task/port.js';
import type { NewTicket, PersonsEdit, SeenTicket } from '../../../src/task/conformance.js';

/** A repository with a folder of tickets, and what a person does in it with an editor: read, write, and know nothing of how relay-flow does it. */
export interface Project {
  readonly directory: string;
  readonly repo: RepoBinding;
  readonly state: string;
  readonly path: (key: string) => string;
  readonly text: (key: string) => Promise<string>;
  /** Saves as editors do that replace the file. */
  readonly save: (key: string, text: string | Buffer) => Promise<void>;
  readonly makeTicket: (ticket: NewTicket) => Promise<string>;
  readonly look: (key: string) => Promise<SeenTicket>;
  readonly edit: (key: string, change: PersonsEdit) => Promise<void>;
  readonly comment: (key: string, text: string) => Promise<void>;
  readonly remove: () => Promise<void>;
}

export async function project(statusDefaults?: Readonly<Record<string, string>>): Promise<Project> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'relay-files-')));
  const directory = join(root, 'tickets');
  await mkdir(directory);
  await writeFile(join(directory, 'README.md'), '# Tickets\n\nOne file each.\n');
  const ownTaskConfig = { ticketsDir: 'tickets', ...(statusDefaults === undefined ? {} : { statusDefaults }) };
  const path = (key: string) => join(directory, `${key}.md`);
  const text = async (key: string) => await readFile(path(key), 'utf8');
  const save = async (key: string, content: string | Buffer) => {
    await mkdir(dirname(path(key)), { recursive: true });
    const aside = join(root, randomUUID());
    await writeFile(aside, content);
    await rename(aside, path(key));
  };
  const take = async (key: string) => {
    const [, matter = '', body = ''] = /^---\n([\s\S]*?)^---\n([\s\S]*)$/m.exec(await text(key)) ?? [];
    return { matter: parse(matter) as Record<string, unknown>, body };
  };
  let count = 0;
  return {
    directory, path, text, save,
    repo: { name: 'app', path: root, taskConfig: ownTaskConfig, ownTaskConfig },
    state: join(root, 'state'),
    async makeTicket({ title, labels, blockedBy, assignee }) {
      count += 1;
      const key = `APP-${count}`;
      const matter = { title, status: 'To Do', type: 'Task', ...(labels === undefined ? {} : { labels }), ...(assignee === undefined ? {} : { assignee }), ...(blockedBy === undefined ? {} : { blockedBy }) };
      await save(key, `---\n${stringify(matter)}---\n\n${title} is to be done.\n`);
      return key;
    },
    async look(key) {
      return await seen(key);
    },
    async edit(key, { status, labels, description }) {
      const { matter, body } = await take(key);
      const at = sectionStart(body);
      await save(key, `---\n${stringify({ ...matter, ...(status === undefined ? {} : { status }), ...(labels === undefined ? {} : { labels }) })}---\n${description === undefined ? body : `\n${description}\n\n${body.slice(at)}`}`);
    },
    async comment(key, words) {
      const before = await text(key);
      await save(key, `${before}${sectionStart(before) === before.length ? '\n## Comments\n' : ''}\n### Somebody\n\n${words}\n`);
    },
    async remove() {
      await rm(root, { recursive: true, force: true, maxRetries: 5 });
    },
  };

  async function seen(key: string): Promise<SeenTicket> {
    const { matter, body } = await take(key);
    const at = sectionStart(body);
    const mailboxes: SeenTicket[] = [];
    const names = key.includes('/') ? [] : await readdir(join(directory, key)).catch((): string[] => []);
    for (const name of names.sort()) if (!name.startsWith('.')) mailboxes.push(await seen(`${key}/${name.slice(0, -3)}`));
    return {
      key,
      title: matter['title'] as string,
      status: matter['status'] as string,
      labels: (matter['labels'] ?? []) as string[],
      assignee: (matter['assignee'] ?? '') as string,
      description: body.slice(0, at).trim(),
      comments: commentsIn(body.slice(at)),
      mailboxes,
    };
  }
}

/** The last line `## Comments` that is not in a fence of three backticks, which is all that these tests write. */
function sectionStart(body: string): number {
  let fenced = false;
  let at = 0;
  for (const line of body.split('\n')) {
    if (line.startsWith('```')) fenced = !fenced;
    if (!fenced && line === '## Comments') return at;
    at += line.length + 1;
  }
  return body.length;
}

/** Each begins with a line that says who wrote it. */
function commentsIn(section: string): readonly string[] {
  return section.split(/^(?:\*\*relay-flow\*\*, \S+|### Somebody)\n/m).slice(1).map((text) => {
    const quoted = /^\n((?:>.*\n)+)\n(<!-- \S+ -->)\s*$/.exec(text);
    return quoted === null ? text.trim() : `${(quoted[1] ?? '').trimEnd().split('\n').map((line) => line.replace(/^> ?/, '')).join('\n')}\n\n${quoted[2] ?? ''}`;
  });
}
