// Checks of JSON against the norm, as small functions that collect every violation.
import { parseMoment } from './moments.ts';

export type Violation = { readonly razao: string; readonly propriedade: string; readonly valor?: string };

/** Adds the violations of `value` to `found`. `path` is its name in the norm, such as `cob.valor.original`. */
export type Check = (value: unknown, path: string, found: Violation[]) => void;

export type JsonObject = { readonly [name: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const MAX_SHOWN = 80;

export function violation(propriedade: string, razao: string, value?: unknown): Violation {
  if (value === undefined || typeof value === 'object') return { razao, propriedade };
  return { razao, propriedade, valor: String(value).slice(0, MAX_SHOWN) };
}

function schema(path: string, value: unknown): Violation {
  return violation(path, `O campo ${path} não respeita o schema.`, value);
}

export function text({ max = 1000, min = 0, pattern = /^/ }: { max?: number; min?: number; pattern?: RegExp }): Check {
  return (value, path, found) => {
    const isGood = typeof value === 'string' && value.length <= max && value.length >= min && pattern.test(value);
    if (!isGood) found.push(schema(path, value));
  };
}

export function integer(min: number, max: number): Check {
  return (value, path, found) => {
    if (!Number.isInteger(value) || (value as number) < min || (value as number) > max) found.push(schema(path, value));
  };
}

export function oneOf(...values: readonly string[]): Check {
  return (value, path, found) => {
    if (typeof value !== 'string' || !values.includes(value)) found.push(schema(path, value));
  };
}

export function list(item: Check, { min = 0, max }: { min?: number; max: number }): Check {
  return (value, path, found) => {
    if (!Array.isArray(value) || value.length < min || value.length > max) {
      found.push(schema(path, undefined));
      return;
    }
    for (const [index, one] of value.entries()) item(one, `${path}[${index}]`, found);
  };
}

/** An object with these fields and no others. `also` looks at the whole when its fields are right. */
export function shape(
  fields: Readonly<Record<string, Check>>,
  { required = [], also }: { required?: readonly string[]; also?: Check } = {},
): Check {
  const known = new Map(Object.entries(fields));
  return (value, path, found) => {
    if (!isObject(value)) {
      found.push(schema(path, value));
      return;
    }
    const before = found.length;
    for (const name of required) {
      if (value[name] === undefined) found.push(violation(`${path}.${name}`, `O campo ${path}.${name} é obrigatório.`));
    }
    for (const name in value) {
      const check = known.get(name);
      if (!check) found.push(violation(`${path}.${name}`, `O campo ${path}.${name} não existe no schema.`));
      else if (value[name] !== undefined) check(value[name], `${path}.${name}`, found);
    }
    if (found.length === before) also?.(value, path, found);
  };
}

const AMOUNT = /^\d{1,10}\.\d{2}$/;

/** `123.45`; zero is allowed. */
export const amount: Check = text({ pattern: AMOUNT });

export const positiveAmount: Check = (value, path, found) => {
  const before = found.length;
  amount(value, path, found);
  if (found.length === before && centsOf(value as string) === 0n) {
    found.push(violation(path, `O campo ${path} é zero.`, value));
  }
};

/** A day that exists. */
export const day: Check = (value, path, found) => {
  if (typeof value !== 'string' || !isDay(value)) found.push(schema(path, value));
};

export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

export const flag: Check = (value, path, found) => {
  if (typeof value !== 'boolean') found.push(schema(path, value));
};

export const moment: Check = (value, path, found) => {
  if (typeof value !== 'string' || !parseMoment(value)) found.push(schema(path, value));
};

export const anything: Check = () => {};

export function centsOf(amountText: string): bigint {
  return BigInt(amountText.replace('.', ''));
}

export function amountText(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
