import { accessSync, chmodSync, constants, copyFileSync, existsSync, linkSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { agentCli, type AgentCliName } from '@relayflows/stub-llm';
import { describe, it, onTestFinished } from 'vitest';

/** The absolute path of a program on the PATH, or `undefined`. */
export function tool(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const file = join(folder || '.', name);
    try {
      accessSync(file, constants.X_OK);
      return file;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** A test that needs programs from outside: `it` where they are installed. */
export interface ToolTest {
  (name: string, body: () => unknown, timeoutMs?: number): void;

  /** A group of tests that all need them. */
  describe(name: string, body: () => void): void;
}

/**
 * `needs('busybox')('runs under busybox', () => …)`: where a program is missing the test is skipped and its name says which one; with
 * `REQUIRE_TOOLS=1` it fails instead.
 */
export function needs(...programs: readonly string[]): ToolTest {
  return needsAll(programs.filter((name) => tool(name) === undefined), 'Install it');
}

/** The same for coding-agent CLIs at their pinned versions. */
export function needsAgentCli(...names: readonly AgentCliName[]): ToolTest {
  return needsAll(names.filter((name) => agentCli(name) === undefined), 'Run npm run test:agents, which installs it');
}

function needsAll(missing: readonly string[], remedy: string): ToolTest {
  if (missing.length === 0) {
    return Object.assign((name: string, body: () => unknown, timeoutMs?: number): void => it(name, body, timeoutMs), { describe });
  }

  const label = (name: string): string => `${name} (needs ${missing.join(', ')})`;
  const report = (name: string): void => {
    if (process.env['REQUIRE_TOOLS'] !== '1') {
      it.skip(label(name));
      return;
    }
    it(label(name), () => {
      throw new Error(`Not installed: ${missing.join(', ')}. ${remedy}, or unset REQUIRE_TOOLS to skip this test.`);
    });
  };
  return Object.assign(report, { describe: report });
}

/** The lines that a process has written into a file so far: it may not have begun, and its last line may not be whole yet. */
export function wholeLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];
}

/** What a process has said in a file of one JSON value a line so far. */
export function jsonLines<T>(path: string): T[] {
  return wholeLines(path).map((line) => JSON.parse(line) as T);
}

/** What nobody needs any more is gone afterwards: how much of it is left at a moment of the engine's own choosing depends on how busy the machine is. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}

/** This Node where another user can execute it: root's own may lie below a home directory that is closed to others. */
export function nodeForOthers(): string {
  const folder = mkdtempSync(join(tmpdir(), 'relayflows-node-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, 0o755);
  const node = join(folder, 'node');
  try {
    linkSync(process.execPath, node);
  } catch {
    copyFileSync(process.execPath, node);
  }
  return node;
}
