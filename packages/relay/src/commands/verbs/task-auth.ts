import { readConfig } from '../../host/config.js';
import { setDefaultAssignee } from '../../host/config-edit.js';
import { jiraCredentials, siteOf, writeCredentials, type JiraCredentials } from '../../host/credentials.js';
import { prepareHome } from '../../host/prepare-home.js';
import { asking } from '../ask.js';
import { UsageError, type CommandContext, type Shown } from '../command.js';
import { isRelayError } from '../../errors/relay-error.js';
import { problemOfError } from '../sentence.js';
import { oneLine } from '../text/clean.js';

const LARGEST = 16 * 1024;

export async function execute(context: CommandContext): Promise<Shown> {
  const { invocation: { values } } = context;
  const home = context.home();
  const { taskPlugin } = readConfig(home);
  if (taskPlugin !== 'jira') {
    if (values['site'] !== undefined) throw new UsageError(`\`--site\`, \`--email\` and \`--token\` are for Jira, and this home has ${taskPlugin}.`, 'Leave them away.');
    return { data: { taskPlugin, needed: false }, lines: [`Tickets are in ${taskPlugin}, which needs no credentials.`] };
  }
  const { site, email, token } = values;
  const given = site !== undefined && email !== undefined && token !== undefined ? { site, email, token } : await asked(context);
  const credentials = jiraCredentials(given);
  const untried = await tried(credentials);
  prepareHome(home);
  writeCredentials(home, { jira: credentials });
  const assigned = setDefaultAssignee(home, credentials.email);
  return {
    data: { taskPlugin, needed: true, site: credentials.site, email: credentials.email, credentials: home.credentials, tried: untried === undefined, assigneeSet: assigned },
    lines: [`The credentials for ${credentials.site} are kept in ${home.credentials}.`],
    notes: [
      ...(untried === undefined ? [] : [`They could not be tried: ${oneLine(untried)} They will be when the server starts.`]),
      ...(assigned ? [`Mailboxes are assigned to ${credentials.email}: taskConfig.assignee in config.yaml.`] : []),
    ],
  };
}

/** Throws what the site says against them. Answers with why it could not be asked; `undefined` when it knows them. */
async function tried(credentials: JiraCredentials): Promise<string | undefined> {
  const { createJiraTaskSystem } = await import('../../task/jira/index.js');
  const jira = createJiraTaskSystem({ credentials });
  try {
    await jira.probe({ repos: [], signal: AbortSignal.timeout(10_000) });
    return undefined;
  } catch (error) {
    if (isRelayError(error) && error.kind === 'transient') return error.text;
    throw error;
  } finally {
    await jira.close();
  }
}

interface Given {
  readonly site: string;
  readonly email: string;
  readonly token: string;
}

async function asked({ io, asJson }: CommandContext): Promise<Given> {
  if (io.canAsk && !asJson) {
    const ask = await asking('Credentials for Jira Cloud');
    return {
      site: await ask.text('Which site?', { problem: (text) => problemOfError(() => siteOf(text)) }),
      email: await ask.text('The address of your account?'),
      token: await ask.secret('An API token? (https://id.atlassian.com/manage-profile/security/api-tokens)'),
    };
  }
  const lines = ((await io.input(LARGEST)) ?? '').split(/\r?\n/).map((line) => line.trim());
  while (lines.at(-1) === '') lines.pop();
  const [site, email, token] = lines;
  if (site === undefined || email === undefined || token === undefined || lines.length > 3) {
    throw new UsageError(`Standard input must have three lines and has ${lines.length}: the site, the email, the token.`, 'Or give --site, --email and --token, or call it on a terminal to be asked.');
  }
  return { site, email, token };
}
