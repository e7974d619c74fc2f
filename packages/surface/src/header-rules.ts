import { describeValue } from './describe-value.js';

/** What is wrong with a header, as sentences that name the path. */
export interface HeaderProblems {
  readonly unknownKeys: readonly string[];
  readonly invalidValues: readonly string[];
}

interface Problems {
  readonly unknownKeys: string[];
  readonly invalidValues: string[];
}

type Rule = (value: unknown, path: string, problems: Problems) => void;

/** Checks a header that is plain data. The syntax of a budget and of child paths is the runtime's to read. */
export function headerProblems(header: unknown): HeaderProblems {
  const problems: Problems = { unknownKeys: [], invalidValues: [] };
  HEADER(header, 'header', problems);
  return problems;
}

/** A value of one kind, described for the message. */
function kind(expected: string, fits: (value: unknown) => boolean): Rule {
  return (value, path, problems) => {
    if (!fits(value)) problems.invalidValues.push(`${path} must be ${expected}, got ${describeValue(value)}`);
  };
}

/** An object with known members only. */
function members(rules: Readonly<Record<string, Rule>>, required: readonly string[] = []): Rule {
  return record((key, path, problems) => {
    if (Object.hasOwn(rules, key)) return rules[key];
    problems.unknownKeys.push(`unknown key "${key}" in ${path}; known keys are ${Object.keys(rules).join(', ')}`);
    return undefined;
  }, required);
}

/** An object whose members are each checked by a rule of their own. */
function record(ruleOf: (key: string, path: string, problems: Problems) => Rule | undefined, required: readonly string[] = []): Rule {
  return (value, path, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      problems.invalidValues.push(`${path} must be an object, got ${describeValue(value)}`);
      return;
    }
    for (const [key, member] of Object.entries(value)) ruleOf(key, path, problems)?.(member, `${path}.${key}`, problems);
    for (const key of required) {
      if (!Object.hasOwn(value, key)) problems.invalidValues.push(`${path}.${key} is missing`);
    }
  };
}

const isStringList = (value: unknown): boolean => Array.isArray(value) && value.every((entry) => typeof entry === 'string');
const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

const text = kind('a string', (value) => typeof value === 'string');
const filledText = kind('a string that is not blank', (value) => typeof value === 'string' && value.trim() !== '');
const flag = kind('true or false', (value) => typeof value === 'boolean');
const textList = kind('a list of strings', isStringList);
const helper = kind('true, false or a list of strings', (value) => typeof value === 'boolean' || isStringList(value));
const scalar = kind('a number or a string', (value) => typeof value === 'number' || typeof value === 'string');
const budgetForm = kind('a string or an object of limits', (value) => typeof value === 'string' || isObject(value));

const budgetLimits = members({ tokens: scalar, dollars: scalar, wallclock: scalar });
const budget: Rule = (value, path, problems) => (isObject(value) ? budgetLimits : budgetForm)(value, path, problems);

const agent = members({ cli: filledText, model: filledText }, ['cli', 'model']);

const HEADER = members({
  use: textList,
  version: filledText,
  hooks: textList,
  budget,
  memory: members({ script: flag, agent: flag }),
  tools: record((key) => (key === 'relayfile' || key === 'mcp' ? textList : helper)),
  identity: text,
  workspace: text,
  agents: record(() => agent),
});
