// Two requests about the same charge at the same moment, many times.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';

/** Each a multiple of AT_ONCE. */
const AT_ONCE = 20;
const TWICE_PAID = scaled(1_000, 3 * AT_ONCE);
const CANCELED = scaled(100, AT_ONCE);
const RUN_OUT = scaled(40, AT_ONCE);

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** Creates charges and runs `run` on each, several charges at a time. */
async function race(rounds: number, run: (id: string) => Promise<unknown>, isIssued = true): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < rounds; made += AT_ONCE) {
    const batch = await Promise.all(
      Array.from({ length: AT_ONCE }, async () => (await service.post('/charges', chargeBody())).json.id as string),
    );
    if (isIssued) await service.runJobs();
    await Promise.all(batch.map(run));
    ids.push(...batch);
  }
  return ids;
}

async function pay(id: string, method: string): Promise<void> {
  const answer = await service.post(`/sandbox/charges/${id}/pay`, { method });
  assert.equal(answer.status, 200, answer.text);
}
const cancel = (id: string) => service.send(`/charges/${id}/cancel`, { method: 'POST' });

type Outcome = { events: string; payments: number; statuses: string };

/** The outcomes of the charges, each with how often it occurred. */
async function outcomes(ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await service.sql<Outcome>(
    `select (select string_agg(replace(type, 'charge.', ''), ' ' order by sequence) from events where object_id = c.id) as events,
            (select count(*)::int from payments where charge_id = c.id) as payments,
            (select string_agg(method || ' ' || status, ', ' order by method) from charge_methods where charge_id = c.id) as statuses
       from charges c where id = any($1)`,
    [ids],
  );
  const counts = new Map<string, number>();
  for (const { events, payments, statuses } of rows) {
    const outcome = `${events}; ${payments} payments; ${statuses}`;
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
  }
  return counts;
}

test('paid by both methods at once, one pays and the other is the second payment', async () => {
  // A payer may be faster than the rails, and registering all these charges would only take time.
  const ids = await race(TWICE_PAID, id => Promise.all([pay(id, 'pix'), pay(id, 'boleto')]), false);
  const counts = await outcomes(ids);
  const pixFirst = 'created paid paid_twice; 2 payments; boleto PAID_BY_OTHER_METHOD, pix PAID';
  const boletoFirst = 'created paid paid_twice; 2 payments; boleto PAID, pix PAID_BY_OTHER_METHOD';
  assert.equal((counts.get(pixFirst) ?? 0) + (counts.get(boletoFirst) ?? 0), TWICE_PAID, JSON.stringify([...counts]));
});

test('paid and canceled at once, the money counts either way', async () => {
  const ids = await race(CANCELED, id => Promise.all([pay(id, 'pix'), cancel(id)]));
  const counts = await outcomes(ids);
  const paidFirst = 'created active paid; 1 payments; boleto PAID_BY_OTHER_METHOD, pix PAID';
  const canceledFirst = 'created active canceled paid; 1 payments; boleto CANCELED, pix PAID';
  assert.equal((counts.get(paidFirst) ?? 0) + (counts.get(canceledFirst) ?? 0), CANCELED, JSON.stringify([...counts]));
});

test('paid while its time runs out, the money counts either way', async () => {
  const ids = await race(RUN_OUT, async () => {});
  const [moved] = await Promise.all([
    service.post('/sandbox/clock', { advance: 'P3M' }),
    ...ids.map(id => service.post(`/sandbox/charges/${id}/pay`, { method: 'pix', at: '2026-11-16T12:00:00Z' })),
  ]);
  assert.equal(moved!.status, 200);
  for (const outcome of (await outcomes(ids)).keys())
    assert.match(outcome, /^created active( overdue)?( expired)? paid; 1 payments; .*pix PAID$/);
});
