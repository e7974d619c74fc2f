import { afterEach, expect } from 'vitest';
import type { FakeJira } from './fake/server.js';
import { stage, type JiraStage } from './stage.js';

/** Opens stages that are closed after each test, which fails when a call was made that Jira does not know. */
export function staged(): (prepare?: (jira: FakeJira) => void, settings?: unknown) => Promise<JiraStage> {
  const open: JiraStage[] = [];
  afterEach(async () => {
    const complaints = open.flatMap(({ jira }) => jira.complaints);
    await Promise.all(open.splice(0).map((one) => one.close()));
    expect(complaints).toEqual([]);
  });
  return async (prepare, settings) => {
    const one = await stage(prepare, settings);
    open.push(one);
    return one;
  };
}
