import { createRequire } from 'node:module';
import type { Ajv, AnySchemaObject } from 'ajv';
import { FlowsError } from '../errors/flows-error.js';
import type { JsonValue } from '../ports/json.js';
import { endlessReference } from './schema-references.js';
import { ended } from './sentence.js';

/** What does not fit, in one line; `undefined` when everything does. */
export type SchemaCheck = (value: JsonValue) => string | undefined;

type Schema = { readonly [key: string]: JsonValue };

/** The validator is loaded with the first schema: flows without one do not pay for it. */
const load = createRequire(import.meta.url);
const MOST_PROBLEMS = 5;

/** Compiles a JSON Schema (draft 6 to 2020-12). Throws `llm_cli_unresolved` when it is none, or can never come to an end. */
export function compileSchema(schema: Schema): SchemaCheck {
  const endless = endlessReference(schema);
  if (endless !== undefined) {
    throw new FlowsError('llm_cli_unresolved', `f.llm: the output schema refers to itself without end at ${endless}.`, {
      hint: 'Let the reference stand below properties, items or another keyword that goes one level deeper into the reply.',
    });
  }
  try {
    const ajv = validatorFor(schema);
    const validate = ajv.compile(withoutDialect(schema));
    return (value) => {
      if (validate(value)) return undefined;
      const problems = (validate.errors ?? []).slice(0, MOST_PROBLEMS).map(({ instancePath, message }) => `${instancePath === '' ? 'the reply' : instancePath} ${message ?? 'does not fit'}`);
      return [...new Set(problems)].join('; ');
    };
  } catch (error) {
    throw new FlowsError('llm_cli_unresolved', `f.llm: the output schema cannot be used: ${ended(error instanceof Error ? error.message : String(error))}`, {
      hint: 'Correct the schema; see https://json-schema.org.',
    });
  }
}

function validatorFor(schema: Schema): Ajv {
  const dialect = typeof schema['$schema'] === 'string' ? schema['$schema'] : '';
  const module = /draft-0[67]/.test(dialect) ? 'ajv' : dialect.includes('2019-09') ? 'ajv/dist/2019.js' : 'ajv/dist/2020.js';
  const { default: Validator } = load(module) as { readonly default: new (options: object) => Ajv };
  // Not strict: people bring schemas made for other tools. Formats are annotations, as the standard has it.
  return new Validator({ strict: false, allErrors: true, validateFormats: false, logger: false });
}

/** Any address of the dialect will do, with http, with https, with an empty fragment. */
function withoutDialect({ $schema: _dialect, ...schema }: Schema): AnySchemaObject {
  return schema;
}
