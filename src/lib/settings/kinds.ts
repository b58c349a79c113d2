// The kinds of values that settings take: how a text is read, and its description in faults and documentation.
import { isIP } from 'node:net';
import path from 'node:path';
import type { Static, TSchema } from 'typebox';
import { addDuration, type Duration, parseDuration, parseUtc } from '../date-times.ts';
import { type AllowedPlace, parseAllowedPlace } from '../outgoing-allow.ts';
import { comparePercents, plainPercent } from '../percents.ts';
import { checkSchema } from './check-schema.ts';

/** One thing wrong with a text. */
export type Wrong = {
  /** Where inside the value, such as `[1].url`; absent, it is the value as a whole. */
  readonly at?: string;
  readonly message: string;
  /** The part of the text that a fault repeats, unless the setting is secret. */
  readonly quote?: string;
};

export type Parsed<T> = { readonly value: T } | { readonly wrong: readonly Wrong[] };

export type Kind<T> = {
  /** What a value is: `a whole number from 1 to 100`. */
  readonly words: string;
  readonly parse: (text: string) => Parsed<T>;
  /** How a value in effect is printed; absent, as it was given. */
  show?(value: T): string;
};

/** A kind that reads the text as a whole, and has one fault for any wrong text. */
export function kindOf<T>(words: string, read: (text: string) => T | undefined): Kind<T> {
  return {
    words,
    parse: text => {
      const value = read(text);
      return value === undefined ? { wrong: [{ message: `must be ${words}`, quote: text }] } : { value };
    },
  };
}

export const text = (words: string) => kindOf(words, given => given);

export function wholeNumber(least: number, most: number): Kind<number> {
  return kindOf(`a whole number from ${least} to ${most}`, given => {
    const number = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
    return number >= least && number <= most ? number : undefined;
  });
}

export function oneOf<const T extends string>(allowed: readonly T[]): Kind<T> {
  return kindOf(`one of ${allowed.join(', ')}`, given => allowed.find(word => word === given));
}

const SWITCH: Readonly<Record<string, boolean>> = { on: true, off: false };

/** What must be on record about the holder of a wallet. */
export const walletProof = oneOf(['off', 'declared', 'proven']);

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

/** As hours: 17:30 is 17.5. */
export const timeOfDay = (example: string) =>
  kindOf(`a time of day such as ${example}`, given => {
    const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(given) ?? [];
    return hours === undefined ? undefined : Number(hours) + Number(minutes) / 60;
  });

/** Days that are open (true) or closed (false) whatever the calendar says. */
export const bankingDays: Kind<ReadonlyMap<string, boolean>> = {
  words: 'a list such as 2026-12-24=closed,2026-12-26=open, each day once',
  parse: given => {
    const days = new Map<string, boolean>();
    const wrong: Wrong[] = [];
    for (const entry of given.split(',').filter(Boolean)) {
      const [, day, standing] = /^(\d{4}-\d{2}-\d{2})=(open|closed)$/.exec(entry.trim()) ?? [];
      if (day !== undefined && parseUtc(`${day}T00:00Z`) && !days.has(day)) days.set(day, standing === 'open');
      else wrong.push({ message: `must be ${bankingDays.words}`, quote: entry });
    }
    return wrong.length > 0 ? { wrong } : { value: days };
  },
};

export const allowedPlaces: Kind<readonly AllowedPlace[]> = {
  words: 'a list such as 10.0.0.0/8,fd00::/8,10.0.0.5:8080,receiver.internal:8080',
  parse: given => {
    const entries = given
      .split(',')
      .map(entry => entry.trim())
      .filter(Boolean);
    const read = entries.map(entry => ({ entry, place: parseAllowedPlace(entry) }));
    const wrong = read.filter(({ place }) => place === undefined);
    if (wrong.length === 0) return { value: read.flatMap(({ place }) => place ?? []) };
    return { wrong: wrong.map(({ entry }) => ({ message: `must be ${allowedPlaces.words}`, quote: entry })) };
  },
};
const ADDRESS_BITS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** IP addresses, each with or without the length of a network's prefix. */
export const addressRanges = kindOf(
  'a list of IP addresses or networks such as 10.0.0.5,192.168.0.0/16,fd00::/8',
  (given): readonly string[] | undefined => {
    const ranges = given.split(',').map(range => range.trim());
    return ranges.every(isAddressRange) ? ranges : undefined;
  },
);

function isAddressRange(range: string): boolean {
  const [address = '', prefix, ...others] = range.split('/');
  const bits = ADDRESS_BITS[isIP(address)];
  if (bits === undefined || others.length > 0 || address.includes('%')) return false;
  // A prefix of 0 would trust everybody.
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) >= 1 && Number(prefix) <= bits);
}

/** Absolute; a relative path starts at the working directory. */
export const folder: Kind<string> = {
  ...kindOf('a path', given => path.resolve(given)),
  show: resolved => resolved,
};

/** Absolute; what it names is read by what uses it. */
export const filePath: Kind<string> = {
  ...kindOf('a path to a file', given => path.resolve(given)),
  show: resolved => resolved,
};

/** Plain http would show the secret that goes along, except on this machine. Not quoted, since it may hold a password. */
export const serviceUrl: Kind<string> = {
  words: 'a URL with https (http only to this machine), without user and password',
  parse: given => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isLocal = url?.protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
    const isGood = url && url.username === '' && url.password === '' && (url.protocol === 'https:' || isLocal);
    return isGood ? { value: given } : { wrong: [{ message: `must be ${serviceUrl.words}` }] };
  },
};

/** Where people reach the service: passkeys and links need one name. Plain http is for one's own machine or network. */
export const publicUrl = kindOf('a URL with https or http and without path, user and password', given => {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const isPlain =
    url && url.pathname === '/' && url.search === '' && url.hash === '' && url.username + url.password === '';
  return isPlain && /^https?:$/.test(url.protocol) ? url.origin : undefined;
});

export const headerWord = kindOf('1 to 4000 printable ASCII characters without spaces', given =>
  /^[\x21-\x7e]{1,4000}$/.test(given) ? given : undefined,
);

export const postgresUrl = kindOf('a URL such as postgres://user:password@host:5432/database', given =>
  /^postgres(ql)?:\/\//.test(given) && URL.canParse(given) ? given : undefined,
);

/** JSON of a schema; each fault has its path inside the value, and no value is quoted. */
export function jsonOf<S extends TSchema>(schema: S, words: string): Kind<Static<S>> {
  return {
    words,
    parse: given => {
      const json = parseJson(given);
      if (!json) return { wrong: [{ message: `must be ${words}` }] };
      const checked = checkSchema(schema, json.value);
      if ('value' in checked) return checked;
      // The path of a field in an object begins with its name, that of an entry of a list with a bracket.
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

/** The same kind, with its values in the one form in which the service uses them. */
export function normalised<T>({ words, parse }: Kind<T>, change: (value: T) => T): Kind<T> {
  return {
    words,
    parse: text => {
      const parsed = parse(text);
      return 'wrong' in parsed ? parsed : { value: change(parsed.value) };
    },
  };
}
