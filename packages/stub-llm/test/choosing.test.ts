import { describe, expect, it } from 'vitest';
import { startStub, type Turn } from '../src/index.js';
import { ask, DIALECTS, post, stubFor } from './client.js';
import type { Said } from './dialects/dialect.js';

const TOOLS = ['bash', 'write'];

async function say(stub: Awaited<ReturnType<typeof stubFor>>, said: Partial<Said> = {}): Promise<string> {
  return (await ask(stub, 'chat', { prompt: 'Go.', tools: TOOLS, ...said })).text;
}

describe('a turn is chosen', () => {
  const blocks: readonly Turn[] = [
    { match: { user: ['review', 'strict'] }, text: 'strict review' },
    { match: { user: 'review' }, text: 'review' },
    { match: { system: 'You are a poet' }, text: 'poem' },
    { match: { model: 'small' }, text: 'small' },
    { match: { history: 'Postgres', user: 'sqlite' }, text: 'history' },
    { match: { api: 'gemini' }, text: 'gemini' },
    { match: { side: true, user: 'title' }, text: 'title' },
    { match: {}, text: 'any' },
  ];

  it.each<[string, Partial<Said>]>([
    ['review', { prompt: 'Please review this.' }],
    ['strict review', { prompt: 'Please review this, be strict.' }],
    ['poem', { system: 'You are a poet.' }],
    ['small', { model: 'gpt-small' }],
    ['history', { steps: [{ reply: 'Postgres?', prompt: 'No, sqlite.' }] }],
    ['any', { prompt: 'No, sqlite.' }],
    ['title', { prompt: 'A title, please.', tools: [] }],
    ['any', { prompt: 'A title, please.' }],
    ['ok', { prompt: 'A joke, please.', tools: [] }],
  ])('%s for %j', async (text, said) => {
    const stub = await stubFor(...blocks);
    expect(await say(stub, said)).toBe(text);
  });

  it('by its API', async () => {
    const stub = await stubFor(...blocks);
    expect(await ask(stub, 'gemini', { prompt: 'Go.', tools: TOOLS })).toMatchObject({ text: 'gemini' });
  });

  it('as often as it may be served, and then the next that fits', async () => {
    const stub = await stubFor({ times: 2, text: 'twice' }, { match: {}, times: 1, text: 'once' });
    expect([await say(stub), await say(stub), await say(stub), await say(stub)]).toEqual(['twice', 'twice', 'once', 'Done.']);
    expect(stub.requests().map(({ turn }) => turn)).toEqual([0, 0, 1, -1]);
  });

  it('for many conversations at once, each at its own place', async () => {
    const stub = await stubFor({ tools: { shell: 'one' } }, { tools: { shell: 'two' } }, { text: 'Ready.' });
    const conversation = async (prompt: string): Promise<readonly unknown[]> => {
      const steps: NonNullable<Said['steps']>[number][] = [];
      for (;;) {
        const { text, calls: [call] } = await ask(stub, 'chat', { prompt, tools: TOOLS, steps });
        if (call === undefined) return [...steps.map((step) => ('call' in step ? step.call.input : step)), text];
        steps.push({ call, result: 'x' });
      }
    };
    const all = await Promise.all(Array.from({ length: 20 }, (_, index) => conversation(`Prompt ${index}`)));
    expect(new Set(all.map((inputs) => JSON.stringify(inputs)))).toEqual(new Set([JSON.stringify([{ command: 'one', description: 'Run a command' }, { command: 'two', description: 'Run a command' }, 'Ready.'])]));
  });

  it('after an error in the middle of a block that is spent', async () => {
    const stub = await stubFor({ tools: { shell: 'one' } }, { times: 1, error: { status: 500 } }, { text: 'Ready.' });
    const [call] = (await ask(stub, 'chat', { prompt: 'Go.', tools: TOOLS })).calls;
    const steps = [{ call: call!, result: 'x' }];
    await expect(say(stub, { steps })).rejects.toThrow('500');
    expect(await say(stub, { steps })).toBe('Ready.');
  });

  it('or the words for the end and for requests beside the conversation', async () => {
    const stub = await startStub({ scenario: { end: 'Over.', side: 'Aside.' } });
    try {
      expect([await say(stub), await say(stub, { tools: [] })]).toEqual(['Over.', 'Aside.']);
    } finally {
      await stub.stop();
    }
  });
});

it('gives the smallest value of a schema that is asked for beside the conversation', async () => {
  const stub = await stubFor({ text: 'never' });
  const schema = { type: 'OBJECT', properties: { reason: { type: 'STRING' }, model: { enum: ['flash', 'pro'] }, score: { type: ['integer', 'null'], minimum: 3 }, list: { type: 'array' }, yes: { type: 'boolean' } } };
  const smallest = { reason: 'stub', model: 'flash', score: 3, list: [], yes: false };
  const messages = [{ role: 'user', content: 'Go.' }];
  const content = async (path: string, body: object): Promise<unknown> => JSON.parse((await post(stub, path, body)).text);
  const inText = { text: JSON.stringify(smallest) };
  expect(await content(DIALECTS.gemini.path, { contents: [{ role: 'user', parts: [{ text: 'Go.' }] }], generationConfig: { responseMimeType: 'application/json', responseJsonSchema: schema } })).toMatchObject({ candidates: [{ content: { parts: [inText] } }] });
  expect(await content('/v1/messages', { messages, output_config: { format: { type: 'json_schema', schema } } })).toMatchObject({ content: [inText] });
  expect(await content('/v1/chat/completions', { messages, response_format: { type: 'json_schema', json_schema: { schema } } })).toMatchObject({ choices: [{ message: { content: inText.text } }] });
  expect(await content('/v1/responses', { input: 'Go.', text: { format: { type: 'json_schema', schema } } })).toMatchObject({ output: [{ content: [inText] }] });
});

describe('a tool of the CLI', () => {
  const write = { write: { path: 'a dir/it\'s.txt', content: 'one\ntwo\n' } };
  const calls = async (tools: Turn['tools'], ...offered: readonly string[]): Promise<unknown> => {
    const stub = await stubFor({ tools: tools ?? [] });
    return (await ask(stub, 'chat', { prompt: 'Go.', tools: offered })).calls.map(({ name, input }) => ({ name, input }));
  };

  it.each<[string, unknown]>([
    ['Bash', { command: 'ls', description: 'Run a command' }],
    ['bash', { command: 'ls', description: 'Run a command' }],
    ['run_shell_command', { command: 'ls', description: 'Run a command' }],
    ['exec_command', { cmd: 'ls' }],
    ['shell_command', { command: 'ls' }],
    ['shell', { command: ['bash', '-lc', 'ls'] }],
  ])('%s runs a command', async (name, input) => expect(await calls({ shell: 'ls' }, 'read', name)).toEqual([{ name, input }]));

  it.each<[string, object]>([
    ['Write', { file_path: write.write.path, content: write.write.content }],
    ['write', write.write],
    ['write_file', { file_path: write.write.path, content: write.write.content }],
  ])('%s writes a file', async (name, input) => expect(await calls(write, 'bash', name)).toEqual([{ name, input }]));

  it('that runs commands writes where no other can, or where it shall', async () => {
    const command = `mkdir -p 'a dir' && printf %s 'one\ntwo\n' > 'a dir/it'\\''s.txt'`;
    expect(await calls(write, 'shell_command')).toEqual([{ name: 'shell_command', input: { command } }]);
    expect(await calls({ write: { ...write.write, via: 'shell' } }, 'write', 'shell_command')).toEqual([{ name: 'shell_command', input: { command } }]);
  });

  it('is found in a namespace and takes a text, as codex has it', async () => {
    const stub = await stubFor({ tools: [write, { shell: 'ls "x"' }] });
    const tools = [{ type: 'custom', name: 'apply_patch' }, { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] }];
    const { text } = await post(stub, '/v1/responses', { input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go.' }] }, { type: 'additional_tools', tools }] });
    expect(JSON.parse(text)).toMatchObject({
      output: [
        { type: 'custom_tool_call', name: 'apply_patch', input: `*** Begin Patch\n*** Add File: a dir/it's.txt\n+one\n+two\n*** End Patch` },
        { type: 'custom_tool_call', name: 'exec', namespace: 'functions', input: expect.stringContaining('tools.exec_command({ cmd: "ls \\"x\\"" })') },
      ],
    });
  });
});
