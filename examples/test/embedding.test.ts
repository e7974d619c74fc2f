import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished, vi } from 'vitest';
import { example, Practice } from './practice.js';

/** The service in a process of its own, as `node main.mjs` starts it. */
class Service {
  private readonly child: ChildProcess;
  private readonly url: string;

  private constructor(child: ChildProcess, url: string) {
    this.child = child;
    this.url = url;
  }

  static async start(practice: Practice): Promise<Service> {
    const child = spawn(process.execPath, [example('07-embedding/main.mjs'), '0'], { cwd: practice.work, stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
    return new Service(child, url);
  }

  async kill(signal: NodeJS.Signals): Promise<void> {
    const exit = once(this.child, 'exit');
    this.child.kill(signal);
    await exit;
  }

  async get(path: string): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(this.url + path);
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async post(path: string, body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
    const response = await fetch(this.url + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  async startRelease(version: string): Promise<string> {
    const { status, body } = await this.post('/runs', { flow: 'release', input: { version } });
    expect(status).toBe(202);
    return body['id'] as string;
  }

  until(id: string, expected: Record<string, unknown>): Promise<void> {
    return vi.waitFor(async () => expect(await this.get(`/runs/${id}`)).toMatchObject({ status: 200, body: expected }), { timeout: 120_000, interval: 50 });
  }
}

it('07 runs a flow, asks, survives kill -9, and goes on with the answer', async () => {
  const practice = await Practice.create();
  const first = await Service.start(practice);
  const id = await first.startRelease('2.0.0');
  const question = { waitId: 'human-1', question: 'Release 2.0.0?', to: 'release-team' };
  await first.until(id, { status: 'parked', questions: [question] });
  await first.kill('SIGKILL');

  const second = await Service.start(practice);
  await second.until(id, { status: 'parked', questions: [question] });
  expect(await second.post(`/runs/${id}/answers`, { waitId: 'human-1', answer: true, by: 'ada' })).toMatchObject({ status: 202 });
  await second.until(id, { status: 'completed', completionReason: 'success', completionDetail: 'released 2.0.0', questions: [] });
  expect(await readFile(join(practice.work, 'RELEASED'), 'utf8')).toBe('2.0.0\n');
  await second.kill('SIGTERM');
});

it('07 takes many runs at once', async () => {
  const practice = await Practice.create();
  const service = await Service.start(practice);
  const ids = await Promise.all(Array.from({ length: 20 }, (_, index) => service.startRelease(`1.0.${index}`)));
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) await service.until(id, { status: 'parked' });
  await Promise.all(ids.map((id) => service.post(`/runs/${id}/answers`, { waitId: 'human-1', answer: false, by: 'ada' })));
  for (const id of ids) await service.until(id, { status: 'completed', completionReason: 'declined' });
});

it('07 refuses what it cannot do, with a code', async () => {
  const service = await Service.start(await Practice.create());
  expect(await service.get('/elsewhere')).toMatchObject({ status: 404, body: { code: 'no_such_route' } });
  expect(await service.get('/runs/00000000000')).toMatchObject({ status: 404, body: { code: 'run_not_found' } });
  expect(await service.post('/runs', '{')).toMatchObject({ status: 400, body: { code: 'body_invalid' } });
  expect(await service.post('/runs', { flow: 'unknown' })).toMatchObject({ status: 400, body: { code: 'run_not_registered' } });

  const id = await service.startRelease('3.0.0');
  await service.until(id, { status: 'parked' });
  expect(await service.post(`/runs/${id}/answers`, { waitId: 'human-9', answer: true, by: 'ada' })).toMatchObject({ status: 404, body: { code: 'human_wait_unknown' } });
});
