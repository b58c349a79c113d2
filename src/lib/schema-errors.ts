// Paths and messages for the errors of JSON Schema checks. Values are never repeated, since any of them may be a secret.
import type { ErrorObject } from 'ajv';

const MAX_NAME_LENGTH = 100;

/**
 * One fault for each field is enough: a field of the wrong type need not be reported for its limits too. A value that fits no branch of a
 * union has the faults of the branches; that it is not null either helps no caller.
 */
export function firstOfEachPlace(errors: readonly ErrorObject[]): ErrorObject[] {
  const places = new Set<string>();
  return errors.filter(error => {
    if (error.keyword === 'anyOf' || (error.keyword === 'type' && error.params['type'] === 'null')) return false;
    const place = JSON.stringify(segmentsOf(error));
    return !places.has(place) && places.add(place);
  });
}

/** The path of the fault: for a missing, unknown or wrongly named field that of the field, not of its object. */
export function segmentsOf({ instancePath, keyword, params, propertyName }: ErrorObject): string[] {
  const segments = instancePath.split('/').slice(1).map(unescapePointer);
  if (propertyName !== undefined) return [...segments, propertyName];
  if (keyword === 'propertyNames') return [...segments, params['propertyName']];
  if (keyword === 'discriminator') return [...segments, params['tag']];
  if (keyword === 'required') return [...segments, params['missingProperty']];
  if (keyword === 'additionalProperties') return [...segments, params['additionalProperty']];
  return segments;
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** The path as text, such as `sources[1].url`; empty for the value as a whole. */
export function dotted(segments: readonly string[], { isList = false } = {}): string {
  return segments.map(shortName).reduce((path, segment) => {
    const isIndex = /^\d+$/.test(segment) && (path !== '' || isList);
    if (isIndex) return `${path}[${segment}]`;
    return path === '' ? segment : `${path}.${segment}`;
  }, '');
}

/** A name for a message: half of a surrogate pair, sent or left by the cut, would break the JSON of an answer. */
function shortName(name: string): string {
  return (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name).toWellFormed();
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'a whole number',
  object: 'an object',
  array: 'a list',
  'number,string': 'a number or decimal text',
};

/** The fault, as a text that follows the path. */
export function messageOf({ keyword, params }: ErrorObject): string {
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      return 'is not a known field';
    case 'type':
      return `must be ${TYPE_NAMES[params['type']] ?? params['type']}`;
    case 'enum':
      return `must be one of ${params['allowedValues'].join(', ')}`;
    case 'const':
      return `must be ${params['allowedValue']}`;
    case 'minimum':
      return `must be at least ${params['limit']}`;
    case 'maximum':
      return `must be at most ${params['limit']}`;
    case 'exclusiveMinimum':
      return `must be more than ${params['limit']}`;
    case 'exclusiveMaximum':
      return `must be less than ${params['limit']}`;
    case 'minLength':
    case 'minItems':
      return 'must not be empty';
    case 'maxItems':
    case 'maxProperties':
      return `must have at most ${params['limit']} entries`;
    case 'maxLength':
      return `must have at most ${params['limit']} characters`;
    default:
      return 'is not valid';
  }
}
