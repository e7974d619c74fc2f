import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { shippedScenario } from '@relayflows/stub-llm';
import { expect, test } from 'vitest';
import { PROJECT } from '../flow/project.js';
import { Garden } from './garden.js';

const FOLDER = new URL('../../../../published/flows/software-garden/', import.meta.url);

test('the newest published version lets claude build and codex review', async () => {
  const { version } = JSON.parse(readFileSync(new URL('manifest.json', FOLDER), 'utf8')) as { readonly version: number };
  const garden = await Garden.create(['claude', 'codex'], shippedScenario('garden-change'), PROJECT);
  const { completionReason } = await garden.run(() => readFileSync(fileURLToPath(new URL(`v${version}.flow.ts`, FOLDER)), 'utf8'));
  expect({ completionReason, roles: garden.roles }).toEqual({ completionReason: 'needs_human', roles: ['check-discovery', 'planner', 'plan-reviewer', 'implementer', 'adversary'] });
  expect(garden.changes).toMatchObject([{ draft: false }]);
  expect(garden.place.pushed()).toEqual(['check.sh', 'hello.txt', 'state.txt']);
});
