import type { AgentCliName, ApiName, Refusal, Scenario, ToolUse, Turn } from '@relayflows/stub-llm';
import type { AgentDeed, AgentPart } from '../../src/agents/conformance.js';

export type CliName = Extract<AgentCliName, 'claude' | 'codex' | 'opencode' | 'gemini' | 'pi'>;

/** Longer than any test. */
const FOR_EVER_MS = 3_600_000;

/** The tools as each CLI calls them, for a model that calls them although it is offered none. */
const NAMED: Readonly<Record<CliName, { readonly write: (path: string, content: string) => ToolUse; readonly run: (command: string) => ToolUse }>> = {
  claude: { write: (path, content) => ({ tool: 'Write', input: { file_path: path, content } }), run: (command) => ({ tool: 'Bash', input: { command, description: 'x' } }) },
  codex: { write: (path, content) => ({ tool: 'exec_command', input: { cmd: `printf %s '${content}' > '${path}'` } }), run: (command) => ({ tool: 'exec_command', input: { cmd: command } }) },
  opencode: { write: (filePath, content) => ({ tool: 'write', input: { filePath, content } }), run: (command) => ({ tool: 'bash', input: { command, description: 'x' } }) },
  gemini: { write: (path, content) => ({ tool: 'write_file', input: { file_path: path, content } }), run: (command) => ({ tool: 'run_shell_command', input: { command, description: 'x' } }) },
  pi: { write: (path, content) => ({ tool: 'write', input: { path, content } }), run: (command) => ({ tool: 'bash', input: { command } }) },
};

const APIS: Readonly<Record<CliName, ApiName>> = { claude: 'anthropic', codex: 'responses', opencode: 'chat', gemini: 'gemini', pi: 'chat' };

/** The same text for a model that does not exist, as each API puts it. */
const NO_SUCH_MODEL: Readonly<Record<ApiName, Refusal>> = {
  anthropic: { status: 404, type: 'not_found_error', message: 'model: nowhere-1' },
  responses: { status: 404, code: 'model_not_found', message: 'The model `nowhere-1` does not exist or you do not have access to it.' },
  chat: { status: 404, code: 'model_not_found', message: 'The model `nowhere-1` does not exist or you do not have access to it.' },
  gemini: { status: 404, message: 'models/nowhere-1 is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.' },
};

/** Codex ends the process group of a command with the command: what has not left the group by then never begins. */
const UNTIL_IT_IS_ON_ITS_OWN = 'until grep -q "^$! .* $! $! " /proc/$!/stat; do :; done';

/** A scenario of the model server in which the CLI plays a part: a block of turns for each task, once for requests with tools and once for those without. */
export function scenarioOf(part: AgentPart, cli: CliName): Scenario {
  const last = part.turns.length - 1;
  const blocks = part.turns.flatMap((deeds, at) =>
    [false, true].map((side): Turn[] => {
      const [first = { text: 'Done.' }, ...rest] = turnsOf(deeds, { cli, stubborn: part.stubborn === true });
      return [{ ...first, match: { side }, ...(at < last ? { times: 1 } : {}) }, ...rest];
    }));
  return { turns: [...asidesOf(cli), ...blocks.flat()] };
}

/** What a CLI asks its model besides, and by what such a request is known. It shall not take the turns of the part. */
const ASIDES: Partial<Readonly<Record<CliName, { readonly system: string; readonly answer: string }>>> = {
  opencode: { system: 'title generator', answer: 'A title' },
  // Without a named model it asks which one suits the task, and asks again and again until it understands the answer.
  gemini: { system: 'Task Routing', answer: JSON.stringify({ complexity_reasoning: 'It is simple.', complexity_score: 10 }) },
};

/** Whether a request is one of those. */
export function isAside(cli: CliName, system: string): boolean {
  const aside = ASIDES[cli];
  return aside !== undefined && system.includes(aside.system);
}

function asidesOf(cli: CliName): readonly Turn[] {
  const aside = ASIDES[cli];
  // Free, so that what a turn is charged is what its part says.
  return aside === undefined ? [] : [{ match: { side: true, system: aside.system }, text: aside.answer, usage: { input: 0, output: 0 } }];
}

function turnsOf(deeds: readonly AgentDeed[], by: { readonly cli: CliName; readonly stubborn: boolean }): readonly Turn[] {
  const turns: Turn[] = [];
  let said: Turn = {};
  for (const deed of deeds) {
    if (deed.do === 'say') {
      said = { text: deed.text, ...(deed.usage === undefined ? {} : { usage: deed.usage }) };
      continue;
    }
    turns.push({ ...said, ...turnOf(deed, by) });
    said = {};
  }
  return said.text === undefined ? turns : [...turns, said];
}

function turnOf(deed: Exclude<AgentDeed, { readonly do: 'say' }>, { cli, stubborn }: { readonly cli: CliName; readonly stubborn: boolean }): Turn {
  switch (deed.do) {
    case 'write':
      return { tools: stubborn ? NAMED[cli].write(deed.path, deed.content) : { write: { path: deed.path, content: deed.content } } };
    case 'run':
      return { tools: stubborn ? NAMED[cli].run(deed.command) : { shell: deed.command } };
    case 'commit':
      return { tools: { shell: `git add -A && git commit -qm '${deed.message}'` } };
    case 'detach':
      return { tools: { shell: `setsid sh -c 'trap "" TERM; ${deed.command}' > /dev/null 2>&1 < /dev/null &${cli === 'codex' ? ` ${UNTIL_IT_IS_ON_ITS_OWN}` : ''}` } };
    case 'hang':
      return { text: 'Too late.', delay_ms: FOR_EVER_MS };
    case 'fail':
      return { ...refusalOf(deed, APIS[cli]), ...(deed.times === undefined ? {} : { times: deed.times }) };
  }
}

function refusalOf({ because, text, resetsInMs }: Extract<AgentDeed, { readonly do: 'fail' }>, api: ApiName): Turn {
  switch (because) {
    case 'error':
      return { error: { status: 400, message: text } };
    case 'unauthorized':
      return { error: { status: 401, message: text } };
    case 'usage_limit':
      return { error: { status: 429, ...(resetsInMs === undefined ? { message: text } : { reset_in: resetsInMs / 1_000 }) } };
    case 'outage':
      return { error: { status: 500, message: text } };
    case 'model_unknown':
      return { error: NO_SUCH_MODEL[api] };
    case 'dropped_before':
      return { drop: 'before' };
    case 'dropped_mid':
      return { drop: 'mid', text };
  }
}
