import { homedir } from 'node:os';
import { isAbsolute, join, normalize } from 'node:path';
import { RelayError } from '../errors/relay-error.js';

/** Where everything lies that relay-flow keeps for one user: absolute paths. Nothing is looked at before `prepareHome`. */
export interface Home {
  readonly root: string;
  readonly config: string;
  readonly credentials: string;
  /** The journal and the tables beside it. */
  readonly database: string;
  readonly socket: string;
  /** Held by the server of this home. Nobody else may open it: see `lock.ts`. */
  readonly lock: string;
  /** Who holds the lock, for people. */
  readonly holder: string;
  readonly serverLog: string;
  readonly pluginLog: string;
  /** Submitted workflows. */
  readonly workflows: string;
  /** What headless agents wrote, by attempt. */
  readonly logs: string;
  /** What plugins noted, such as reports that could not be delivered. They make it. */
  readonly reports: string;
}

/** Addresses of sockets have 104 bytes on some systems, their end included. */
const SOCKET_PATH_MAX_BYTES = 103;

const HINT = 'Set RELAY_FLOW_HOME to the absolute path of a folder of yours, or leave it away: the default is ~/.relay-flow.';

/** The home that an environment names: `RELAY_FLOW_HOME`, by default `~/.relay-flow`. Throws `home_unusable` for a path that is not absolute, or too long for a socket. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): Home {
  const { RELAY_FLOW_HOME: named, HOME: user } = env;
  const root = normalize(named === undefined || named === '' ? join(user === undefined || user === '' ? homedir() : user, '.relay-flow') : named).replace(/(?<=.)\/+$/, '');
  if (!isAbsolute(root)) throw new RelayError('home_unusable', `RELAY_FLOW_HOME is not an absolute path: ${root}`, { hint: HINT, evidence: { path: root } });
  const socket = join(root, 'server.sock');
  const bytes = Buffer.byteLength(socket);
  if (bytes > SOCKET_PATH_MAX_BYTES) {
    throw new RelayError('home_unusable', `The path of the home is too long: its socket would have an address of ${bytes} bytes, and ${SOCKET_PATH_MAX_BYTES} are possible. It is ${root}`, {
      hint: 'Set RELAY_FLOW_HOME to a shorter path.',
      evidence: { path: root, bytes, most: SOCKET_PATH_MAX_BYTES },
    });
  }
  return {
    root,
    config: join(root, 'config.yaml'),
    credentials: join(root, 'credentials.yaml'),
    database: join(root, 'state.db'),
    socket,
    lock: join(root, 'server.lock'),
    holder: join(root, 'server.pid'),
    serverLog: join(root, 'server.log'),
    pluginLog: join(root, 'plugin.log'),
    workflows: join(root, 'workflows'),
    logs: join(root, 'logs'),
    reports: join(root, 'reports'),
  };
}
