// Every type of event, with the schema and an example of the object it shows. A noun that has events adds its line here.
import { Type } from 'typebox';
import { CHARGE_EVENTS } from '../charges/life.ts';
import { PING } from '../events/ping.ts';
import { ORDER_EVENTS } from '../transactions/transaction.ts';
import { VIEW_EXAMPLE } from './charge-schemas.ts';
import { VIEWED_ORDER_EXAMPLE } from './order-schemas.ts';
import { DateTime, OneOf } from './schemas.ts';

type Family = {
  readonly types: readonly string[];
  readonly schema: string;
  readonly objectId: string;
  readonly example: object;
};

const FAMILIES: readonly Family[] = [
  { types: CHARGE_EVENTS, schema: 'Charge', objectId: VIEW_EXAMPLE.id, example: VIEW_EXAMPLE },
  {
    types: ORDER_EVENTS.map(event => `crypto_transaction.${event}`),
    schema: 'Order',
    objectId: VIEWED_ORDER_EXAMPLE.transactionId,
    example: VIEWED_ORDER_EXAMPLE,
  },
];

export const EVENT_TYPES: readonly string[] = FAMILIES.flatMap(({ types }) => types);

export const Event = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    type: OneOf(EVENT_TYPES),
    occurredAt: DateTime({ description: 'By the clock of the service, which a sandbox may move.' }),
    accountId: Type.String(),
    objectId: Type.String({ format: 'uuid' }),
    sequence: Type.Integer({ minimum: 1, description: 'Counts the events of the object from 1.' }),
    object: Type.Unsafe<object>({
      anyOf: FAMILIES.map(({ schema }) => ({ $ref: `${schema}#` })),
      description: 'The object as the API showed it then.',
    }),
  },
  { $id: 'Event', additionalProperties: false },
);

export const EVENT_EXAMPLE = {
  id: '019a8b5e-3c71-7a30-8c12-7d0e6f1a2b3c',
  type: 'charge.active',
  occurredAt: '2026-11-16T06:33:21.040Z',
  accountId: 'acme',
  objectId: VIEW_EXAMPLE.id,
  sequence: 2,
  object: VIEW_EXAMPLE,
};

/** The `webhooks` of the OpenAPI document: what is sent for each type. */
export function webhookDocuments(): Record<string, object> {
  const events = FAMILIES.flatMap(({ types, schema, objectId, example }) =>
    types.map((type, index) => {
      const event = { ...EVENT_EXAMPLE, type, sequence: index + 1, objectId };
      const ref = { $ref: `#/components/schemas/${schema}` };
      return [type, documentOf(type, [eventSchema(type, ref), { ...event, object: example }])];
    }),
  );
  const webhookId = '019a8b60-0a11-7b22-9c33-4d44e55f6677';
  const ping = { ...EVENT_EXAMPLE, type: PING, sequence: 1, objectId: webhookId, object: { webhookId } };
  const pingObject = { type: 'object', properties: { webhookId: { type: 'string', format: 'uuid' } } };
  return Object.fromEntries([...events, [PING, documentOf(PING, [eventSchema(PING, pingObject), ping])]]);
}

function eventSchema(type: string, object: object): object {
  const { id, occurredAt, accountId, objectId, sequence } = Event.properties;
  return {
    type: 'object',
    required: ['id', 'type', 'occurredAt', 'objectId', 'sequence', 'object'],
    properties: { id, type: { type: 'string', const: type }, occurredAt, accountId, objectId, sequence, object },
    additionalProperties: false,
  };
}

function documentOf(type: string, [schema, event]: readonly [object, { occurredAt: string; object: object }]): object {
  const name = type.replaceAll(/[._](\w)/g, (_, letter: string) => letter.toUpperCase());
  return {
    post: {
      operationId: `on${name[0]!.toUpperCase()}${name.slice(1)}`,
      summary: type,
      tags: ['Webhooks'],
      parameters: HEADERS,
      requestBody: {
        required: true,
        content: {
          'application/json': {
            schema: {
              type: 'object',
              required: ['type', 'timestamp', 'data'],
              properties: {
                type: { type: 'string', const: type },
                timestamp: { type: 'string', format: 'date-time', description: 'When it happened.' },
                data: schema,
              },
              additionalProperties: false,
            },
            example: { type, timestamp: event.occurredAt, data: event },
          },
        },
      },
      responses: { '2XX': { description: 'Any of them, within 15 seconds, counts as delivered.' } },
    },
  };
}

const HEADERS = [
  ['webhook-id', "The event's id: the same one again is the same event."],
  ['webhook-timestamp', 'When it was sent, in seconds since 1970.'],
  [
    'webhook-signature',
    'Standard Webhooks 1.0: `v1,` and a signature in base64; two of them for a day after a rotation.',
  ],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));
