import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHeadlessRunner } from '../../../src/harness/headless/runner.js';
import { reportText } from '../reports.js';
import { commandHarness, isAlive, quickClock, script, workbench } from '../workbench.js';

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;
const says = (text: string): string => `printf '%s\\n' ${quoted(text)}`;

describe('a visit with a command', () => {
  it('ends with the report that the command prints last, whatever it printed before', async () => {
    const bench = await workbench();
    const agent = await script(join(bench.cwd, 'agent.sh'), 'cat >/dev/null', says('Working …\nSTATUS: of the build: fine'), says('\u001b[1mhello\u001b[0m'), says(reportText()));
    const last = await bench.bring(commandHarness(agent));
    expect(last).toMatchObject({ type: 'report', reportId: '0123456789abcdef0123456789abcdef:1', turn: 1, report: { status: 'success', nextStep: 'review' }, text: reportText() });
    expect(bench.events.map(({ type }) => type)).toEqual(['started', 'report']);
    expect(bench.runner.live('build')).toBeUndefined();
  });

  it('keeps what was printed, for the owner alone', async () => {
    const bench = await workbench();
    const agent = await script(join(bench.cwd, 'agent.sh'), 'echo noise >&2', says(reportText('end')));
    const last = await bench.bring(commandHarness(agent));
    expect(last.type).toBe('report');
    const log = (last as { logPath: string }).logPath;
    expect(log).toBe(join(bench.home, 'logs', encodeURIComponent(bench.runId), '0123456789abcdef0123456789abcdef', 'turn-1.out'));
    expect(await readFile(log, 'utf8')).toBe(`${reportText('end')}\n`);
    expect(await readFile(log.replace(/out$/, 'err'), 'utf8')).toBe('noise\n');
    expect((await stat(log)).mode & 0o777).toBe(0o600);
    expect((await stat(join(log, '..'))).mode & 0o777).toBe(0o700);
  });

  it('is asked again with the correction in front of the original prompt', async () => {
    const bench = await workbench();
    const agent = await script(join(bench.cwd, 'agent.sh'), 'cat > prompt', 'if grep -q "could not be taken" prompt; then', says(reportText()), 'else', says(reportText('nowhere')), 'fi');
    const last = await bench.bring(commandHarness(agent));
    expect(last).toMatchObject({ type: 'report', turn: 2, reportId: '0123456789abcdef0123456789abcdef:2' });
    expect(bench.events[1]).toMatchObject({ type: 'invalid', turn: 1, problems: [expect.stringContaining('"nowhere" cannot be chosen')] });
    const prompt = await readFile(join(bench.cwd, 'prompt'), 'utf8');
    expect(prompt).toMatch(/^Your last answer could not be taken as the report of this node:\n- NEXT STEP "nowhere"/);
    expect(prompt.endsWith('\n\nBuild it.')).toBe(true);
  });

  it('is asked again five times at most', async () => {
    const bench = await workbench();
    const agent = await script(join(bench.cwd, 'agent.sh'), 'cat >> prompts', 'echo Done.');
    const last = await bench.bring(commandHarness(agent));
    expect(last).toMatchObject({ type: 'exhausted', turn: 6, problems: [expect.stringContaining('There is no report')] });
    expect(bench.events.filter(({ type }) => type === 'started')).toHaveLength(6);
    expect((await readFile(join(bench.cwd, 'prompts'), 'utf8')).split('Build it.')).toHaveLength(7);
  });

  it('takes no report from a command that fails, and waits longer each time', async () => {
    const clock = quickClock();
    const bench = await workbench({ clock });
    const agent = await script(join(bench.cwd, 'agent.sh'), says(reportText()), 'exit 3');
    const last = await bench.bring(commandHarness(agent));
    expect(last).toMatchObject({ type: 'exhausted', turn: 6, problems: ['The command ended with status 3, so what it printed is not taken as its report.'] });
    expect(clock.waits).toHaveLength(5);
    expect(clock.waits.map((ms) => Math.abs(Math.round(Math.log2(ms / 2_000))))).toEqual([0, 1, 2, 3, 4]);
  });

  it('tells that a command cannot be started, and does not try again by itself', async () => {
    const bench = await workbench();
    expect(await bench.bring(commandHarness('/nowhere/agent'))).toMatchObject({ type: 'failed', error: { code: 'harness_missing' } });
    expect(await bench.bring(commandHarness('true'), { launch: { ...bench.launch, cwd: join(bench.cwd, 'gone') } })).toMatchObject({ type: 'failed', error: { code: 'runner_missing' } });
    expect(JSON.stringify(bench.events)).not.toContain('Build it.');
  });

  it('goes on counting where an earlier server stopped', async () => {
    const bench = await workbench();
    const agent = await script(join(bench.cwd, 'agent.sh'), says(reportText()));
    await bench.bring(commandHarness(agent));
    expect(await bench.bring(commandHarness(agent))).toMatchObject({ type: 'report', reportId: '0123456789abcdef0123456789abcdef:2' });
  });

  it('gives its processes the variables of the launch, and no id of the visit', async () => {
    const bench = await workbench({ env: { PATH: process.env['PATH'], HOME: '/home/somebody', JIRA_API_TOKEN: 'secret', RELAY_FLOW_RUN_ID: 'another', GIT_DIR: '/elsewhere', ANTHROPIC_API_KEY: 'needed' } });
    const agent = await script(join(bench.cwd, 'agent.sh'), 'env > variables', says(reportText()));
    await bench.bring(commandHarness(agent));
    const variables = await readFile(join(bench.cwd, 'variables'), 'utf8');
    expect(variables.split('\n').filter((line) => !/^(PWD|OLDPWD|SHLVL|_|RELAYFLOW_\w+)=/.test(line) && line !== '').toSorted()).toEqual([
      'ANTHROPIC_API_KEY=needed', 'HOME=/home/somebody', `PATH=${process.env['PATH'] ?? ''}`, 'RELAY_FLOW_NODE=build', 'RELAY_FLOW_TICKET=T-1',
    ]);
    expect(variables).not.toContain('0123456789abcdef0123456789abcdef');
  });

  it('delivers its report until it is taken', async () => {
    const clock = quickClock();
    const bench = await workbench({ clock });
    const agent = await script(join(bench.cwd, 'agent.sh'), says(reportText()));
    let tries = 0;
    await new Promise<void>((resolve) => {
      bench.runner.start(bench.visit(commandHarness(agent), {
        onEvent: (event) => {
          if (event.type !== 'report') return;
          tries += 1;
          if (tries < 4) throw new Error('The database is busy.');
          resolve();
        },
      }));
    });
    expect(tries).toBe(4);
    expect(clock.waits).toHaveLength(3);
  });
});

describe('stopping', () => {
  const STUBBORN = ['trap "" TERM', 'echo $$ > pid', '(trap "" TERM; echo $$; while :; do sleep 1; done) & echo $! > child', 'setsid sh -c \'echo $$ > away; while :; do sleep 1; done\' &', 'touch ready', 'while :; do sleep 1; done'];
  const pids = async (cwd: string): Promise<readonly number[]> => await Promise.all(['pid', 'child', 'away'].map(async (name) => Number(await readFile(join(cwd, name), 'utf8'))));
  const ready = async (cwd: string): Promise<void> => {
    while (!(await stat(join(cwd, 'away')).then(({ size }) => size > 0, () => false)) || !(await stat(join(cwd, 'ready')).then(() => true, () => false))) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('leaves no process, and no event comes afterwards', async () => {
    const bench = await workbench();
    const agent = await script(join(bench.cwd, 'agent.sh'), ...STUBBORN);
    bench.runner.start(bench.visit(commandHarness(agent)));
    await ready(bench.cwd);
    expect(bench.runner.live('build')).toBe('running');
    await bench.runner.stop('build');
    expect((await pids(bench.cwd)).filter(isAlive)).toEqual([]);
    expect(bench.events.map(({ type }) => type)).toEqual(['started']);
    expect(bench.runner.live('build')).toBeUndefined();
    await bench.runner.stop('build');
  });

  it('ends what an earlier server of its home left, and nothing of a visit of the same name in another home', async () => {
    const [own, other] = [await workbench(), await workbench()];
    const agent = async ({ cwd }: { readonly cwd: string }) => commandHarness(await script(join(cwd, 'agent.sh'), ...STUBBORN));
    other.runner.start(other.visit(await agent(other), { runId: own.runId }));
    own.runner.start(own.visit(await agent(own)));
    await Promise.all([ready(own.cwd), ready(other.cwd)]);
    const next = createHeadlessRunner({ home: own.home, env: process.env, graceMs: 200 });
    await next.reap({ runId: own.runId, visitId: own.visit(await agent(own)).visitId });
    expect((await pids(own.cwd)).filter(isAlive)).toEqual([]);
    expect((await pids(other.cwd)).filter((pid) => !isAlive(pid))).toEqual([]);
  });

  it('ends a turn that takes too long, and takes nothing from it', async () => {
    const bench = await workbench({ timeoutMinutes: 0.005, clock: quickClock() });
    const agent = await script(join(bench.cwd, 'agent.sh'), says(reportText()), 'sleep 600');
    const last = await bench.bring(commandHarness(agent));
    expect(last).toMatchObject({ type: 'exhausted', problems: [expect.stringContaining('the limit of one turn')] });
    expect(bench.processes).toHaveLength(6);
    expect(bench.processes.map(({ identity }) => identity.pid).filter(isAlive)).toEqual([]);
  });

  it('refuses another visit of the same key meanwhile, and takes the same one for started', async () => {
    const bench = await workbench();
    const harness = commandHarness(await script(join(bench.cwd, 'agent.sh'), 'sleep 600'));
    expect(bench.runner.start(bench.visit(harness))).toEqual({ started: true });
    expect(bench.runner.start(bench.visit(harness))).toEqual({ started: false });
    expect(() => bench.runner.start(bench.visit(harness, { visitId: 'f'.repeat(32) }))).toThrow(expect.objectContaining({ code: 'run_conflict' }));
    await bench.runner.stop('build');
    expect(bench.runner.start(bench.visit(harness, { visitId: 'f'.repeat(32) }))).toEqual({ started: true });
  });

  it('lets who hears of a report begin the next visit of the node', async () => {
    const bench = await workbench();
    const agent = commandHarness(await script(join(bench.cwd, 'agent.sh'), says(reportText())));
    const next = bench.visit(agent, { visitId: 'f'.repeat(32) });
    bench.runner.start(bench.visit(agent, { onEvent: (event) => void (event.type === 'report' && bench.runner.start(next)) }));
    await bench.seen((event) => event.type === 'report');
    expect(bench.events.at(-1)).toMatchObject({ reportId: `${'f'.repeat(32)}:1` });
  });
});

describe('places', () => {
  it('lets as many work as are allowed, the others in the order in which they came', async () => {
    const bench = await workbench({ maxProcesses: 1 });
    const agent = commandHarness(await script(join(bench.cwd, 'agent.sh'), 'while [ ! -e go ]; do sleep 0.02; done', 'echo $RELAY_FLOW_NODE >> order', says(reportText())));
    const start = (node: string): void => void bench.runner.start(bench.visit(agent, { key: node, visitId: node.repeat(32), launch: { ...bench.launch, env: { RELAY_FLOW_NODE: node } } }));
    for (const node of ['a', 'b', 'c', 'd']) start(node);
    await bench.seen((event) => event.type === 'started');
    await bench.seen((event) => event.type === 'queued' && event.ahead === 3);
    expect(['a', 'b', 'c', 'd'].map((key) => bench.runner.live(key))).toEqual(['running', 'queued', 'queued', 'queued']);
    expect(bench.events.filter(({ type }) => type === 'started')).toHaveLength(1);
    await bench.runner.stop('b');
    await script(join(bench.cwd, 'go'));
    await bench.seen((event) => event.type === 'report' && event.reportId.startsWith('d'));
    expect(await readFile(join(bench.cwd, 'order'), 'utf8')).toBe('a\nc\nd\n');
  });
});
