// Fan-out and delivery, killed for real between every two of their steps and taken up by another node: no event is lost, none
// is written twice, and each is received at least once, in the order of its object.
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
  let heardBefore = 0;
  let deaths = 0;
  let cutShort = 0;
  for (let step = 1; ; step++) {
    assert.ok(step <= MAX_STEPS, 'it comes to its end');
    const charge = (await service.post('/charges', chargeBody())).json.id;
    const now = service.clock.now().toISOString();
    const order: WebhookCrash = { databaseUrl: service.databaseUrl, now, step };
    const died = await crashAt('crash-webhook.ts', order);
    // Any node may take what the dead one held when its lease is over.
    await service.sql('update webhook_deliveries set claimed_until = now() where claim is not null');
    await service.runJobs();
    const heard = receiver.heard.slice(heardBefore);
    heardBefore = receiver.heard.length;
    const types = heard.map(({ json }) => json.type);
    assert.ok(heard.every(({ json }) => json.data.objectId === charge));
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
    assert.ok(attempts.length >= heard.length, 'every sending is in the log');
    if (attempts.some(({ latencyMs }: { latencyMs?: number }) => latencyMs === undefined)) cutShort++;
    if (!died) break;
    deaths++;
  }
  assert.ok(deaths >= 10, `${deaths} steps to die between`);
  assert.ok(cutShort >= 2, 'it died with a claim in hand, before and after sending');
});
