// Signatures of Standard Webhooks 1.0, by WebCrypto: HMAC-SHA256 with the secret, over id, time and body.
import type { Event, EventFields, EventType, WebhookOnlyObjects } from './generated/types.ts';
import { parseJson } from './json.ts';
import { TrilhoError } from './trilho-error.ts';

type Sent<T extends string, Data> = { type: T; timestamp: string; data: Data };

/** The body of a webhook; its `type` decides what `data.object` is. */
export type WebhookMessage =
  | { [T in EventType]: Sent<T, Event<T>> }[EventType]
  | {
      [T in keyof WebhookOnlyObjects]: Sent<
        T,
        Omit<EventFields, 'accountId'> & { type: T; object: WebhookOnlyObjects[T] }
      >;
    }[keyof WebhookOnlyObjects];

/** Those of a request: of `fetch`, of Node, or of a framework. */
export type WebhookHeaders = Headers | Readonly<Record<string, string | readonly string[] | undefined>>;

type VerifyOptions = {
  /** Instead of the clock of this machine. */
  readonly now?: () => Date;
  /** How far the time of a sending may be from now: 5 minutes when absent. */
  readonly toleranceMs?: number;
};

const TOLERANCE_MS = 5 * 60_000;

/**
 * The message of a webhook, if one of the secrets has signed it lately. Pass the body as it arrived, not parsed. Throws a
 * {@link TrilhoError} with a code `webhook_…` otherwise.
 *
 * @example
 * const { type, data } = await verifyWebhook(await request.text(), request.headers, secret);
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: WebhookHeaders,
  secrets: string | readonly string[],
  { now = () => new Date(), toleranceMs = TOLERANCE_MS }: VerifyOptions = {},
): Promise<WebhookMessage> {
  const id = header(headers, 'webhook-id');
  const timestamp = header(headers, 'webhook-timestamp');
  const sentMs = /^\d{1,12}$/.test(timestamp) ? Number(timestamp) * 1_000 : Number.NaN;
  if (!(Math.abs(now().getTime() - sentMs) <= toleranceMs)) {
    throw new TrilhoError('webhook_timestamp', 'The webhook was not sent lately, or a clock is wrong.');
  }
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signatures = header(headers, 'webhook-signature').split(' ').flatMap(readSignature);
  if (!(await isSigned(signatures, contentOf(id, timestamp, body), listOfSecrets(secrets)))) {
    throw new TrilhoError('webhook_signature', 'No secret has signed the webhook.');
  }
  try {
    return parseJson(text) as WebhookMessage;
  } catch {
    throw new TrilhoError('webhook_body', 'The body of the webhook is not JSON.');
  }
}

type SignOptions = {
  /** The id of the event. */
  readonly id: string;
  /** When it is sent: now when absent. */
  readonly at?: Date;
};

/**
 * The headers of a webhook as the service would send it, with a signature of each secret: for tests of a receiver.
 *
 * @example
 * const headers = await signWebhook(body, secret, { id: crypto.randomUUID() });
 */
export async function signWebhook(
  body: string,
  secrets: string | readonly string[],
  { id, at = new Date() }: SignOptions,
): Promise<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> {
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const content = contentOf(id, timestamp, body);
  const signatures = await Promise.all(
    listOfSecrets(secrets).map(async secret => {
      const mac = await crypto.subtle.sign('HMAC', await readSecret(secret, 'sign'), content);
      return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
    }),
  );
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

/** WebCrypto compares in constant time. */
async function isSigned(
  signatures: readonly Uint8Array<ArrayBuffer>[],
  content: Uint8Array<ArrayBuffer>,
  secrets: readonly string[],
): Promise<boolean> {
  for (const secret of secrets) {
    const key = await readSecret(secret, 'verify');
    for (const signature of signatures) {
      if (await crypto.subtle.verify('HMAC', key, signature, content)) return true;
    }
  }
  return false;
}

/** The body byte by byte, which need not be UTF-8. */
function contentOf(id: string, timestamp: string, body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const head = encoder.encode(`${id}.${timestamp}.`);
  const bytes = typeof body === 'string' ? encoder.encode(body) : body;
  const content = new Uint8Array(head.length + bytes.length);
  content.set(head);
  content.set(bytes, head.length);
  return content;
}

const listOfSecrets = (secrets: string | readonly string[]) => (typeof secrets === 'string' ? [secrets] : secrets);

async function readSecret(secret: string, usage: 'sign' | 'verify') {
  const bytes = readBase64(secret.replace(/^whsec_/, ''));
  if (!bytes || bytes.length === 0) throw new TypeError('a secret is whsec_ and base64');
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, [usage]);
}

/** Signatures of other versions are passed over. */
function readSignature(text: string): Uint8Array<ArrayBuffer>[] {
  const bytes = text.startsWith('v1,') ? readBase64(text.slice('v1,'.length)) : undefined;
  return bytes ? [bytes] : [];
}

function readBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), character => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}

function header(headers: WebhookHeaders, name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : valueIn(headers, name);
  if (!value) throw new TrilhoError('webhook_header_missing', `The webhook has no ${name}.`);
  return value;
}

function valueIn(headers: Exclude<WebhookHeaders, Headers>, name: string): string | undefined {
  const [, value] = Object.entries(headers).find(([given]) => given.toLowerCase() === name) ?? [];
  return typeof value === 'string' ? value : value?.[0];
}
