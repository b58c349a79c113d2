// The TypeScript type of a schema of the OpenAPI document.
import assert from 'node:assert/strict';
import { DECIMAL_FIELDS } from '../../packages/client/src/json.ts';

export type Schema = {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly description?: string;
};

/** Numbers that are short and stay numbers. */
const PERCENT_FIELDS = ['fine', 'interest', 'percent'];

export type Names = {
  /** The values of the enum that is `EventType`, joined. */
  readonly eventTypes: string;
  /** Lists in what a caller sends may be readonly. */
  readonly isSent: boolean;
};

/** The text of the type; an object takes several lines, which are indented by this depth. */
export function typeOf(schema: Schema, names: Names, indent = ''): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.join() === names.eventTypes ? 'EventType' : schema.enum.map(literal).join(' | ');
  if (schema.anyOf) return unique(schema.anyOf.map(one => typeOf(one, names, indent)));
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  assert(types.length > 0, `a schema without a type: ${JSON.stringify(schema)}`);
  return unique(types.map(type => plainTypeOf(type, schema, names, indent)));
}

function plainTypeOf(type: string, schema: Schema, names: Names, indent: string): string {
  switch (type) {
    case 'array': {
      const item = typeOf(schema.items!, names, indent);
      return `${names.isSent ? 'readonly ' : ''}${item.includes(' | ') ? `(${item})` : item}[]`;
    }
    case 'object':
      return objectType(schema, names, indent);
    case 'integer':
      return 'number';
    default:
      assert(['string', 'number', 'boolean', 'null'].includes(type), `a schema of the type ${type}`);
      return type;
  }
}

function objectType(schema: Schema, names: Names, indent: string): string {
  const { properties, additionalProperties } = schema;
  if (!properties) {
    const value = typeof additionalProperties === 'object' ? typeOf(additionalProperties, names, indent) : 'unknown';
    return `Record<string, ${value}>`;
  }
  return `{\n${fieldsOf(schema, names, `${indent}  `)}${indent}}`;
}

/** The fields of an object but these, each with its description, one per line. */
export function fieldsOf(schema: Schema, names: Names, indent: string, but: readonly string[] = []): string {
  const { properties = {}, required = [] } = schema;
  const hasDecimals = properties['quantity']?.type === 'number';
  return Object.entries(properties)
    .filter(([name]) => !but.includes(name))
    .map(([name, field]) => {
      const mark = required.includes(name) ? '' : '?';
      const type = numberType(name, field, hasDecimals) ?? typeOf(field, names, indent);
      return `${comment(field.description, indent)}${indent}${quoted(name)}${mark}: ${type};\n`;
    })
    .join('');
}

/** Whether a number is read as decimal text, by the rule of `parseJson`. */
function numberType(name: string, { type }: Schema, hasDecimals: boolean): string | undefined {
  const isDecimal = hasDecimals && DECIMAL_FIELDS.includes(name);
  assert(!(isDecimal && type === 'integer'), `${name} is an integer that the client would read as a decimal`);
  if (type !== 'number') return undefined;
  assert(isDecimal || PERCENT_FIELDS.includes(name), `${name} is a number: a decimal, or a percent?`);
  return isDecimal ? 'Decimal' : 'number';
}

export const nameOf = (ref: string): string => ref.slice(ref.lastIndexOf('/') + 1);

export function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/')} */\n`;
}

const quoted = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name}'`);
const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : String(value));
const unique = (types: readonly string[]) => [...new Set(types)].join(' | ');
