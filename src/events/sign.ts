// Signatures according to Standard Webhooks 1.0. https://www.standardwebhooks.com
import { createHmac, randomBytes } from 'node:crypto';
import { version } from '../lib/version.ts';

const SECRET_BYTES = 32;

export function newSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** A secret as it is shown, once. */
export function secretText(secret: Buffer): string {
  return `whsec_${secret.toString('base64')}`;
}

type Message = {
  readonly id: string;
  /** When it is sent, by the machine's time: receivers compare it with their own. */
  readonly sentAt: Date;
  readonly body: string;
};

/** The headers of a message, with a signature by each secret. */
export function signedHeaders({ id, sentAt, body }: Message, secrets: readonly Buffer[]): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signatures = secrets.map(secret => {
    const digest = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${digest}`;
  });
  return {
    'content-type': 'application/json',
    'user-agent': `Trilho/${version}`,
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}

/** The body of a message: the event's JSON as it is, so that its decimals stay exact. */
export function messageBody({ type, occurredAt, json }: { type: string; occurredAt: string; json: string }): string {
  return `{"type":${JSON.stringify(type)},"timestamp":${JSON.stringify(occurredAt)},"data":${json}}`;
}
