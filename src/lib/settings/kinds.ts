// The kinds of values that settings take: how a text is read, and its description in faults and documentation.
import path from 'node:path';
import type { Static, TSchema } from 'typebox';
import { addDuration, type Duration, parseDuration } from '../date-times.ts';
import { comparePercents, plainPercent } from '../percents.ts';
import { checkSchema } from './check-schema.ts';

/** A fault of a text. */
export type Wrong = {
  /** The path inside the value, such as `[1].url`; when absent, the whole value. */
  readonly at?: string;
  readonly message: string;
  /** The part of the text that a fault repeats, unless the setting is secret. */
  readonly quote?: string;
};

type Parsed<T> = { readonly value: T } | { readonly wrong: readonly Wrong[] };

export type Kind<T> = {
  /** The description of a value: `a whole number from 1 to 100`. */
  readonly description: string;
  readonly parse: (text: string) => Parsed<T>;
  /** The schema of a value that is JSON. */
  readonly schema?: TSchema;
  /** How a value in effect is printed; when absent, as it was given. */
  show?(value: T): string;
};

/** A kind that reads the text as a whole, and has one fault for any wrong text. */
export function kindOf<T>(description: string, read: (text: string) => T | undefined): Kind<T> {
  return {
    description,
    parse: text => {
      const value = read(text);
      return value === undefined ? { wrong: [{ message: `must be ${description}`, quote: text }] } : { value };
    },
  };
}

export const text = (description: string) => kindOf(description, given => given);

export function wholeNumber(least: number, most: number): Kind<number> {
  return kindOf(`a whole number from ${least} to ${most}`, given => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  });
}

export function oneOf<const T extends string>(allowed: readonly T[]): Kind<T> {
  return kindOf(`one of ${allowed.join(', ')}`, given => allowed.find(value => value === given));
}

const SWITCH: Readonly<Record<string, boolean>> = { on: true, off: false };

export const onOrOff = kindOf('one of on, off', given => (Object.hasOwn(SWITCH, given) ? SWITCH[given] : undefined));

/** Exact, as decimal text. */
export const decimalAboveZero = (example: string) =>
  kindOf(`a decimal above 0 such as ${example}`, given =>
    /^\d{1,6}(\.\d{1,8})?$/.test(given) && Number(given) > 0 ? given : undefined,
  );

/** Exact, as decimal text in its shortest form. */
export const percentUpTo = (most: string) =>
  kindOf(`a percent from 0 to ${most} with at most 4 decimals`, given =>
    /^\d{1,3}(\.\d{1,4})?$/.test(given) && comparePercents(given, most) <= 0 ? plainPercent(given) : undefined,
  );

const LONGEST_DURATION_MS = 366 * 24 * 60 * 60 * 1000;

export const durationUpToAYear: Kind<Duration> = kindOf('a length of time such as PT24H, at most a year', given => {
  const duration = parseDuration(given);
  const end = duration && addDuration(new Date(0), duration);
  return end && end.getTime() <= LONGEST_DURATION_MS ? duration : undefined;
});

/** Absolute; a relative path starts at the working directory. */
export const folder: Kind<string> = {
  ...kindOf('a path', given => path.resolve(given)),
  show: resolved => resolved,
};

/** Absolute; its user reads the file. */
export const filePath: Kind<string> = {
  ...kindOf('a path to a file', given => path.resolve(given)),
  show: resolved => resolved,
};

/** Plain http would expose the secret in the request, except on this machine. Not quoted, since it may contain a password. */
export const serviceUrl: Kind<string> = {
  description: 'a URL with https (http only to this machine), without user and password',
  parse: given => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
    const isGood = url && url.username === '' && url.password === '' && (url.protocol === 'https:' || isLocal);
    return isGood ? { value: given } : { wrong: [{ message: `must be ${serviceUrl.description}` }] };
  },
};

export const headerWord = kindOf('1 to 4000 printable ASCII characters without spaces', given =>
  /^[\x21-\x7e]{1,4000}$/.test(given) ? given : undefined,
);

/** JSON of a schema; each fault has its path inside the value, and no value is quoted. */
export function jsonOf<S extends TSchema>(schema: S, description: string): Kind<Static<S>> {
  return {
    description,
    schema,
    parse: given => {
      const json = parseJson(given);
      if (!json) return { wrong: [{ message: `must be ${description}` }] };
      const checked = checkSchema(schema, json.value);
      if ('value' in checked) return checked;
      // The path of a field in an object begins with its name, that of a list entry with a bracket.
      const after = (path: string) => (/^\w/.test(path) ? `.${path}` : path);
      return { wrong: checked.faults.map(({ path, message }) => ({ at: after(path), message })) };
    },
  };
}

/** Undefined when the text is not JSON. */
export function parseJson(given: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(given) };
  } catch {
    return undefined;
  }
}

/** The same kind, with normalised values. */
export function normalised<T>(kind: Kind<T>, change: (value: T) => T): Kind<T> {
  return {
    ...kind,
    parse: text => {
      const parsed = kind.parse(text);
      return 'wrong' in parsed ? parsed : { value: change(parsed.value) };
    },
  };
}
