// Fan-out and delivery, really killed between every two steps and resumed by another node: no event is lost or written twice,
// and each is received at least once, in the order of its object.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { crashAt } from '../harness/crash.ts';
import type { WebhookCrash } from '../harness/crash-webhook.ts';
import { startReceiver } from '../harness/receiver.ts';
import { startService } from '../harness/service.ts';

const MAX_STEPS = 60;

test('killed at any step, a delivery is made at least once and its event is never lost', async t => {
  const service = await startService();
  t.after(() => service.stop());
  const receiver = await startReceiver(t);
  const { id: webhookId } = (await service.post('/webhooks', { url: receiver.url })).json;
  let receivedBefore = 0;
  let deaths = 0;
  let cutShort = 0;
  for (let step = 1; ; step++) {
    assert.ok(step <= MAX_STEPS, 'it finishes');
    const charge = (await service.post('/charges', chargeBody())).json.id;
    const now = service.clock.now().toISOString();
    const order: WebhookCrash = { databaseUrl: service.databaseUrl, now, step };
    const died = await crashAt('crash-webhook.ts', order);
    // Any node may take the deliveries of the dead one when its lease has expired.
    await service.sql('update webhook_deliveries set claimed_until = now() where claim is not null');
    await service.runJobs();
    const received = receiver.received.slice(receivedBefore);
    receivedBefore = receiver.received.length;
    const types = received.map(({ json }) => json.type);
    assert.ok(received.every(({ json }) => json.data.objectId === charge));
    assert.deepEqual([...new Set(types)], ['charge.created', 'charge.active'], `step ${step}: ${types}`);
    assert.deepEqual(types, types.toSorted().toReversed(), 'in order');
    const { json } = await service.get(`/webhooks/${webhookId}/deliveries?pageSize=100`);
    const its = json.deliveries.filter((delivery: { objectId: string }) => delivery.objectId === charge);
    assert.deepEqual(
      its.map(({ state }: { state: string }) => state),
      ['delivered', 'delivered'],
    );
    // An attempt is written before it is made.
    const attempts = its.flatMap((delivery: { attempts: { latencyMs?: number }[] }) => delivery.attempts);
    assert.ok(attempts.length >= received.length, 'every sending is in the log');
    if (attempts.some(({ latencyMs }: { latencyMs?: number }) => latencyMs === undefined)) cutShort++;
    if (!died) break;
    deaths++;
  }
  assert.ok(deaths >= 10, `${deaths} steps to die between`);
  assert.ok(cutShort >= 2, 'it died holding a claim, before and after sending');
});
