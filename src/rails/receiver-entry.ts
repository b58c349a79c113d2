// The settings of the receiver: where banks report payments.
import { isIP } from 'node:net';
import { type Static, Type } from 'typebox';
import type { Check } from '../lib/settings/check-schema.ts';
import { jsonOf } from '../lib/settings/kinds.ts';

const CLOSED = { additionalProperties: false } as const;
const MAX_PROXIES = 20;

const Address = Type.String({
  'x-check': {
    holds: value => typeof value !== 'string' || isIP(value) !== 0,
    message: 'must be an IP address',
  } satisfies Check,
});

const ReceiverProxy = Type.Object(
  {
    addresses: Type.Array(Address, { minItems: 1, maxItems: MAX_PROXIES }),
    header: Type.String({ pattern: '^[a-z0-9-]{1,100}$' }),
    value: Type.String({ minLength: 1 }),
  },
  CLOSED,
);

export const ReceiverEntry = Type.Object(
  {
    host: Type.Optional(Type.String({ minLength: 1 })),
    port: Type.Integer({ minimum: 0, maximum: 65_535 }),
    certificateFile: Type.Optional(Type.String({ minLength: 1 })),
    privateKeyFile: Type.Optional(Type.String({ minLength: 1 })),
    proxy: Type.Optional(ReceiverProxy),
  },
  {
    ...CLOSED,
    'x-check': {
      holds: isProtected,
      message: 'must have certificateFile and privateKeyFile, or proxy',
    } satisfies Check,
  },
);

export type ReceiverSettings = Readonly<Static<typeof ReceiverEntry>>;

export const receiverSettings = jsonOf(
  ReceiverEntry,
  'a JSON object { port, certificateFile, privateKeyFile } or { port, proxy }',
);

/** Either this service ends TLS, or a proxy in front of it does. */
function isProtected(entry: unknown): boolean {
  if (typeof entry !== 'object' || entry === null) return true;
  const has = (field: string) => Reflect.get(entry, field) !== undefined;
  return has('proxy')
    ? !has('certificateFile') && !has('privateKeyFile')
    : has('certificateFile') && has('privateKeyFile');
}
