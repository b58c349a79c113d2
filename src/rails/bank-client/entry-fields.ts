// The settings of the client of any bank's API: addresses, credentials, limits, and where the bank reports payments.
import { Type } from 'typebox';
import type { Check } from '../../lib/settings/check-schema.ts';

export const CLOSED = { additionalProperties: false } as const;

export const check = (holds: (text: string) => boolean, message: string) => ({
  'x-check': { holds: value => typeof value !== 'string' || holds(value), message } satisfies Check,
});
export const OneOf = <const T extends string>(values: readonly T[]) => Type.Enum([...values], { type: 'string' });
export const Digits = (most: number) =>
  Type.String(
    check(
      text => new RegExp(`^\\d{1,${most}}$`).test(text),
      most === 1 ? 'must be a digit' : `must be 1 to ${most} digits`,
    ),
  );
export const Path = () => Type.String({ minLength: 1 });
/** Text that fits into a header. */
export const Word = () =>
  Type.String(check(text => /^[\x21-\x7e]{1,4000}$/.test(text), 'must be printable ASCII without spaces'));
export const HttpsUrl = () => Type.String(check(isHttpsUrl, 'must be a URL with https, without user and password'));

export const CLIENT_FIELDS = {
  environment: OneOf(['production', 'test']),
  baseUrl: Type.Optional(HttpsUrl()),
  tokenUrl: Type.Optional(HttpsUrl()),
  clientId: Word(),
  clientSecret: Type.Optional(Word()),
  clientSecretFile: Type.Optional(Path()),
  certificateFile: Type.Optional(Path()),
  privateKeyFile: Type.Optional(Path()),
  pkcs12File: Type.Optional(Path()),
  passwordFile: Type.Optional(Path()),
  caFile: Type.Optional(Path()),
  accessToken: Type.Optional(Word()),
  accessTokenFile: Type.Optional(Path()),
  timeoutSeconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 60 })),
  maxConcurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  perSecond: Type.Optional(Type.Integer({ minimum: 0, maximum: 100_000 })),
};

export const WEBHOOK_FIELDS = {
  url: HttpsUrl(),
  clientCaFile: Type.Optional(Path()),
  clientName: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
};

export const WEBHOOK_CHECK = {
  'x-check': {
    holds: hasAuthorityOfName,
    message: 'must have clientCaFile: the name is in a certificate of that authority',
  } satisfies Check,
};

function isHttpsUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' && hash === '';
}

function hasAuthorityOfName(webhook: unknown): boolean {
  return textAt(webhook, 'clientName') === undefined || textAt(webhook, 'clientCaFile') !== undefined;
}

export function textAt(value: unknown, field: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, field);
  return typeof found === 'string' ? found : undefined;
}
