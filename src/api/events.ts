// Every type of event, with the schema and an example of its object; the feed of events; and what webhooks receive. The nouns declare
// their events.
import assert from 'node:assert/strict';
import { type Static, Type } from 'typebox';
import { PING } from '../events/ping.ts';
import { NOUNS } from '../nouns.ts';
import recorded from './event-examples.json' with { type: 'json' };
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const FAMILIES = NOUNS.flatMap(({ events = [] }) => events);

export const EVENT_TYPES: readonly string[] = FAMILIES.flatMap(({ types }) => types);

export const Event = Type.Object(
  {
    id: Uuid(),
    type: OneOf(EVENT_TYPES),
    occurredAt: DateTime({ description: 'By the clock of the service, which can be moved in a sandbox.' }),
    accountId: Type.String(),
    objectId: Uuid(),
    sequence: Type.Integer({ minimum: 1, description: 'The number of the event of this object, from 1.' }),
    object: Type.Unsafe<object>({
      anyOf: FAMILIES.map(({ schema }) => ({ $ref: `${schema}#` })),
      description: 'The object as in the API at that time.',
    }),
  },
  { $id: 'Event', additionalProperties: false },
);

/** An event of each type, recorded in a sandbox by `npm run docs -- events` where `trilho trigger` can cause it. */
export const EVENT_EXAMPLES: Readonly<Record<string, Static<typeof Event>>> = Object.assign(
  {},
  recorded,
  ...FAMILIES.flatMap(({ examples = [] }) => examples),
);

export const EVENT_EXAMPLE = recorded['charge.active'];

const after = Type.Optional(
  Text({
    description: 'The `cursor` of the previous page; from the beginning when absent. `end`: only new events.',
  }),
);
const filters = {
  type: Type.Optional(OneOf(EVENT_TYPES, { description: 'Only events of this type.' })),
  accountId: Type.Optional(Text({ description: 'Only events of this account.' })),
  objectId: Type.Optional(Uuid({ description: 'Only events of this object.' })),
};

export const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;

export const EventsQuery = Type.Object(
  {
    after,
    limit: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT })),
    ...filters,
  },
  { additionalProperties: false },
);

export const EventsPage = Type.Object(
  {
    events: Type.Array(Ref(Event)),
    cursor: Type.String({ description: 'Where to continue, even when there are no more events now.' }),
    hasMore: Type.Boolean(),
  },
  { $id: 'EventsPage', additionalProperties: false },
);

export const StreamQuery = Type.Object({ after, ...filters }, { additionalProperties: false });

export const StreamHeaders = Type.Object({
  'Last-Event-ID': Type.Optional(
    Type.String({ description: 'The `id` of the last event received; it takes precedence over `after`.' }),
  ),
});

const CURSOR_EXAMPLE = '8f3a1c5e7b9d20468ace13579bdf0246';

export const EVENTS_EXAMPLE: Static<typeof EventsPage> = {
  events: [EVENT_EXAMPLE],
  cursor: CURSOR_EXAMPLE,
  hasMore: false,
};

export const STREAM_EXAMPLE = `id: ${CURSOR_EXAMPLE}\ndata: ${JSON.stringify(EVENT_EXAMPLE)}\n\n`;

export const EVENT_SCHEMAS = [Event, EventsPage];

/** The `webhooks` of the OpenAPI document: the request for each type. */
export function webhookDocuments(): Record<string, object> {
  const events = FAMILIES.flatMap(({ types, schema }) =>
    types.map(type => {
      const example = EVENT_EXAMPLES[type];
      assert(example, `${type} has a recorded example`);
      return [type, documentOf(type, [eventSchema(type, { $ref: `#/components/schemas/${schema}` }), example])];
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
      operationId: `on${name.charAt(0).toUpperCase()}${name.slice(1)}`,
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
      responses: { '2XX': { description: 'Any 2xx within 15 seconds counts as delivered.' } },
    },
  };
}

const HEADERS = [
  ['webhook-id', 'The id of the event: a repeated id is a repeated event.'],
  ['webhook-timestamp', 'When it was sent, in seconds since 1970.'],
  [
    'webhook-signature',
    'Standard Webhooks 1.0: `v1,` and a signature in base64; two of them for a day after a rotation.',
  ],
].map(([name, description]) => ({ name, in: 'header', required: true, description, schema: { type: 'string' } }));
