import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { claudeHome } from './claude.js';
import { codexHome } from './codex.js';
import { geminiHome } from './gemini.js';
import { opencodeHome } from './opencode.js';
import { piHome } from './pi.js';
import type { HomeFiles } from './settings.js';

export interface HomeOptions {
  /** Absolute path; made where it does not exist. Codex warns when it lies below the system's temporary folder. */
  readonly directory: string;
  /** Of the stub server. */
  readonly url: string;
  /** Whether the CLIs find credentials. Default `true`. */
  readonly signedIn?: boolean;
  /**
   * How claude is signed in: `key` (default), or as a `person` with a subscription. Of its limits it tells only a person when they reset. The others are
   * always signed in with a key.
   */
  readonly account?: 'key' | 'person';
}

export interface Home {
  readonly directory: string;
  /**
   * The environment of a CLI that lives in this home: that of `host` (default: this process) without what would lead it to settings, keys or servers
   * of somebody's own.
   */
  environment(host?: Readonly<Record<string, string | undefined>>): Record<string, string>;
}

/** Gives all five CLIs their settings in one folder, so that with `HOME` set to it they talk to the stub server only. May be called again, for another server. */
export async function makeHome({ directory, url, signedIn = true, account = 'key' }: HomeOptions): Promise<Home> {
  const request = { url, signedIn, account };
  const files: HomeFiles = {
    '.gitconfig': '[user]\n\tname = Stub Agent\n\temail = stub@example.invalid\n',
    ...claudeHome(request),
    ...codexHome(request),
    ...opencodeHome(request),
    ...piHome(request),
    ...geminiHome(request),
  };
  // What an earlier call wrote and this one does not.
  for (const path of CREDENTIALS) if (!(path in files)) await rm(join(directory, path), { force: true });
  for (const [path, content] of Object.entries(files)) {
    const file = join(directory, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
  }
  return { directory, environment: (host = process.env) => environmentIn(directory, host) };
}

const CREDENTIALS = ['.claude/.credentials.json', '.codex/auth.json', '.local/share/opencode/auth.json'];

/** Variables by which a CLI finds its settings, its keys or its server, and those by which it notices that it was started by another agent. */
const OF_A_CLI = /^(?:XDG_|ANTHROPIC_|CLAUDE|OPENAI_|CODEX_|OPENCODE|PI_|GEMINI_|GOOGLE_|OPENROUTER_|AWS_|AZURE_|IS_SANDBOX$)/;

function environmentIn(directory: string, host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(host).filter((entry): entry is [string, string] => entry[1] !== undefined && !OF_A_CLI.test(entry[0]));
  return { ...Object.fromEntries(kept), HOME: directory };
}
