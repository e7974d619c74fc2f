import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { FlowsError, isFlowsError } from '../../errors/flows-error.js';
import type { Environment } from '../environment.js';
import type { Pace } from '../http/pace.js';
import type { Forge } from '../port.js';
import { changeArguments, openArguments, type ChangeCommand } from './arguments.js';

/** The outside world of the change helpers. */
export interface ChangeCommandWorld {
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly pace?: Pace;
}

/**
 * `relayflow-open-change` and `relayflow-change`. Answers with the exit status: 0 done, 1 refused, 2 called in a wrong way. Only the url goes to standard
 * output; what people are told goes to standard error, each line behind `relayflow: `.
 */
export async function runChangeCommand(name: 'open-change' | 'change', args: readonly string[], world: ChangeCommandWorld): Promise<0 | 1 | 2> {
  try {
    const command = name === 'open-change' ? openArguments(args) : changeArguments(args);
    if (command.do === 'help') world.stdout(command.text);
    else await act(command, world);
    return 0;
  } catch (error) {
    if (!isFlowsError(error)) throw error;
    tell(world, error);
    return error.code === 'invalid_invocation' ? 2 : 1;
  }
}

async function act(command: Exclude<ChangeCommand, { do: 'help' }>, world: ChangeCommandWorld): Promise<void> {
  // Before anything is asked over the network, and only when the call is right.
  const body = 'bodyFile' in command ? await readBody(command.bodyFile, world) : '';
  const [{ findForge }, { currentBranch }] = await Promise.all([import('../find-forge.js'), import('../remote/repository.js')]);
  const naming = 'head' in command && command.head !== undefined ? Promise.resolve(command.head) : currentBranch(world);
  // Both are looked for side by side. Where both are missing, as outside of a repository, the one that says more is told.
  naming.catch(() => undefined);
  const forge = await findForge(world);
  const branch = await naming;
  switch (command.do) {
    case 'open': {
      const { title, base, draft, reviewers } = command;
      const change = await forge.open({ branch, title, body, draft, ...(base === undefined ? {} : { base }) });
      if (draft && !change.draft) say(world, `${forge.name} has no drafts in this repository, so the change is open as ready`);
      for (const reviewer of reviewers) await ask(forge, { branch, reviewer }, world);
      world.stdout(`${change.url}\n`);
      return;
    }
    case 'comment':
      await forge.comment({ branch, body });
      return;
    default:
      await forge[command.do]({ branch });
  }
}

/** The change is open by now, and whoever called needs to know where. A reviewer who cannot be asked does not take that back. */
async function ask(forge: Forge, request: Parameters<Forge['requestReview']>[0], world: ChangeCommandWorld): Promise<void> {
  try {
    await forge.requestReview(request);
  } catch (error) {
    if (!isFlowsError(error)) throw error;
    say(world, `the change is open, but ${request.reviewer} could not be asked to review it`);
    tell(world, error);
  }
}

async function readBody(file: string, { cwd, stdin }: ChangeCommandWorld): Promise<string> {
  try {
    const text = file === '-' ? await readAll(stdin) : await readFile(resolve(cwd, file), 'utf8');
    return text.replace(/^\uFEFF/, '');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new FlowsError('invalid_invocation', `The file ${file} cannot be read (${code}).`, { hint: 'Name a file that exists in --body-file.', evidence: { path: file } });
  }
}

function tell(world: ChangeCommandWorld, { code, text, hint }: FlowsError): void {
  say(world, `[${code}] ${text}`);
  if (hint !== undefined) say(world, hint);
}

function say({ stderr }: ChangeCommandWorld, text: string): void {
  stderr(text.split('\n').map((line) => `relayflow: ${line}\n`).join(''));
}
