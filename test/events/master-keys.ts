// Master keys for a service, and deliveries signed with secrets that they seal.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Webhook as Verifier } from 'standardwebhooks';
import { chargeBody } from '../harness/bodies.ts';
import type { Receiver } from '../harness/receiver.ts';
import type { Service } from '../harness/service.ts';

export const newKey = () => randomBytes(32).toString('base64');
export const withKeys = (...keys: string[]) => (keys.length === 0 ? {} : { TRILHO_MASTER_KEY: keys.join(',') });

/** Causes an event, sends it and verifies the delivery with the secret, as a receiver would. */
export async function sendsSigned(service: Service, receiver: Receiver, secret: string): Promise<void> {
  const before = receiver.received.length;
  await service.post('/charges', chargeBody());
  await service.runJobs();
  assert.ok(receiver.received.length > before, 'something was sent');
  for (const { text, headers } of receiver.received.slice(before)) {
    new Verifier(secret).verify(text, headers as Record<string, string>);
  }
}
