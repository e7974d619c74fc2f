import { firstVariable, type Environment } from '../environment.js';
import { serverNamed, type Server } from '../remote/server.js';

export interface GitLabToken {
  readonly value: string;
  /** The variable that holds it. */
  readonly from: string;
  /** The token of a CI job goes in a header of its own. */
  readonly kind: 'access' | 'job';
}

/** The token for a server. That of a CI job belongs to the server that runs the job, and is sent to no other. */
export function gitLabToken(server: Server, env: Environment): GitLabToken | undefined {
  const access = firstVariable(env, ['GITLAB_TOKEN']);
  if (access !== undefined) return { value: access.value, from: access.name, kind: 'access' };
  const remote = { kind: 'hosted', path: '', ...server } as const;
  const own = serverNamed(env['CI_SERVER_URL'] ?? env['CI_SERVER_HOST'], remote) !== undefined;
  const job = own ? firstVariable(env, ['CI_JOB_TOKEN']) : undefined;
  return job === undefined ? undefined : { value: job.value, from: job.name, kind: 'job' };
}
