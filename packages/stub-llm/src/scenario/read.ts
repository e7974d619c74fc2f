import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { checkScenario } from './check.js';
import type { Scenario } from './scenario.js';

/** The scenarios that come with the package. */
export const SHIPPED_SCENARIOS = ['error-401', 'error-429', 'garden-change', 'garden-question', 'implement-and-commit', 'needs-input', 'question-only', 'review-clean', 'slow'] as const;

export type ShippedScenario = (typeof SHIPPED_SCENARIOS)[number];

export function shippedScenario(name: ShippedScenario): Scenario {
  return readScenario(fileURLToPath(new URL(`../../scenarios/${name}.json`, import.meta.url)));
}

/** The scenario in a JSON file. Throws a `ScenarioError` that names the file when it is none. */
export function readScenario(file: string): Scenario {
  const text = readFileSync(file, 'utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
  return checkScenario(value, file);
}
