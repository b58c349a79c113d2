// Removing rows behind more remaining rows than a run reads.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startService } from '../harness/service.ts';
import { disabledWebhook } from './disabled-webhook.ts';

const DAY_MS = 86_400_000;

test('more waiting deliveries than a run reads do not keep those behind them', async t => {
  const service = await startService();
  t.after(() => service.stop());
  const { id } = await disabledWebhook(service);
  // Without their events: nothing reads them while they wait.
  await service.sql(
    `with unchecked as materialized (select set_config('session_replication_role', 'replica', true))
     insert into webhook_deliveries (id, account_id, webhook_id, event_id, object_id, position, state, next_at, created_at)
     select lpad(to_hex(n), 32, '0')::uuid, 'acme', $1, gen_random_uuid(), gen_random_uuid(), n,
            case when n > 50000 then 'failed' else 'pending' end, $2, $2
       from unchecked, generate_series(1, 50010) n`,
    [id, service.clock.now()],
  );
  service.clock.advanceMs(91 * DAY_MS);
  for (let run = 0; run < 2; run++) await service.prune();
  assert.deepEqual(await service.sql('select state, count(*)::int from webhook_deliveries group by state'), [
    { state: 'pending', count: 50_000 },
  ]);
});
