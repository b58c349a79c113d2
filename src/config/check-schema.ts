// Checks JSON against a schema and names every fault with its path. No value is repeated: any of them may be a secret.
import { Ajv, type ErrorObject } from 'ajv';
import type { Static, TSchema } from 'typebox';

/** A check that JSON Schema has no keyword for; a schema carries it as `x-check`. */
export type Check = { readonly holds: (value: unknown) => boolean; readonly message: string };

/** `path` is such as `sources[1].url`; empty for the value as a whole. */
export type SchemaFault = { readonly path: string; readonly message: string };

const MAX_FAULTS = 100;
const MAX_NAME_LENGTH = 100;

const ajv = new Ajv({ allErrors: true, strict: true, verbose: true });
ajv.addKeyword({ keyword: 'x-check', validate: (check: Check, value: unknown) => check.holds(value) });

export type Checked<T> = { readonly value: T } | { readonly faults: readonly SchemaFault[] };

/** The value, typed by its schema, or every fault, one for each place. */
export function checkSchema<S extends TSchema>(schema: S, value: unknown): Checked<Static<S>> {
  const validate = ajv.compile<Static<S>>(schema);
  if (validate(value)) return { value };
  const faults = new Map<string, SchemaFault>();
  for (const error of validate.errors ?? []) {
    const path = pathOf(error);
    if (faults.size < MAX_FAULTS && !faults.has(path)) faults.set(path, { path, message: messageOf(error) });
  }
  return { faults: [...faults.values()] };
}

/** For a missing or unknown field this is the field, not the object around it. */
function pathOf({ instancePath, keyword, params }: ErrorObject): string {
  const steps = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'required') steps.push(params['missingProperty']);
  if (keyword === 'additionalProperties') steps.push(params['additionalProperty']);
  return steps.map(shorten).reduce((path, step) => path + pathStep(step, path === ''), '');
}

function pathStep(step: string, isFirst: boolean): string {
  if (/^\d+$/.test(step)) return `[${step}]`;
  return isFirst ? step : `.${step}`;
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function shorten(name: string): string {
  return name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name;
}

const TYPE_WORDS: Readonly<Record<string, string>> = { string: 'text', object: 'an object', array: 'a list' };

function messageOf({ keyword, params, schema }: ErrorObject): string {
  if (isCheck(schema)) return schema.message;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'type':
      return `must be ${TYPE_WORDS[params['type']] ?? params['type']}`;
    case 'enum':
      return `must be one of ${params['allowedValues'].join(', ')}`;
    case 'minItems':
      return 'must not be empty';
    case 'maxItems':
      return `must have at most ${params['limit']} entries`;
    default:
      return 'is not valid';
  }
}

function isCheck(schema: unknown): schema is Check {
  return typeof schema === 'object' && schema !== null && 'holds' in schema && 'message' in schema;
}
