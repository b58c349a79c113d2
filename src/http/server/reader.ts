// Reading the wire against a schema: every fault at once, and whatever was right beside them, so that rules about two
// fields can still speak of those that can be read.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { IsInteger, IsObject, type Static, type TSchema } from 'typebox';
import type { DeepPartial } from '../../api/wire.ts';
import { parseDuration, parseRfc3339, parseUtc } from '../../lib/date-times.ts';
import type { Fault } from '../../lib/errors.ts';
import { isUuid } from '../../lib/ids.ts';
import { isStorable } from '../../lib/text.ts';

type Part = 'body' | 'query';

/** What was read: the whole value, or what is right in it and everything that is wrong. */
export type Reading<T> =
  | { readonly isWhole: true; readonly value: T; readonly partial: DeepPartial<T>; readonly faults: readonly [] }
  | { readonly isWhole: false; readonly partial: DeepPartial<T>; readonly faults: readonly Fault[] };

export type Reader<T> = (data: unknown) => Reading<T>;

const MAX_FAULTS = 100;
const MAX_NAME_LENGTH = 100;
const WHOLE_NUMBER = /^-?(0|[1-9]\d*)$/;

const DATE_TIME_WORDS = {
  body: 'must be a date-time such as 2026-12-01T12:00:00-03:00',
  query: 'must be a date and time in UTC such as 2024-02-29T10:30Z',
} as const satisfies Record<Part, string>;

const validators = { body: createAjv('body'), query: createAjv('query') };

/**
 * A function that reads data of this schema. In a query everything is text, so whole numbers are made of it first. Compiles
 * the schema when the first data comes: to compile all of them would be a quarter of what a start costs.
 */
export function reader<S extends TSchema>(schema: S, part: Part): Reader<Static<S>> {
  let compiled: ValidateFunction<Static<S>> | undefined;
  return data => {
    compiled ??= validators[part].compile<Static<S>>(schema);
    const validate = compiled;
    const value = part === 'query' ? withNumbers(schema, data) : data;
    if (validate(value)) return { isWhole: true, value, partial: partialOf(value), faults: [] };
    const errors = firstOfEachPlace(validate.errors ?? []);
    const faults = errors.slice(0, MAX_FAULTS).map(error => toFault(error, part));
    // Faults beyond the limit are not taken out one by one, so nothing of such a value is used.
    const rest =
      errors.length > MAX_FAULTS ? {} : errors.reduce((left, error) => without(left, faultySegments(error)), value);
    return { isWhole: false, partial: partialOf(isObject(rest) ? rest : {}), faults };
  };
}

/** The compiler cannot know it: a value that fits the schema, with or without some of its fields. */
function partialOf<T>(value: unknown): DeepPartial<T> {
  return value as DeepPartial<T>;
}

/** One fault for each field is enough: a field of the wrong type need not be reported for its limits too. */
function firstOfEachPlace(errors: readonly ErrorObject[]): ErrorObject[] {
  const places = new Set<string>();
  return errors.filter(error => {
    const place = JSON.stringify(faultySegments(error));
    return !places.has(place) && places.add(place);
  });
}

function createAjv(part: Part): Ajv {
  const ajv = new Ajv({ allErrors: true, strict: true, strictTypes: false, verbose: true, formats: { uuid: isUuid } });
  ajv.addFormat('date-time', text => (part === 'query' ? parseUtc(text) : parseRfc3339(text)) !== undefined);
  ajv.addFormat('date', text => /^\d{4}-\d{2}-\d{2}$/.test(text) && parseUtc(`${text}T00:00Z`) !== undefined);
  ajv.addFormat('duration', text => parseDuration(text) !== undefined);
  ajv.addKeyword({ keyword: 'x-storable', type: 'string', validate: (_: true, text: string) => isStorable(text) });
  return ajv;
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
  return { path: dotted(faultySegments(error)), code: codeOf(error), message: messageOf(error, part) };
}

/** Where the fault lies: for a missing or unknown field that is the field, not the object around it. */
function faultySegments({ instancePath, keyword, params }: ErrorObject): string[] {
  const segments = instancePath.split('/').slice(1).map(unescapePointer);
  if (keyword === 'required') return [...segments, params['missingProperty']];
  if (keyword === 'additionalProperties') return [...segments, params['additionalProperty']];
  return segments;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

function dotted(segments: readonly string[]): string {
  return segments
    .map(shortName)
    .reduce(
      (path, segment) =>
        /^\d+$/.test(segment) && path ? `${path}[${segment}]` : path ? `${path}.${segment}` : segment,
      '',
    );
}

/** A name as it is repeated to the caller: half of a surrogate pair, sent or left by the cut, would spoil the answer's JSON. */
function shortName(name: string): string {
  return (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name).toWellFormed();
}

function codeOf({ keyword, parentSchema }: ErrorObject): string {
  if (isDateTimePattern(keyword, parentSchema)) return 'format';
  const codes: Record<string, string> = {
    additionalProperties: 'unknown',
    'x-storable': 'unstorable_text',
    pattern: 'blank',
    minLength: 'empty',
    maxLength: 'too_long',
    minItems: 'empty',
    maxItems: 'too_long',
    enum: 'not_allowed',
  };
  return codes[keyword] ?? keyword;
}

function messageOf(error: ErrorObject, part: Part): string {
  const { keyword, params, data, parentSchema } = error;
  if (isDateTimePattern(keyword, parentSchema)) return DATE_TIME_WORDS[part];
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return part === 'query' ? 'is not a known parameter' : 'is not a known field';
    case 'type':
      if (part === 'query' && Array.isArray(data)) return 'must be given only once';
      return `must be ${TYPE_WORDS[params['type'] as string] ?? params['type']}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as string[]).join(', ')}`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'minLength':
    case 'minItems':
      return 'must not be empty';
    case 'maxItems':
      return `must have at most ${params['limit']} entries`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    case 'pattern':
      return 'must not be blank';
    case 'format':
      return FORMAT_WORDS[params['format'] as string] ?? DATE_TIME_WORDS[part];
    case 'const':
      return `must be ${params['allowedValue']}`;
    case 'x-storable':
      return 'must not contain U+0000 or half of a surrogate pair';
    default:
      return 'is not valid';
  }
}

/** A date-time's pattern only says in another way what its format says. */
function isDateTimePattern(keyword: string, schema: ErrorObject['parentSchema']): boolean {
  return keyword === 'pattern' && schema?.['format'] === 'date-time';
}

const FORMAT_WORDS: Record<string, string> = {
  date: 'must be a day such as 2026-12-10',
  duration: 'must be a length of time such as P3D or PT2H',
  uuid: 'must be a UUID',
};

const TYPE_WORDS: Record<string, string> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  object: 'an object',
  array: 'a list',
  'number,string': 'a number or decimal text',
};

/** A copy of the value without what lies at the path; everything around it is left as it was. */
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
