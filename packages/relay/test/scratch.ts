import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { homeOf, type Home } from '../src/host/home.js';
import { prepareHome } from '../src/host/prepare-home.js';

/** An empty folder that goes with the test. */
export function scratch(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'relay-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export function unmadeHome(): Home {
  return homeOf({ RELAY_FLOW_HOME: join(scratch(), 'home') });
}

/** A home as `init` leaves its folders. */
export function madeHome(): Home {
  const home = unmadeHome();
  mkdirSync(home.root, { mode: 0o700 });
  prepareHome(home);
  return home;
}
