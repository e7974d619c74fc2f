import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { fitsCommandLine } from '../terminal-prompt.js';
import type { Scenario } from './scenario.js';

const PROMPT = 'Prompt with "double", \'single\' and `back` quotes, $HOME $(x) \\ {{ticket}}\n\n-- second line\tä 漢字 🦊';

/** How often a prompt is delivered, and whether with anything else. */
function deliveries(launch: { readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }, prompt: string): readonly string[] {
  const forPlugin = Object.entries(launch.env).filter(([name]) => name === 'RELAY_FLOW_RESUME_JSON').map(([, json]) => String((JSON.parse(json) as { readonly text: unknown }).text));
  return [...launch.args, ...forPlugin].filter((text) => text.includes(prompt));
}

export const terminalScenarios: readonly Scenario[] = [
  {
    name: 'begins a session with the prompt, delivered once and as it is',
    needs: ['terminal'],
    async play(stage) {
      const built = stage.terminal().buildCommand(stage.launch({ prompt: PROMPT }));
      const [delivered, ...more] = deliveries(built, PROMPT);
      ok(delivered?.endsWith(PROMPT));
      deepEqual(more, []);
      equal(built.file.includes('/'), false);
    },
  },
  {
    name: 'goes on with a session, and delivers the prompt once and as it is',
    needs: ['terminal'],
    async play(stage) {
      const built = stage.terminal().buildCommand(stage.launch({ prompt: PROMPT, sessionId: 'session-1', purpose: 'feedback' }));
      ok(built.args.includes('session-1'));
      deepEqual(deliveries(built, PROMPT), [PROMPT]);
    },
  },
  {
    name: 'delivers the longest prompts, in arguments and variables that every system takes',
    needs: ['terminal'],
    async play(stage) {
      for (const words of ['0123456789', '"\'\n', '\u0001']) {
        let prompt = 'Long: ';
        while (fitsCommandLine(`${prompt}${words.repeat(100)}`)) prompt += words.repeat(100);
        for (const sessionId of [undefined, 'session-1']) {
          const built = stage.terminal().buildCommand(stage.launch({ prompt, ...(sessionId === undefined ? {} : { sessionId }) }));
          equal(deliveries(built, prompt).length, 1);
          const quoted = [...built.args, ...Object.values(built.env)].map((text) => Buffer.byteLength(text.replaceAll("'", "'\\''")));
          ok(quoted.reduce((sum, bytes) => sum + bytes, 0) < 90_000, `a command line of ${quoted.join(' + ')} bytes`);
        }
      }
    },
  },
  {
    name: 'never begins a prompt with what a program would take for a switch, a file or a command',
    needs: ['terminal'],
    async play(stage) {
      for (const prompt of ['--help', '@file', '/review', '!ls', '#note', ' blank']) {
        for (const sessionId of [undefined, 'session-1']) {
          const built = stage.terminal().buildCommand(stage.launch({ prompt, agent: stage.agent, ...(sessionId === undefined ? {} : { sessionId }) }));
          const [delivered = ''] = deliveries(built, prompt);
          // A template is asked for by the command with its name.
          match(delivered.replace(`/${stage.agent} `, ''), /^[\p{L}\p{N}]/u);
        }
      }
    },
  },
];
