import type { OfferedTool, ToolCall } from '../apis/api.js';
import { randomId } from '../apis/ids.js';
import type { FileWrite, ToolUse } from '../scenario/scenario.js';
import { callId } from './prompt.js';

/** The input of a shell tool for a command, by the tool's name. */
const SHELL: Readonly<Record<string, (command: string) => unknown>> = {
  // claude
  Bash: describedCommand,
  // opencode, pi
  bash: describedCommand,
  // gemini
  run_shell_command: describedCommand,
  // codex, by model
  exec_command: (command) => ({ cmd: command }),
  shell_command: (command) => ({ command }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
  exec: (command) => `const r = await tools.exec_command({ cmd: ${JSON.stringify(command)} });\ntext(r.output);`,
};

/** The input of a tool that writes a file, by the tool's name. */
const WRITE: Readonly<Record<string, (write: FileWrite, tool: OfferedTool) => unknown>> = {
  // claude
  Write: ({ path, content }) => ({ file_path: path, content }),
  // opencode, pi
  write: ({ path, content }, { properties }) => (properties?.['filePath'] === undefined ? { path, content } : { filePath: path, content }),
  // gemini
  write_file: ({ path, content }) => ({ file_path: path, content }),
};

function describedCommand(command: string): unknown {
  return { command, description: 'Run a command' };
}

/** The call that does what turn number `turn` wants with the tools that the CLI offers. Throws when it offers none for it. */
export function toolCall(use: ToolUse, offered: readonly OfferedTool[], turn: number): ToolCall {
  const call = (name: string, input: unknown): ToolCall => {
    const namespace = offered.find((tool) => tool.name === name)?.namespace;
    return { id: callId(turn, randomId(5)), name, input, custom: typeof input === 'string', ...(namespace === undefined ? {} : { namespace }) };
  };
  if ('tool' in use) return call(use.tool, use.input ?? {});
  if ('write' in use) {
    const written = use.write.via === 'shell' ? undefined : writeCall(use.write, offered);
    if (written !== undefined) return call(written.name, written.input);
  }
  const command = 'write' in use ? writeCommand(use.write) : use.shell;
  const shell = offered.find(({ name }) => Object.hasOwn(SHELL, name));
  if (shell === undefined) throw new Error(`Turn ${turn} needs a shell tool, and the CLI offers none: ${offered.map(({ name }) => name).join(', ') || 'no tool at all'}.`);
  return call(shell.name, SHELL[shell.name]?.(command));
}

function writeCall(write: FileWrite, offered: readonly OfferedTool[]): { readonly name: string; readonly input: unknown } | undefined {
  const tool = offered.find(({ name }) => Object.hasOwn(WRITE, name));
  if (tool !== undefined) return { name: tool.name, input: WRITE[tool.name]?.(write, tool) };
  // Codex, with a model it knows.
  return offered.some(({ name, custom }) => name === 'apply_patch' && custom === true) ? { name: 'apply_patch', input: addFilePatch(write) } : undefined;
}

function addFilePatch({ path, content }: FileWrite): string {
  const lines = content.replace(/\n$/, '').split('\n').map((line) => `+${line}`);
  return ['*** Begin Patch', `*** Add File: ${path}`, ...lines, '*** End Patch'].join('\n');
}

function writeCommand({ path, content }: FileWrite): string {
  const directory = path.includes('/') ? `mkdir -p ${quoted(path.replace(/\/[^/]*$/, '') || '/')} && ` : '';
  return `${directory}printf %s ${quoted(content)} > ${quoted(path)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
