import { basename, relative, resolve } from 'node:path';
import { FlowsError } from '@relayflows/sdk';
import type { CommandContext } from '../command.js';
import { writeNew } from '../files/write-new.js';
import { EXIT } from '../report/exit-status.js';
import { cleanLine } from '../text/clean.js';

const SUFFIX = '.flow.ts';

export async function execute(context: CommandContext): Promise<number> {
  const { invocation: { values }, io, style } = context;
  const given = values['name'] ?? (await askForName(context));
  const path = resolve(io.cwd, given.endsWith(SUFFIX) ? given : `${given}${SUFFIX}`);
  const name = basename(path, SUFFIX);
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) {
    throw new FlowsError('invalid_invocation', `A flow cannot be called ${JSON.stringify(name)}.`, {
      hint: 'Use letters, digits, dots, dashes and underscores, and begin with a letter or a digit: `flows new nightly-check`.',
    });
  }
  writeNew([{ path, text: scaffold(name) }]);
  const shown = relative(io.cwd, path) || path;
  io.stdout.write(
    [
      `Wrote ${shown}`,
      '',
      'Run it:',
      `  ${style.command(`run ${shown} --input '{"name":"you"}'`)}`,
      'Look at what it did:',
      `  ${style.command('status last')}`,
      'For types in your editor:',
      '  npm install --save-dev @relayflows/surface',
      '',
    ].join('\n'),
  );
  return EXIT.success;
}

async function askForName({ io }: CommandContext): Promise<string> {
  if (!io.inputIsTerminal || !io.stderr.isTerminal) {
    throw new FlowsError('invalid_invocation', '`flows new` needs a name for the flow.', { hint: 'For example: `flows new hello`.' });
  }
  const { createInterface } = await import('node:readline/promises');
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return cleanLine(await prompt.question('Name of the flow (hello): ')) || 'hello';
  } finally {
    prompt.close();
  }
}

function scaffold(name: string): string {
  return [
    `import { flow } from '@relayflows/surface';`,
    '',
    `interface Input {`,
    `  readonly name?: string;`,
    `}`,
    '',
    `export default flow<Input>('${name}', async (f, input) => {`,
    `  // Each f.* call is a step: its outcome is kept, and a resumed run does not do it again.`,
    `  const greeting = await f.run('echo "Hello, $NAME"', { env: { NAME: input.name ?? 'world' } });`,
    `  console.log(greeting.trim());`,
    '',
    `  // A failing command is a value when you ask for one.`,
    `  const git = await f.run('git status --short', { onNonZero: 'record' });`,
    `  f.done('success', { detail: git.ok ? \`changed files: \${git.stdout.split('\\n').length - 1}\` : 'not a git repository' });`,
    `});`,
    '',
  ].join('\n');
}
