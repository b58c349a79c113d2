// Values for a schema: valid ones, from its examples and limits, and bad ones that a confused or hostile client might send.
import type { Random } from '../../test/harness/random.ts';

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
};

export type Sources = {
  readonly random: Random;
  /** The schema that a reference names. */
  resolve(schema: Schema): Schema;
  /** The id of an existing object, by the name of the field that needs it. */
  idFor(field: string): string;
  /** A value from an earlier answer, by its field. */
  knownFor(field: string): string | undefined;
  /** Where webhooks may be sent: a receiver of the drill. */
  readonly receiverUrl: string;
};

const WORDS = [
  'acme',
  'shop-2',
  'Maria da Silva',
  'João',
  'pix',
  'boleto',
  'order-1042',
  '529.982.247-25',
  '日本',
  'a',
];
const DATES = ['2026-12-10', '2030-02-28', '2024-02-29', '1999-12-31'];
const TIMES = ['2030-12-10T23:59:59-03:00', '2026-11-20T00:00:00Z', '2026-11-20T12:34:56.789Z', '9999-12-31T23:59:59Z'];

export const BAD_TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e',
  '🧾'.repeat(80),
  'x'.repeat(300),
  'x'.repeat(70_000),
  "' or 1=1 --",
  '<script>alert(1)</script>',
  '../../etc/passwd',
  '__proto__',
  'NaN',
  '-0',
  '1e400',
  '2026-02-30',
  '0000-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  'P1Y',
  'null',
  '\r\nX-Header: 1',
];

const BAD_VALUES: readonly unknown[] = [
  null,
  true,
  false,
  0,
  -1,
  0.1,
  1e21,
  -1e308,
  Number.MAX_SAFE_INTEGER,
  2 ** 63,
  [],
  {},
  [[]],
  [null],
  { __proto__: 1, constructor: {} },
  ...BAD_TEXTS,
];

function badValue(random: Random): unknown {
  return random.pick(BAD_VALUES);
}

/** A value that the schema allows; the service may have further rules. */
export function goodValue(given: Schema, sources: Sources, field = ''): unknown {
  const { random } = sources;
  const schema = sources.resolve(given);
  const example = schema.examples?.length && random.chance(0.7) ? random.pick(schema.examples) : undefined;
  if (example !== undefined) return withOwnIds(example, sources, field);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return goodValue(random.pick(choices), sources, field);
  switch (typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? ['string'])) {
    case 'object':
      return goodObject(schema, sources);
    case 'array':
      return Array.from({ length: 1 + random.below(2) }, () => goodValue(schema.items ?? {}, sources, field));
    case 'integer':
      return goodNumber(schema, random);
    case 'number':
      return goodNumber(schema, random) + random.pick([0, 0.5, 0.01]);
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return goodText(schema, sources, field);
  }
}

function goodObject({ properties = {}, required = [] }: Schema, sources: Sources): Record<string, unknown> {
  const chosen = Object.entries(properties).filter(([name]) => required.includes(name) || sources.random.chance(0.3));
  return Object.fromEntries(chosen.map(([name, schema]) => [name, goodValue(schema, sources, name)]));
}

function goodNumber({ minimum = 0, maximum = 1_000_000 }: Schema, random: Random): number {
  const near = [minimum, minimum + 1, maximum, minimum + random.below(Math.min(maximum - minimum, 100_000) + 1)];
  return random.pick(near);
}

function goodText({ format, minLength = 0 }: Schema, sources: Sources, field: string): string {
  const { random } = sources;
  if (/url$/i.test(field)) return sources.receiverUrl;
  if (format === 'uuid') return sources.idFor(field);
  // The generator is used equally often whether a value is known or not, so that the rest of the case stays the same.
  const isKnown = random.chance(0.5);
  const other = otherText(format, minLength, random);
  return (isKnown ? sources.knownFor(field) : undefined) ?? other;
}

function otherText(format: string | undefined, minLength: number, random: Random): string {
  if (format === 'date-time') return random.pick(TIMES);
  if (format === 'date') return random.pick(DATES);
  if (format === 'email') return 'maria@example.com';
  return random.pick(WORDS).padEnd(minLength, 'x');
}

/** An example names ids and addresses of its own; here they are those of the drill. */
function withOwnIds(value: unknown, sources: Sources, field: string): unknown {
  if (typeof value === 'string') {
    if (/^https?:/.test(value)) return sources.receiverUrl;
    if (/^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value)) return sources.idFor(field);
    if (field === 'externalId') return `order-${sources.random.below(1_000_000)}`;
    return (sources.random.chance(0.5) ? sources.knownFor(field) : undefined) ?? value;
  }
  if (Array.isArray(value)) return value.map(item => withOwnIds(item, sources, field));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withOwnIds(item, sources, name)]));
}

/** The value with one place of it changed, removed or added. */
export function spoiled(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null) return badValue(random);
  if (Array.isArray(value)) {
    if (value.length === 0 || random.chance(0.3)) return random.pick([[...value, badValue(random)], badValue(random)]);
    const at = random.below(value.length);
    return value.map((item, index) => (index === at ? spoiled(item, random) : item));
  }
  const entries = Object.entries(value);
  const [name] = entries.length > 0 ? random.pick(entries) : [''];
  switch (random.below(4)) {
    case 0:
      return Object.fromEntries(entries.filter(([key]) => key !== name));
    case 1:
      return {
        ...value,
        [random.pick(['', 'unknown', 'constructor', 'toString', 'x'.repeat(5_000)])]: badValue(random),
      };
    default:
      return Object.fromEntries(entries.map(([key, item]) => [key, key === name ? spoiled(item, random) : item]));
  }
}
