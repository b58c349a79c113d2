// Schemas that several resources share. One schema validates, types and documents.
import assert from 'node:assert/strict';
import { type Static, type TOptional, type TSchema, Type } from 'typebox';
import { parseRfc3339 } from '../lib/date-times.ts';

type Options = { readonly description?: string };

const MAX_TEXT_LENGTH = 255;

/** Text that is not blank. */
export const Text = (options: Options & { readonly maxLength?: number; readonly format?: string } = {}) =>
  Type.String({ minLength: 1, maxLength: MAX_TEXT_LENGTH, pattern: '\\S', 'x-storable': true, ...options });

/** The id of a new account: two spellings that look the same must not be two accounts. */
export const AccountId = (options: Options = {}) => Text({ format: 'account-id', ...options });

/** An e-mail address and a phone number, checked by their form only. */
export const Email = (options: Options = {}) =>
  Type.String({ format: 'email', maxLength: 254, 'x-storable': true, ...options });
export const Phone = (options: Options = {}) => Type.String({ format: 'phone', ...options });

/** Any text, even empty. */
export const LooseText = (options: Options & { readonly maxLength?: number } = {}) =>
  Type.String({ maxLength: MAX_TEXT_LENGTH, 'x-storable': true, ...options });

export const Uuid = (options: Options = {}) => Type.String({ format: 'uuid', ...options });

export const DateTime = (options: Options & { readonly pattern?: string } = {}) =>
  Type.String({ format: 'date-time', ...options });

/** The moment of a valid DateTime text. */
export function dateOf(text: string): Date {
  const date = parseRfc3339(text);
  assert(date, 'a schema lets only date-times through');
  return date;
}

/** A moment in UTC in the format of `GET /crypto/transactions`: seconds are optional, the Z is not. */
export const UtcDateTime = (options: Options = {}) =>
  DateTime({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?Z$', ...options });

/** One value of a closed list. */
export const OneOf = <const T extends string>(values: readonly T[], options: Options = {}) =>
  Type.Enum([...values], { type: 'string', ...options });

/** Makes all of these fields optional. */
export function optional<T extends Readonly<Record<string, TSchema>>>(
  fields: T,
): { [Field in keyof T]: TOptional<T[Field]> } {
  const all = Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]);
  return Object.fromEntries(all) as { [Field in keyof T]: TOptional<T[Field]> };
}

/** In a change: an absent field stays, and null removes it. */
export const orNull = <S extends TSchema>(schema: S) => Type.Optional(Type.Union([schema, Type.Null()]));

/** A civil day, `YYYY-MM-DD`. */
export const Day = (options: Options = {}) => Type.String({ format: 'date', ...options });

const MAX_DECIMAL_LENGTH = 100;

/** A JSON number, or text for callers whose numbers would lose digits. */
export const Decimal = (options: Options = {}) =>
  Type.Unsafe<number | string>({ type: ['number', 'string'], maxLength: MAX_DECIMAL_LENGTH, ...options });

/** The name of a schema under components of the document: its `$id`. */
export function nameOf(schema: TSchema): string | undefined {
  return '$id' in schema && typeof schema.$id === 'string' ? schema.$id : undefined;
}

/** A reference to a named schema, which the document has once. */
export function Ref<S extends TSchema>(schema: S) {
  const name = nameOf(schema);
  assert(name !== undefined, 'only a schema with an $id can be referred to');
  return Type.Unsafe<Static<S>>({ $ref: `${name}#` });
}
