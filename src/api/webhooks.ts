// Webhooks, their deliveries, test events and replays on the wire.
import { type Static, Type } from 'typebox';
import { DELIVERY_STATES, DISABLED_REASONS, HEALTHS } from '../events/webhook.ts';
import { EVENT_TYPES } from './events.ts';
import { pageCounts, pageParameters } from './paging.ts';
import { DateTime, OneOf, Ref, Text, Uuid } from './schemas.ts';

const MAX_URL_LENGTH = 2_048;

const url = Text({
  maxLength: MAX_URL_LENGTH,
  description: 'Where events are sent: https and a public address. A sandbox also accepts http and local addresses.',
});
const types = Type.Array(OneOf(EVENT_TYPES), {
  minItems: 1,
  maxItems: EVENT_TYPES.length,
  description: 'Only events of these types; every type when absent.',
});

export const WebhookBody = Type.Object(
  {
    url,
    types: Type.Optional(types),
    accountId: Type.Optional(Text({ description: 'Only events of this account; of every account when absent.' })),
    enabled: Type.Optional(Type.Boolean({ default: true })),
  },
  {
    $id: 'NewWebhook',
    additionalProperties: false,
    examples: [{ url: 'https://example.com/hooks', types: ['charge.paid', 'charge.refunded'] }],
  },
);

export const WebhookChanges = Type.Object(
  {
    url: Type.Optional(url),
    types: Type.Optional(
      Type.Unsafe<string[] | null>({
        ...types,
        type: ['array', 'null'],
        description: 'Null: every type from now on.',
      }),
    ),
    enabled: Type.Optional(
      Type.Boolean({ description: 'While false, events wait; they are sent when it is true again.' }),
    ),
  },
  { $id: 'WebhookChanges', additionalProperties: false, examples: [{ enabled: true }] },
);

const properties = {
  id: Uuid(),
  url: Type.String(),
  types: Type.Optional(Type.Array(OneOf(EVENT_TYPES), { description: 'Absent: every type.' })),
  accountId: Type.Optional(Type.String({ description: 'Absent: every account.' })),
  enabled: Type.Boolean(),
  health: OneOf(HEALTHS, { description: '`failing`: the last delivery failed and will be retried.' }),
  disabledReason: Type.Optional(OneOf(DISABLED_REASONS, { description: '`gone`: the address answered 410.' })),
  failingSince: Type.Optional(DateTime()),
  lastError: Type.Optional(Type.String({ description: 'The last error, even after later successes.' })),
  lastErrorAt: Type.Optional(DateTime()),
  createdAt: DateTime(),
  updatedAt: DateTime(),
};

export const WebhookView = Type.Object(properties, { $id: 'Webhook', additionalProperties: false });

export const WebhookWithSecret = Type.Object(
  {
    ...properties,
    secret: Type.String({ pattern: '^whsec_', description: 'Signs the events. It is shown only once.' }),
  },
  { $id: 'WebhookWithSecret', additionalProperties: false },
);

export const DeliveryView = Type.Object(
  {
    id: Uuid(),
    webhookId: Uuid(),
    eventId: Uuid(),
    eventType: OneOf(EVENT_TYPES),
    objectId: Uuid(),
    state: OneOf(DELIVERY_STATES, { description: '`failed`: given up after the last attempt.' }),
    nextAttemptAt: Type.Optional(
      DateTime({ description: 'Present while it is pending; later when an earlier event of the object waits.' }),
    ),
    deliveredAt: Type.Optional(DateTime()),
    createdAt: DateTime(),
    attempts: Type.Array(
      Type.Object(
        {
          at: DateTime(),
          status: Type.Optional(Type.Integer()),
          latencyMs: Type.Optional(Type.Integer({ description: 'Absent for an interrupted attempt.' })),
          error: Type.Optional(Type.String()),
          answer: Type.Optional(Type.String({ description: 'The first kilobyte of the response.' })),
        },
        { additionalProperties: false },
      ),
      { description: 'The latest 20, oldest first.' },
    ),
  },
  { $id: 'WebhookDelivery', additionalProperties: false },
);

export const WebhooksQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only webhooks of this account.' })),
    page: pageParameters.page,
    pageSize: pageParameters.pageSize,
  },
  { additionalProperties: false },
);

export const WebhooksPage = Type.Object(
  { webhooks: Type.Array(Ref(WebhookView)), ...pageCounts },
  { $id: 'WebhooksPage', additionalProperties: false },
);

export const DeliveriesQuery = Type.Object(
  {
    state: Type.Optional(OneOf(DELIVERY_STATES, { description: 'Only deliveries in this state.' })),
    page: pageParameters.page,
    pageSize: pageParameters.pageSize,
  },
  { additionalProperties: false },
);

export const DeliveriesPage = Type.Object(
  { deliveries: Type.Array(Ref(DeliveryView)), ...pageCounts },
  { $id: 'DeliveriesPage', additionalProperties: false },
);

export const PingResult = Type.Object(
  {
    eventId: Uuid(),
    success: Type.Boolean(),
    status: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String()),
    answer: Type.Optional(Type.String({ description: 'The first kilobyte of the response.' })),
    latencyMs: Type.Integer(),
  },
  { $id: 'PingResult', additionalProperties: false },
);

export const ReplayQuery = Type.Object(
  { from: DateTime({ description: 'All events that happened at this moment or later, with any offset.' }) },
  { additionalProperties: false },
);

export const ReplayResult = Type.Object(
  {
    from: DateTime(),
    events: Type.Integer({ minimum: 0, description: 'How many are sent again.' }),
  },
  { $id: 'ReplayResult', additionalProperties: false },
);

const WEBHOOK_ID = '019a8b60-0a11-7b22-9c33-4d44e55f6677';

export const WEBHOOK_EXAMPLE: Static<typeof WebhookView> = {
  id: WEBHOOK_ID,
  url: 'https://example.com/hooks',
  types: ['charge.paid', 'charge.refunded'],
  enabled: true,
  health: 'ok',
  createdAt: '2026-11-16T06:30:00.000Z',
  updatedAt: '2026-11-16T06:30:00.000Z',
};

export const SECRET_EXAMPLE: Static<typeof WebhookWithSecret> = {
  ...WEBHOOK_EXAMPLE,
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=',
};

const onePage = { total: 1, totalPages: 1, currentPage: 1, hasMore: false };

export const WEBHOOKS_EXAMPLE: Static<typeof WebhooksPage> = { webhooks: [WEBHOOK_EXAMPLE], ...onePage };

export const DELIVERY_EXAMPLE: Static<typeof DeliveryView> = {
  id: '019a8b61-1b12-7c33-8d44-5e55f6677889',
  webhookId: WEBHOOK_ID,
  eventId: '019a8b5e-3c71-7a30-8c12-7d0e6f1a2b3c',
  eventType: 'charge.paid',
  objectId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  state: 'pending',
  nextAttemptAt: '2026-11-16T06:33:26.540Z',
  createdAt: '2026-11-16T06:33:21.140Z',
  attempts: [
    { at: '2026-11-16T06:33:21.200Z', status: 503, latencyMs: 41, answer: 'try later', error: 'Answered 503.' },
  ],
};

export const DELIVERIES_EXAMPLE: Static<typeof DeliveriesPage> = { deliveries: [DELIVERY_EXAMPLE], ...onePage };

export const PING_EXAMPLE: Static<typeof PingResult> = {
  eventId: '019a8b62-2c13-7d44-8e55-6f6677889900',
  success: true,
  status: 200,
  answer: 'ok',
  latencyMs: 38,
};

export const REPLAY_EXAMPLE: Static<typeof ReplayResult> = { from: '2026-11-16T00:00:00.000Z', events: 12 };

export const WEBHOOK_SCHEMAS = [
  ...[WebhookBody, WebhookChanges, WebhookView, WebhookWithSecret, WebhooksPage],
  ...[DeliveryView, DeliveriesPage, PingResult, ReplayResult],
];
