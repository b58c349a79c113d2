// Reads requests by a schema: reports every fault at once, and returns the valid fields, so that rules about several fields can still
// check those.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { IsInteger, IsObject, type Static, type TSchema } from 'typebox';
import type { DeepPartial } from '../../api/wire.ts';
import { parseDuration, parseRfc3339, parseUtc } from '../../lib/date-times.ts';
import type { Fault } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { dotted, firstOfEachPlace, messageOf, segmentsOf } from '../../lib/schema-errors.ts';
import { isPlainId, isStorable } from '../../lib/text.ts';

type Part = 'body' | 'query';

/** The result: the complete value, or its valid fields and all faults. */
export type Reading<T> =
  | { readonly isWhole: true; readonly value: T; readonly partial: DeepPartial<T>; readonly faults: readonly [] }
  | { readonly isWhole: false; readonly partial: DeepPartial<T>; readonly faults: readonly Fault[] };

type Reader<T> = (data: unknown) => Reading<T>;

const MAX_FAULTS = 100;
const WHOLE_NUMBER = /^-?(0|[1-9]\d*)$/;

const DATE_TIME_MESSAGES = {
  body: 'must be a date-time such as 2026-12-01T12:00:00-03:00',
  query: 'must be a date-time such as 2026-12-01T12:00:00-03:00, with a + written as %2B',
} as const satisfies Record<Part, string>;
const UTC_MESSAGE = 'must be a date and time in UTC such as 2024-02-29T10:30Z';

const ajv = createAjv();

/**
 * A function that reads data of this schema. In a query everything is text, so whole numbers are converted first. Compiles the schema on
 * first use: compiling all of them would be a quarter of the cost of a start.
 */
export function reader<S extends TSchema>(schema: S, part: Part): Reader<Static<S>> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return data => {
    compiled ??= ajv.compile<Static<S>>(schema);
    const validate = compiled;
    const value = part === 'query' ? withNumbers(schema, data) : data;
    if (validate(value)) return { isWhole: true, value, partial: partialOf(value), faults: [] };
    const errors = firstOfEachPlace(validate.errors ?? []);
    const faults = errors.slice(0, MAX_FAULTS).map(error => toFault(error, part));
    // Beyond the limit of faults nothing of the value is used.
    const rest =
      errors.length > MAX_FAULTS ? {} : errors.reduce((left, error) => without(left, segmentsOf(error)), value);
    return { isWhole: false, partial: partialOf(isObject(rest) ? rest : {}), faults };
  };
}

/** The compiler cannot know this: a value that fits the schema, possibly without some of its fields. */
function partialOf<T>(value: unknown): DeepPartial<T> {
  return value as DeepPartial<T>;
}

function createAjv(): Ajv {
  const made = new Ajv({ allErrors: true, strict: true, strictTypes: false, verbose: true, formats: { uuid: isUuid } });
  made.addFormat('date-time', text => parseRfc3339(text) !== undefined);
  made.addFormat('date', text => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseUtc(`${text}T00:00Z`) !== undefined);
  made.addFormat('email', isEmail);
  made.addFormat('account-id', isPlainId);
  made.addFormat('phone', /^\+[1-9]\d{7,14}$/);
  made.addFormat('duration', text => parseDuration(text) !== undefined);
  made.addKeyword({ keyword: 'x-storable', type: 'string', validate: (_: true, text: string) => isStorable(text) });
  return made;
}

function withNumbers(schema: TSchema, data: unknown): unknown {
  if (!IsObject(schema) || !isObject(data)) return data;
  const entries = Object.entries(data).map(([name, value]) => {
    const isNumber = IsInteger(schema.properties[name]) && typeof value === 'string' && WHOLE_NUMBER.test(value);
    return [name, isNumber ? Number(value) : value];
  });
  return Object.fromEntries(entries);
}

function toFault(error: ErrorObject, part: Part): Fault {
  return { path: dotted(segmentsOf(error)), code: codeOf(error), message: messageIn(part, error) };
}

function codeOf({ keyword, parentSchema }: ErrorObject): string {
  if (isDateTimeFault(keyword, parentSchema)) return 'format';
  const codes: Record<string, string> = {
    additionalProperties: 'unknown',
    'x-storable': 'unstorable_text',
    minLength: 'empty',
    maxLength: 'too_long',
    minItems: 'empty',
    maxItems: 'too_long',
    maxProperties: 'too_long',
    enum: 'not_allowed',
  };
  if (keyword === 'pattern') return parentSchema?.['pattern'] === '\\S' ? 'blank' : 'format';
  return codes[keyword] ?? keyword;
}

function messageIn(part: Part, error: ErrorObject): string {
  const { keyword, params, data, parentSchema, propertyName } = error;
  if (propertyName !== undefined) return nameMessageOf(error);
  if (isDateTimeFault(keyword, parentSchema)) {
    return parentSchema?.['pattern'] === undefined ? DATE_TIME_MESSAGES[part] : UTC_MESSAGE;
  }
  if (part === 'query' && keyword === 'additionalProperties') return 'is not a known parameter';
  if (part === 'query' && keyword === 'type' && Array.isArray(data)) return 'must be given only once';
  if (keyword === 'format') return FORMAT_MESSAGES[params['format']] ?? messageOf(error);
  if (keyword === 'pattern') return PATTERN_MESSAGES[params['pattern']] ?? messageOf(error);
  if (keyword === 'x-storable') return 'must not contain U+0000 or half of a surrogate pair';
  return messageOf(error);
}

/** The fault of a field name that the caller chose. */
function nameMessageOf({ keyword, params }: ErrorObject): string {
  if (keyword === 'minLength') return 'must have a name';
  if (keyword === 'maxLength') return `must have a name of at most ${params['limit']} characters`;
  return 'must have a name without U+0000 or half of a surrogate pair';
}

/** A local part, and a domain of at least two labels. Letters of any script: only a message can show whether it exists. */
function isEmail(text: string): boolean {
  return /^[^\s@]{1,64}@[^\s@.]+(\.[^\s@.]+)+$/.test(text);
}

/** Where a date-time has a pattern, that asks for more than its format: for UTC. */
function isDateTimeFault(keyword: string, schema: ErrorObject['parentSchema']): boolean {
  return (keyword === 'format' || keyword === 'pattern') && schema?.['format'] === 'date-time';
}

const FORMAT_MESSAGES: Record<string, string> = {
  'account-id': 'must have no blanks at its ends and no invisible characters, and be in Unicode form NFC',
  date: 'must be a day such as 2026-12-10',
  email: 'must be an e-mail address such as maria@example.com',
  phone: 'must be a phone number such as +5511987654321',
  duration: 'must be a length of time such as P3D or PT2H',
  uuid: 'must be a UUID',
};

const PATTERN_MESSAGES: Record<string, string> = {
  '\\S': 'must not be blank',
  '^#[0-9A-Fa-f]{6}$': 'must be a colour such as #0b6b4a',
};

/** A copy of the value without the field at the path; the original stays as it is. */
function without(value: unknown, [first, ...rest]: readonly string[]): unknown {
  if (first === undefined) return undefined;
  if (Array.isArray(value)) return undefined;
  if (!isObject(value) || !Object.hasOwn(value, first)) return value;
  const { [first]: inner, ...others } = value;
  const kept = without(inner, rest);
  return kept === undefined ? others : { ...others, [first]: kept };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
