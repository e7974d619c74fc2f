import { FlowsError } from '../errors/flows-error.js';
import { createRedactor } from '../redaction/redactor.js';
import type { Environment } from './environment.js';
import { branchesOfOrigin } from './folder/remote-branches.js';
import { folderForge } from './folder/forge.js';
import { ghSignedIn, ghToken, ghTransport } from './github/gh.js';
import { gitHubForge } from './github/forge.js';
import { gitHubRefusal } from './github/refusal.js';
import { tokenFor, variablesFor } from './github/tokens.js';
import { gitLabForge } from './gitlab/forge.js';
import { gitLabRefusal } from './gitlab/refusal.js';
import { gitLabToken } from './gitlab/tokens.js';
import { gitLabTransport } from './gitlab/transport.js';
import { connect } from './http/connect.js';
import type { Transport } from './http/exchange.js';
import { systemPace, type Pace } from './http/pace.js';
import type { Forge } from './port.js';
import { chooseForge, type ForgeChoice } from './remote/choose-forge.js';
import { readRepository } from './remote/repository.js';
import type { Server } from './remote/server.js';

export interface FindForgeRequest {
  /** Absolute path of a folder in a clone. */
  readonly cwd: string;
  /** Where tokens, proxies and RELAYFLOW_FORGE_DIR are looked for. */
  readonly env: Environment;
  /** How time passes. Default: as it does. */
  readonly pace?: Pace;
}

const USER_AGENT = 'relayflows';

/**
 * The forge of the repository around a folder, by the address of its remote `origin`, with the credentials of this machine: see `docs/forges.md`.
 *
 * Asks nothing over the network, unless it has to ask `gh` whether it is signed in. Throws `forge_unknown`, and `forge_unauthenticated` when there are no credentials.
 */
export async function findForge({ cwd, env, pace = systemPace }: FindForgeRequest): Promise<Forge> {
  const choice = chooseForge({ cwd, env, ...(await readRepository({ cwd, env })) });
  if (choice.kind === 'folder') return folderForge({ directory: choice.directory, branches: branchesOfOrigin({ cwd, env }) });
  return choice.kind === 'github' ? await gitHub(choice, { cwd, env, pace }) : gitLab(choice, { env, pace });
}

async function gitHub({ server, owner, repository }: Extract<ForgeChoice, { kind: 'github' }>, { cwd, env, pace }: Required<FindForgeRequest>): Promise<Forge> {
  const name = nameOf('GitHub', 'github.com', server);
  const gh = { host: server.port === undefined ? server.host : `${server.host}:${server.port}`, cwd, env };
  const own = tokenFor(server, env);
  const fromGh = own === undefined ? await ghToken(gh) : undefined;
  const token = own?.value ?? fromGh;
  const connection = connect(env);
  const redact = redactor(env, token);
  let transport: Transport;
  if (token !== undefined) {
    const { octokitTransport } = await import('./github/octokit.js');
    transport = octokitTransport({ server, token, connection, userAgent: USER_AGENT });
  } else if (await ghSignedIn(gh)) {
    transport = ghTransport(gh);
  } else {
    const [variable = ''] = variablesFor(server, env);
    throw new FlowsError('forge_unauthenticated', `There are no credentials for ${name}.`, {
      hint: `Put a token into ${variable}, or sign in with \`gh auth login --hostname ${gh.host}\`.`,
      evidence: { host: gh.host },
    });
  }
  const facts = { name, repository: `${owner}/${repository}`, tokenFrom: own?.from ?? (fromGh === undefined ? 'gh' : 'gh auth token'), redact };
  return gitHubForge({ name, owner, repository, transport, pace, redact, refusal: (answer) => gitHubRefusal(answer, facts), unreachableHint: connection.unreachableHint });
}

function gitLab({ server, project }: Extract<ForgeChoice, { kind: 'gitlab' }>, { env, pace }: { readonly env: Environment; readonly pace: Pace }): Forge {
  const name = nameOf('GitLab', 'gitlab.com', server);
  const token = gitLabToken(server, env);
  if (token === undefined) {
    throw new FlowsError('forge_unauthenticated', `There are no credentials for ${name}.`, { hint: 'Put an access token with the scope api into GITLAB_TOKEN.', evidence: { host: server.host } });
  }
  const connection = connect(env);
  const redact = redactor(env, token.value);
  const transport = gitLabTransport({ server, token, connection, userAgent: USER_AGENT });
  return gitLabForge({ name, project, transport, pace, redact, refusal: (answer) => gitLabRefusal(answer, { name, project, token, redact }), unreachableHint: connection.unreachableHint });
}

function nameOf(kind: string, usual: string, { host }: Server): string {
  return host === usual ? kind : `${kind} at ${host}`;
}

/** Made when there is something to hide, which is seldom. */
function redactor(env: Environment, token: string | undefined): (text: string) => string {
  return (text) => createRedactor({ env: { ...env, RELAYFLOW_FORGE_TOKEN: token } }).text(text);
}
