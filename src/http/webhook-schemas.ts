// What webhooks and their deliveries look like on the wire.
import { type Static, Type } from 'typebox';
import type { Delivery } from '../events/store-delivery-list.ts';
import { DELIVERY_STATES, HEALTHS, healthOf, type Webhook } from '../events/webhook.ts';
import { EVENT_TYPES } from './event-types.ts';
import { DateTime, OneOf, Text } from './schemas.ts';

const MAX_URL_LENGTH = 2_048;

const url = Text({
  maxLength: MAX_URL_LENGTH,
  description: 'Where events are sent: https and a public address. A sandbox also takes http and its own machine.',
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
      Type.Boolean({ description: 'Events wait while it is false, and are sent when it is true again.' }),
    ),
  },
  { $id: 'WebhookChanges', additionalProperties: false, examples: [{ enabled: true }] },
);

const properties = {
  id: Type.String({ format: 'uuid' }),
  url: Type.String(),
  types: Type.Optional(Type.Array(OneOf(EVENT_TYPES), { description: 'Absent: every type.' })),
  accountId: Type.Optional(Type.String({ description: 'Absent: every account.' })),
  enabled: Type.Boolean(),
  health: OneOf(HEALTHS, { description: '`failing`: its last delivery failed; it is tried again.' }),
  disabledReason: Type.Optional(OneOf(['gone'], { description: 'It answered 410 and was disabled for it.' })),
  failingSince: Type.Optional(DateTime()),
  lastError: Type.Optional(Type.String({ description: 'What went wrong last, be it mended since.' })),
  lastErrorAt: Type.Optional(DateTime()),
  createdAt: DateTime(),
  updatedAt: DateTime(),
};

export const WebhookView = Type.Object(properties, { $id: 'Webhook', additionalProperties: false });

export const WebhookWithSecret = Type.Object(
  {
    ...properties,
    secret: Type.String({ pattern: '^whsec_', description: 'Signs what is sent. It is shown this once.' }),
  },
  { $id: 'WebhookWithSecret', additionalProperties: false },
);

export const DeliveryView = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    webhookId: Type.String({ format: 'uuid' }),
    eventId: Type.String({ format: 'uuid' }),
    eventType: Type.String(),
    objectId: Type.String({ format: 'uuid' }),
    state: OneOf(DELIVERY_STATES, { description: '`failed`: given up after the last try.' }),
    nextAttemptAt: Type.Optional(DateTime({ description: 'While it is pending; later when an earlier event waits.' })),
    deliveredAt: Type.Optional(DateTime()),
    createdAt: DateTime(),
    attempts: Type.Array(
      Type.Object(
        {
          at: DateTime(),
          status: Type.Optional(Type.Integer()),
          latencyMs: Type.Optional(Type.Integer({ description: 'Absent for one that was cut off.' })),
          error: Type.Optional(Type.String()),
          answer: Type.Optional(Type.String({ description: 'The first kilobyte of what was answered.' })),
        },
        { additionalProperties: false },
      ),
      { description: 'The latest 20, oldest first.' },
    ),
  },
  { $id: 'WebhookDelivery', additionalProperties: false },
);

export const PingResult = Type.Object(
  {
    eventId: Type.String({ format: 'uuid' }),
    success: Type.Boolean(),
    status: Type.Optional(Type.Integer()),
    error: Type.Optional(Type.String()),
    answer: Type.Optional(Type.String({ description: 'The first kilobyte of what was answered.' })),
    latencyMs: Type.Integer(),
  },
  { $id: 'PingResult', additionalProperties: false },
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

export const SECRET_EXAMPLE = { ...WEBHOOK_EXAMPLE, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=' };

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

export const WEBHOOK_SCHEMAS = [
  ...[WebhookBody, WebhookChanges, WebhookView, WebhookWithSecret],
  ...[DeliveryView, PingResult, ReplayResult],
];

export function webhookView(webhook: Webhook): Static<typeof WebhookView> {
  const { id, url, types, accountId, enabled, disabledReason, failingSince, lastError, lastErrorAt } = webhook;
  return {
    id,
    url,
    ...(types && { types: [...types] }),
    ...(accountId !== undefined && { accountId }),
    enabled,
    health: healthOf(webhook),
    ...(disabledReason && { disabledReason }),
    ...(failingSince && { failingSince: failingSince.toISOString() }),
    ...(lastError !== undefined && { lastError }),
    ...(lastErrorAt && { lastErrorAt: lastErrorAt.toISOString() }),
    createdAt: webhook.createdAt.toISOString(),
    updatedAt: webhook.updatedAt.toISOString(),
  };
}

export function deliveryView(delivery: Delivery): Static<typeof DeliveryView> {
  const { nextAttemptAt, deliveredAt, createdAt, attempts, ...rest } = delivery;
  return {
    ...rest,
    ...(nextAttemptAt && { nextAttemptAt: nextAttemptAt.toISOString() }),
    ...(deliveredAt && { deliveredAt: deliveredAt.toISOString() }),
    createdAt: createdAt.toISOString(),
    attempts: attempts.map(({ at, ...attempt }) => ({ at: at.toISOString(), ...attempt })),
  };
}
