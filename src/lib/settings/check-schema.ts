// Checks JSON of the settings against a schema and reports every fault with its path.
import { Ajv, type ErrorObject } from 'ajv';
import type { Static, TSchema } from 'typebox';
import { dotted, firstOfEachPlace, messageOf, segmentsOf } from '../schema-errors.ts';

/** A check without a JSON Schema keyword; a schema has it as `x-check`. */
export type Check = { readonly holds: (value: unknown) => boolean; readonly message: string };

/** `path`: for example `sources[1].url`; empty for the whole value. */
type SchemaFault = { readonly path: string; readonly message: string };

const MAX_FAULTS = 100;

const ajv = new Ajv({ allErrors: true, strict: true, verbose: true, discriminator: true });
ajv.addKeyword({ keyword: 'x-check', validate: (check: Check, value: unknown) => check.holds(value) });

type Checked<T> = { readonly value: T } | { readonly faults: readonly SchemaFault[] };

/** The value, typed by its schema, or every fault, one for each place. */
export function checkSchema<S extends TSchema>(schema: S, value: unknown): Checked<Static<S>> {
  const validate = ajv.compile<Static<S>>(schema);
  if (validate(value)) return { value };
  const errors = firstOfEachPlace(validate.errors ?? []).slice(0, MAX_FAULTS);
  return { faults: errors.map(error => toFault(error, Array.isArray(value))) };
}

function toFault(error: ErrorObject, isList: boolean): SchemaFault {
  const message = isCheck(error.schema) ? error.schema.message : messageOf(error);
  return { path: dotted(segmentsOf(error), { isList }), message };
}

function isCheck(schema: unknown): schema is Check {
  return typeof schema === 'object' && schema !== null && 'holds' in schema && 'message' in schema;
}
