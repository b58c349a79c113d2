// The successful answer of an operation: its status, its documentation, and the type that its handler returns.
import type { Readable } from 'node:stream';
import { type Static, type TSchema, Type } from 'typebox';
import { nameOf, Ref } from '../../api/schemas.ts';
import type { Wire } from '../../api/wire.ts';
import { type Header, REQUEST_ID } from './responses.ts';

/** A success whose handler returns a T. */
export type Answer<T> = {
  readonly status: number;
  readonly contentType?: string;
  /** The response object of the OpenAPI document. */
  readonly document: object;
  /** The body of the answer. */
  write(value: T): string | Buffer | Readable | undefined;
};

type Headers = Readonly<Record<string, Header>>;

const JSON_TYPE = 'application/json';

/** 200 with a value of the schema. */
export const ok = jsonAnswer(200);
/** 201 with a value of the schema. */
export const created = jsonAnswer(201);
/** 202 with a value of the schema. */
export const accepted = jsonAnswer(202);

export const LOCATION: Headers = { Location: { description: 'Where it can be read.', type: 'string' } };
export const REPLAYED: Headers = {
  'Idempotent-Replayed': { description: '`true` when an earlier request created it.', type: 'string' },
};

function jsonAnswer(status: number) {
  return <S extends TSchema>(
    schema: S,
    description: string,
    example: Static<S>,
    headers: Headers = {},
  ): Answer<Wire<Static<S>> | JsonText> => ({
    status,
    contentType: `${JSON_TYPE}; charset=utf-8`,
    document: {
      description,
      headers: { ...REQUEST_ID, ...headers },
      content: { [JSON_TYPE]: { schema: byName(schema), example } },
    },
    write: value => (isJsonText(value) ? value[TEXT] : JSON.stringify(value)),
  });
}

/** 200 with something other than JSON. */
export function media<T extends string | Buffer | Readable>(
  contentType: string,
  schema: TSchema,
  description: string,
  example: string,
): Answer<T> {
  const [type = contentType] = contentType.split(';');
  return {
    status: 200,
    contentType,
    document: { description, content: { [type]: { schema, example } } },
    write: body => body,
  };
}

/** A schema in the document: by its name when it has one. */
export function byName(schema: TSchema): TSchema {
  return nameOf(schema) === undefined ? schema : Ref(schema);
}

export const Binary = Type.String({ format: 'binary' });

const TEXT = Symbol('JSON text');

/** JSON that is already text: from PostgreSQL, digit for digit, or from the first of several equal requests. */
type JsonText = { readonly [TEXT]: string };

export function jsonText(text: string): JsonText {
  return { [TEXT]: text };
}

function isJsonText(value: unknown): value is JsonText {
  return typeof value === 'object' && value !== null && TEXT in value;
}
