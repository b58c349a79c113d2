// How the fields of a CNAB file hold a value. Writing is strict: a value that does not fit is refused. Reading is tolerant: a
// field that cannot be read has no value, and a fault that says why.
import type { CivilDay } from './days.ts';
import { formatUnits, parseUnits } from './decimals.ts';

/** A field as it was read: without a value when it is empty or has a fault. */
export type ReadValue<V> = { readonly value?: V; readonly fault?: string };

export type Kind<V> = {
  /** The characters of a value, `width` in all. Throws a RangeError whose message follows the name of the field. */
  write(value: V | undefined, width: number): string;
  read(text: string): ReadValue<V>;
  /** The value for a person. */
  show(value: V): string;
};

const plain = (value: unknown) => String(value);
const isBlank = (text: string) => text.trim() === '';

function digitsOf(text: string, width: number): string {
  if (!/^\d+$/.test(text)) throw new RangeError('must be digits');
  if (text.length > width) throw new RangeError(`has more than ${width} digits`);
  return text.padStart(width, '0');
}

/** A number, right-aligned with zeros. Some banks align an account to the left. */
export const digits: Kind<string | number> = {
  write: (value, width) => digitsOf(value === undefined ? '0' : String(value), width),
  read: text => {
    if (isBlank(text)) return {};
    return /^\s*\d+\s*$/.test(text) ? { value: text.trim() } : { fault: 'should be digits' };
  },
  show: plain,
};

/** A code of letters and digits, left-aligned. It is never truncated, since that would be another code. */
export const code: Kind<string> = {
  write: (value = '', width) => {
    if (!/^[ -~]*$/.test(value)) throw new RangeError('must be plain letters and digits');
    if (value.length > width) throw new RangeError(`has more than ${width} characters`);
    return value.padEnd(width);
  },
  read: text => (isBlank(text) ? {} : { value: text.trimEnd() }),
  show: plain,
};

/** Text for people: upper case without accents, as the norm requires, and truncated if it is too long. */
export const text: Kind<string> = {
  write: (value = '', width) => foldText(value).slice(0, width).padEnd(width),
  read: text => (isBlank(text) ? {} : { value: text.trim() }),
  show: plain,
};

/** Upper case letters without accents; any other character becomes a space. */
function foldText(text: string): string {
  const letters = text.normalize('NFKD').replace(/\p{Mn}/gu, '');
  return letters
    .toUpperCase()
    .replace(/[^ -~]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** A CPF or CNPJ, whose letters some CNPJs have since 2026; right-aligned with zeros. */
export const document: Kind<string> = {
  write: (value = '', width) => {
    if (!/^[0-9A-Z]*$/.test(value)) throw new RangeError('must be a CPF or CNPJ without punctuation');
    if (value.length > width) throw new RangeError(`has more than ${width} characters`);
    return value.padStart(width, '0');
  },
  read: text => {
    if (/^[ 0]*$/.test(text)) return {};
    return /^\s*[0-9A-Z]+\s*$/.test(text) ? { value: text.trim() } : { fault: 'should be a CPF or CNPJ' };
  },
  show: plain,
};

/** An amount in reais with two decimals. Blanks after its digits mean that digits were lost. */
export const cents: Kind<bigint> = {
  write: (value = 0n, width) => {
    if (value < 0n) throw new RangeError('must not be negative');
    return digitsOf(String(value), width);
  },
  read: text => {
    if (/^ *0* *$/.test(text)) return /^ *0+$/.test(text) ? { value: 0n } : {};
    return /^ *\d+$/.test(text) ? { value: BigInt(text.trim()) } : { fault: 'should be an amount in digits' };
  },
  show: value => `R$ ${(value / 100n).toString()}.${(value % 100n).toString().padStart(2, '0')}`,
};

/** A percent with two decimals, given and read as decimal text. */
export const percent: Kind<string> = {
  write: (value = '0', width) => {
    const units = parseUnits(value, 2);
    if (units === undefined) throw new RangeError('must be a percent with at most two decimals');
    return digitsOf(String(units), width);
  },
  read: text => {
    if (isBlank(text)) return {};
    return /^\d+$/.test(text) ? { value: formatUnits(BigInt(text), 2) } : { fault: 'should be a percent in digits' };
  },
  show: value => `${value} %`,
};

/** Placeholders that programs write for an unknown day: their first and their last day. */
const NO_DAYS: readonly string[] = ['01010000', '01010001', '31129999'];
/** Any other year means that the digits are not in their columns. */
const YEAR = /^(19|20)\d\d-/;

/** DDMMAAAA; zeros stand for no day. */
export const day: Kind<CivilDay> = {
  write: (value, width) => {
    if (value === undefined) return '0'.repeat(width);
    if (!/^\d{4}-\d\d-\d\d$/.test(value)) throw new RangeError('must be a day');
    return value.slice(8) + value.slice(5, 7) + value.slice(0, 4);
  },
  read: text => {
    if (/^[ 0]*$/.test(text) || NO_DAYS.includes(text)) return {};
    const value = `${text.slice(4)}-${text.slice(2, 4)}-${text.slice(0, 2)}`;
    return isDay(value) && YEAR.test(value) ? { value } : { fault: 'should be a day as DDMMAAAA' };
  },
  show: plain,
};

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

/** HHMMSS. */
export const time: Kind<string> = {
  write: (value = '', width) => digitsOf(value === '' ? '0' : value, width),
  read: text => {
    if (isBlank(text)) return {};
    return /^([01]\d|2[0-3])[0-5]\d[0-5]\d$/.test(text) ? { value: text } : { fault: 'should be a time as HHMMSS' };
  },
  show: value => `${value.slice(0, 2)}:${value.slice(2, 4)}:${value.slice(4)}`,
};

/** Always this text. */
export function literal(text: string): Kind<string> {
  return {
    write: () => text,
    read: found => (found === text ? { value: found } : { fault: `should be "${text}"` }),
    show: plain,
  };
}

/** Reserved: blanks are written, and anything that a bank puts there is ignored. */
export const blanks: Kind<string> = {
  write: (_, width) => ' '.repeat(width),
  read: text => (isBlank(text) ? {} : { value: text }),
  show: plain,
};

/** Not used by us: zeros are written, and anything that a bank puts there is ignored. */
export const zeros: Kind<string> = {
  write: (_, width) => '0'.repeat(width),
  read: text => (/^[ 0]*$/.test(text) ? {} : { value: text }),
  show: plain,
};
