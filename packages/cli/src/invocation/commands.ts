import type { CommandDeclaration, CommandName, OptionDeclaration, PositionalDeclaration } from './declaration.js';

const dataDir: OptionDeclaration = { name: 'data-dir', value: 'dir', summary: 'Where runs are kept. Default: .relayflowd here' };
const json: OptionDeclaration = { name: 'json', summary: 'Print exactly one JSON document on stdout' };
const jsonEvents: OptionDeclaration = { name: 'json-events', summary: 'Print every event as a line of JSON, the report last' };
const verbose: OptionDeclaration = { name: 'verbose', summary: 'Print the output of every step as it arrives' };
const capacity: OptionDeclaration = { name: 'agent-capacity', value: 'n', summary: 'Agents at once, 1 to 32. Default: 4', integer: { min: 1, max: 32 } };
const localAgent: OptionDeclaration = { name: 'local-agent', summary: 'Agents always run here', ignored: true };
const hosted: readonly OptionDeclaration[] = [
  { name: 'detach', summary: 'Leave the run to a daemon', refused: 'There is no daemon that a run could be left to.' },
  { name: 'allow-human-influenced', summary: 'Allow the reuse of a run that a person altered', ignored: true },
  { name: 'reuse-from', value: 'run-id', summary: 'Start from the steps of another run', refused: 'Steps of another run cannot be reused yet.' },
];
const executing: readonly OptionDeclaration[] = [json, jsonEvents, verbose, dataDir, capacity, localAgent];

const flowFile: PositionalDeclaration = { name: 'flow', summary: 'A *.flow.ts, .mts, .js or .mjs file' };
const runId: PositionalDeclaration = { name: 'run-id', summary: 'A run id, its first characters, or `last` for the newest run' };

const DECLARATIONS = {
  demo: {
    name: 'demo',
    summary: 'Show a ticket become a change request, offline',
    positionals: [],
    options: [
      { name: 'scenario', value: 'name', summary: 'fix (default), or unclear-ticket: the agent has to ask', values: ['fix', 'unclear-ticket'] },
      { name: 'keep', summary: 'Leave the scratch folder, and say where it is' },
      json,
    ],
    examples: [
      { args: 'demo', explains: 'A failing test, a ticket, and the change request that comes of it' },
      { args: 'demo --scenario unclear-ticket', explains: 'A ticket that names a file which does not exist' },
      { args: 'demo --keep', explains: 'Look around in the repository and the run afterwards' },
    ],
    notes: ['The flow, the checks and git are real. A script plays the agents, and a folder the forge.', 'It ends as a real run does: exit status 3, since a person merges.'],
  },
  new: {
    name: 'new',
    summary: 'Write a first flow that runs as it is',
    positionals: [{ name: 'name', optional: true, summary: 'Name of the flow; the file is <name>.flow.ts' }],
    options: [],
    examples: [
      { args: 'new hello', explains: 'Write hello.flow.ts and say how to run it' },
      { args: 'new flows/nightly', explains: 'Write flows/nightly.flow.ts' },
    ],
    notes: ['An existing file is never overwritten. On a terminal a missing name is asked for.'],
  },
  generate: {
    name: 'generate',
    summary: 'Make a flow that turns tickets into change requests',
    positionals: [{ name: 'draft', optional: true, summary: 'A JSON file that says it all. Default: flags, and questions' }],
    options: [
      { name: 'output', value: 'file', summary: 'Where the flow goes; - prints it. Default: software-garden.flow.ts' },
      { name: 'kit', value: 'dir', summary: 'Write a folder with the flow, an input, a preflight, and how to begin' },
      { name: 'target', value: 'target', summary: 'Who filters tickets: local, the flow; cloud, its host', values: ['local', 'cloud'] },
      { name: 'workflow', value: 'name', summary: 'simple, traditional (default) or prototype', values: ['simple', 'traditional', 'prototype'] },
      { name: 'agents', value: 'list', summary: 'claude,codex: the first builds, the second reviews' },
      { name: 'sources', value: 'list', summary: 'Trackers and filters. Default: github' },
      { name: 'roles', value: 'list', summary: 'Roles played by others: planner=codex,fixer=claude/opus' },
      { name: 'task', value: 'text', summary: 'What builders know besides the ticket; 600 characters' },
      { name: 'save-draft', value: 'file', summary: 'Keep what was decided as a draft' },
      json,
    ],
    examples: [
      { args: 'generate', explains: 'Answer questions' },
      { args: 'generate --agents claude,codex --kit garden', explains: 'A folder that moves itself into your repository' },
      { args: 'generate draft.json --output garden.flow.ts', explains: 'From a draft' },
      { args: 'generate --agents claude --sources github:repository=acme/app:labels=bug+ready', explains: 'Only some tickets' },
    ],
    notes: ['An existing file is never overwritten. Flags win over the draft.', 'In --sources, %2C stands for a comma, %3A for a colon and %2B for a plus sign.'],
  },
  check: {
    name: 'check',
    summary: 'Load a flow and say whether it can run',
    positionals: [flowFile],
    options: [
      json,
      { name: 'watch', summary: 'Check again whenever the file changes', refused: 'A flow cannot be watched yet; call check again.' },
      { name: 'explain-warnings', summary: 'Explain each warning', refused: 'Warnings explain themselves.' },
    ],
    examples: [
      { args: 'check hello.flow.ts', explains: 'Load it, validate its header, find its coding agents' },
      { args: 'check hello.flow.ts --json', explains: 'The same as data' },
    ],
    notes: ['Nothing is journaled and no step runs. Code at the top level of the file does run.'],
  },
  agents: {
    name: 'agents',
    summary: 'Show the coding agents here, and what each still needs',
    positionals: [{ name: 'cli', optional: true, summary: 'Only this one, by name or path. Default: all that are known' }],
    options: [json],
    examples: [
      { args: 'agents', explains: 'Where each CLI is, its version, who is signed in' },
      { args: 'agents claude --json', explains: 'One of them as data, with the models it offers' },
    ],
    notes: ['Nothing is spent: the CLIs are asked about themselves only.', 'Exit status 2 when the CLI you name, or the default of flows.json, cannot be used.'],
  },
  run: {
    name: 'run',
    summary: 'Run a flow from its beginning',
    positionals: [flowFile],
    options: [
      { name: 'input', value: 'json|file', summary: 'The input: JSON, or a file that holds JSON' },
      { name: 'cwd', value: 'dir', summary: 'The directory that steps run in. Default: here' },
      ...executing,
      ...hosted,
    ],
    examples: [
      { args: `run hello.flow.ts --input '{}'`, explains: 'Run it with an empty input' },
      { args: 'run ticket.flow.ts --input ticket.json --cwd ../app', explains: 'Read the input from a file, work in another directory' },
      { args: `run hello.flow.ts --input '{}' --json`, explains: 'Print the verdict as one JSON document' },
      { args: `run hello.flow.ts --input '{}' --json-events`, explains: 'Follow the run as a program' },
    ],
    notes: [
      'Ctrl-C stops the run in good order and prints how to resume it; a second Ctrl-C kills at once.',
      'A question ends the command with exit status 3 and prints how to answer it.',
    ],
  },
  resume: {
    name: 'resume',
    summary: 'Go on with a run that stopped, crashed or waits',
    positionals: [runId],
    options: [
      { name: 'current-source', summary: 'Run the flow file as it is now, not as it was' },
      { name: 'step', value: 'step-id', summary: 'A step that crashed and was parked; needs --rerun or --fail' },
      { name: 'rerun', summary: 'Run that step again' },
      { name: 'fail', summary: 'Count that step as failed' },
      ...executing,
    ],
    examples: [
      { args: 'resume last', explains: 'Go on with the newest run' },
      { args: 'resume last --current-source', explains: 'Use the edited flow; finished steps must still fit' },
      { args: 'resume 01k3 --step agent-2 --rerun', explains: 'Release a step that was in flight when its process died' },
    ],
    notes: ['Steps that finished hand back what they recorded and do nothing again.'],
  },
  answer: {
    name: 'answer',
    summary: 'Answer the question of a run and go on with it',
    positionals: [
      runId,
      { name: 'wait-id', summary: 'The question: human-<n>' },
      { name: 'answer', summary: 'yes, no, true or false', values: ['yes', 'no', 'true', 'false'] },
    ],
    options: [
      { name: 'note', value: 'text', summary: 'A remark kept with the answer' },
      { name: 'by', value: 'name', summary: 'Who answers. Default: your user name' },
      ...executing,
    ],
    examples: [
      { args: 'answer last human-3 yes', explains: 'Say yes to the newest run' },
      { args: 'answer 01k3 human-3 no --note "not on a Friday" --by alex', explains: 'Say no, and why' },
    ],
    notes: ['The first answer wins. `no` is a value for the flow, not a failure.'],
  },
  cancel: {
    name: 'cancel',
    summary: 'Stop a run for good',
    positionals: [runId],
    options: [json, dataDir],
    examples: [{ args: 'cancel last', explains: 'Cancel the newest run, wherever it is executed' }],
    notes: ['To stop a run so that it can be resumed, press Ctrl-C where it runs.'],
  },
  status: {
    name: 'status',
    summary: 'Show where a run is',
    positionals: [{ ...runId, optional: true }],
    options: [
      json,
      { name: 'tail', value: 'n', summary: 'Only the last n steps', integer: { min: 0, max: 1_000_000 } },
      dataDir,
    ],
    examples: [
      { args: 'status last', explains: 'The newest run' },
      { args: 'status 01k3 --tail 5 --json', explains: 'The last five steps as data' },
    ],
    notes: ['Without a run id, RELAYFLOW_RUN_ID and RELAYFLOW_DATA_DIR say which run.', 'Reads the journal, starts nothing.'],
  },
  runs: {
    name: 'runs',
    summary: 'List runs, newest first',
    positionals: [],
    options: [
      json,
      {
        name: 'status',
        value: 'status',
        summary: 'Only running, parked, interrupted, completed, failed or canceled ones',
        values: ['running', 'parked', 'interrupted', 'completed', 'failed', 'canceled'],
      },
      { name: 'limit', value: 'n', summary: 'At most n. Default: 50', integer: { min: 1, max: 1_000_000 } },
      dataDir,
    ],
    examples: [
      { args: 'runs', explains: 'The newest 50' },
      { args: 'runs --status parked', explains: 'Those that wait for somebody' },
    ],
  },
  logs: {
    name: 'logs',
    summary: 'Print what steps wrote to stdout and stderr',
    positionals: [runId, { name: 'step', optional: true, summary: 'A step id as `flows status` shows it. Default: all steps' }],
    options: [
      { name: 'follow', summary: 'Keep printing until the run rests' },
      { name: 'attempt', value: 'n', summary: 'An earlier attempt of the step. Default: the last', integer: { min: 1, max: 1_000_000 } },
      dataDir,
    ],
    examples: [
      { args: 'logs last', explains: 'Everything the newest run printed' },
      { args: 'logs last run-2 2>/dev/null', explains: 'Only the stdout of one step' },
      { args: 'logs last --follow', explains: 'Watch a run from another terminal' },
    ],
    notes: ['One step: its stdout goes to stdout and its stderr to stderr.', 'All steps: both go to stdout under headings.'],
  },
  replay: {
    name: 'replay',
    summary: 'Show a run step by step, with the values the flow saw',
    positionals: [runId],
    options: [
      { name: 'at', value: 'step-id', summary: 'The state of the run when this step was delivered' },
      json,
      dataDir,
    ],
    examples: [
      { args: 'replay last', explains: 'All steps in the order in which the flow received them' },
      { args: 'replay last --at run-3', explains: 'What was known when run-3 was delivered, and what was open' },
    ],
    notes: ['Reads the journal, starts nothing.'],
  },
} as const satisfies { readonly [name in CommandName]: CommandDeclaration };

/** In the order in which a person meets them. */
export const COMMANDS: readonly CommandDeclaration[] = Object.values(DECLARATIONS);

export function commandNamed(name: string): CommandDeclaration | undefined {
  return COMMANDS.find((command) => command.name === name);
}
