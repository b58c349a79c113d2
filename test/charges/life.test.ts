// The life of a charge, driven through the sandbox: its payer and its clock.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { sandboxClock } from '../../src/sandbox/clock/sandbox-clock.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { testClock } from '../harness/clock.ts';
import { silentLog } from '../harness/log.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

// A Monday; the due day of the bodies, 2026-12-10, is a Thursday.
const START = '2026-11-16T12:00:00.000Z';

let service: Service;
before(async () => {
  // No two tests move it at once, so no move waits for another.
  service = await startService({ now: START, turnLimitMs: 200 });
});
after(() => service.stop());
beforeEach(async () => {
  // Each test begins at the same moment, however far the one before moved the clock.
  await service.sql('update sandbox_clock set ahead_ms = 0, halted_at = null, halted_until = null');
});

async function make(changes: Record<string, unknown> = {}): Promise<string> {
  const made = await service.post('/charges', chargeBody(changes));
  assert.equal(made.status, 201, made.text);
  await service.runJobs();
  return made.json.id;
}

const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
const pay = (id: string, body: Record<string, unknown>) => service.post(`/sandbox/charges/${id}/pay`, body);
const move = (body: Record<string, unknown>) => service.post('/sandbox/clock', body);
const cancel = (id: string) => service.send(`/charges/${id}/cancel`, { method: 'POST' });
const refund = (id: string, body: Record<string, unknown>, headers = {}) =>
  service.post(`/charges/${id}/refunds`, body, headers);
const eventsOf = async (id: string) => {
  const rows = await service.sql<{ type: string; sequence: number }>(
    'select type, sequence from events where object_id = $1 order by sequence',
    [id],
  );
  assert.deepEqual(
    rows.map(row => row.sequence),
    rows.map((_, index) => index + 1),
  );
  return rows.map(row => row.type.replace('charge.', ''));
};
const standing = ({ state, timing, paidAmount, pix, boleto }: Record<string, { status: string } | string>) =>
  [state, timing, paidAmount, (pix as { status: string })?.status, (boleto as { status: string })?.status].join(' ');

describe('a charge', () => {
  test('an instant pix ends at its second, and the boleto beside it stays open until the next banking day', async () => {
    const instant = { dueAt: '2026-11-16T12:04:00Z', expireAt: '2026-11-16T12:08:00Z' };
    const pix = await make({ ...instant, methods: ['pix'] });
    const both = await make(instant);
    await move({ to: '2026-11-16T12:07:59Z' });
    assert.equal(standing(await read(pix)), 'ACTIVE   ACTIVE ');
    assert.equal(standing(await read(both)), 'OVERDUE   ACTIVE OVERDUE');
    await move({ to: '2026-11-16T12:08:00Z' });
    assert.equal(standing(await read(pix)), 'EXPIRED   EXPIRED ');
    assert.equal(standing(await read(both)), 'OVERDUE   EXPIRED OVERDUE');
    await move({ to: '2026-11-17T03:00:00Z' });
    assert.equal(standing(await read(both)), 'EXPIRED   EXPIRED EXPIRED');
    assert.deepEqual(await eventsOf(pix), ['created', 'active', 'expired']);
    assert.deepEqual(await eventsOf(both), ['created', 'active', 'overdue', 'expired']);
    const { pix: owed } = (await service.get(`/charges/${pix}/amount?on=2026-11-16`)).json;
    assert.deepEqual([owed.lastPayableDay, owed.lines[0].rule], ['2026-11-16', 'instant_pix']);
  });

  test('whose pix has ended is expired when the bank then refuses its boleto', async () => {
    // The bank of the sandbox refuses this amount.
    const made = await service.post('/charges', chargeBody({ amountCents: 109_001 }));
    const { id } = made.json;
    await service.sql("update charge_methods set status = 'EXPIRED' where charge_id = $1 and method = 'pix'", [id]);
    await service.runJobs();
    assert.equal(standing(await read(id)), 'EXPIRED   EXPIRED FAILED');
    assert.deepEqual(await eventsOf(id), ['created', 'expired']);
  });

  test('a pix with a fine, or due on a later day, is not an instant pix', async () => {
    const ends = { dueAt: '2026-11-16T12:04:00Z', expireAt: '2026-11-16T12:08:00Z', methods: ['pix'] };
    const fined = await make({ ...ends, taxes: { fine: 2 } });
    const later = await make({ ...ends, expireAt: '2026-11-17T12:00:01Z' });
    await move({ to: '2026-11-16T12:09:00Z' });
    for (const id of [fined, later]) assert.equal((await read(id)).state, 'OVERDUE');
  });

  test('is active once registered', async () => {
    const id = await make();
    assert.equal((await read(id)).state, 'ACTIVE');
    assert.deepEqual(await eventsOf(id), ['created', 'active']);
  });

  test('paid by pix on time is paid, and its boleto is withdrawn', async () => {
    const id = await make();
    const paid = await pay(id, { method: 'pix' });
    assert.equal(paid.status, 200, paid.text);
    assert.equal(standing(paid.json), 'PAID on_time exact PAID PAID_BY_OTHER_METHOD');
    assert.equal(paid.json.payments.length, 1);
    assert.equal(paid.json.payments[0].amountCents, 15_990);
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'paid']);
    await move({ advance: 'P90D' });
    assert.equal(standing(await read(id)), 'PAID on_time exact PAID PAID_BY_OTHER_METHOD');
  });

  test('paid by boleto is settled on the next banking day', async () => {
    const id = await make();
    await move({ to: '2026-11-20T15:00:00Z' }); // A Friday, and a holiday since 2024.
    assert.equal(standing((await pay(id, { method: 'boleto' })).json), 'PAID on_time exact PAID_BY_OTHER_METHOD PAID');
    await move({ to: '2026-11-24T02:59:59Z' });
    assert.equal((await read(id)).state, 'PAID');
    await move({ to: '2026-11-24T03:00:00Z' });
    assert.equal(standing(await read(id)), 'SETTLED on_time exact PAID_BY_OTHER_METHOD SETTLED');
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'paid', 'settled']);
  });

  test('becomes overdue and then expires when it is not paid', async () => {
    const id = await make();
    await move({ to: '2026-12-11T02:59:58Z' });
    assert.equal((await read(id)).state, 'ACTIVE');
    await move({ to: '2026-12-11T02:59:59Z' });
    assert.equal(standing(await read(id)), 'OVERDUE   OVERDUE OVERDUE');
    // It expires on Saturday, 9 January, so Monday is the last day, and it closes with that.
    await move({ to: '2027-01-12T02:59:59Z' });
    assert.equal((await read(id)).state, 'OVERDUE');
    const { json: amount } = await service.get(`/charges/${id}/amount`);
    assert.equal(`${amount.pix.lastPayableDay} ${amount.pix.payable} ${amount.boleto.payable}`, '2027-01-11 true true');
    await move({ to: '2027-01-12T03:00:00Z' });
    assert.equal(standing(await read(id)), 'EXPIRED   EXPIRED EXPIRED');
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'overdue', 'expired']);
  });

  test('goes through the same states in one clock move as in small ones', async () => {
    const id = await make();
    await move({ advance: 'P1Y' });
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'overdue', 'expired']);
    const times = await service.sql<{ at: Date }>(
      'select occurred_at as at from events where object_id = $1 order by sequence',
      [id],
    );
    assert.equal(times[2]!.at.toISOString(), '2026-12-11T02:59:59.000Z');
    assert.equal(times[3]!.at.toISOString(), '2027-01-12T03:00:00.000Z');
  });

  test('paid late owes fine and interest', async () => {
    const id = await make({ taxes: { fine: 2, interest: 1 } });
    await move({ to: '2026-12-20T12:00:00Z' });
    const { json } = await service.get(`/charges/${id}/amount`);
    // 15990 + 2 % (319.8) + 1 % / 30 * 10 days (53.3), each truncated.
    assert.equal(json.pix.totalCents, 15_990 + 319 + 53);
    assert.equal(standing((await pay(id, { method: 'pix' })).json), 'PAID late exact PAID PAID_BY_OTHER_METHOD');
    assert.equal((await read(id)).payments[0].amountCents, json.pix.totalCents);
  });

  test('paid late with the amount of its first day is paid in part, and late', async () => {
    const id = await make({ taxes: { fine: 2 } });
    await move({ to: '2026-12-20T12:00:00Z' });
    assert.equal(
      standing((await pay(id, { method: 'boleto', amountCents: 15_990 })).json),
      'PARTIALLY_PAID late partial PAID_BY_OTHER_METHOD PAID',
    );
  });

  test('paid too much says so, independently of the time', async () => {
    const id = await make();
    assert.equal(
      standing((await pay(id, { method: 'pix', amountCents: 20_000 })).json),
      'PAID on_time over PAID PAID_BY_OTHER_METHOD',
    );
  });

  test('that expired or was canceled still records a payment', async () => {
    const expired = await make();
    const canceled = await make();
    assert.equal((await cancel(canceled)).json.state, 'CANCELED');
    await move({ advance: 'P2M' });
    assert.equal((await read(expired)).state, 'EXPIRED');
    const late = (await pay(expired, { method: 'boleto' })).json;
    assert.equal(standing(late), 'PAID late exact EXPIRED PAID');
    assert.equal(late.payments[0].cameAfter, 'EXPIRED');
    assert.equal(
      standing((await pay(canceled, { method: 'pix', at: START })).json),
      'PAID on_time exact PAID CANCELED',
    );
  });

  test('paid by both methods keeps both payments and announces the second', async () => {
    const id = await make();
    await pay(id, { method: 'boleto' });
    const twice = await pay(id, { method: 'pix' });
    assert.equal(standing(twice.json), 'PAID on_time over PAID_BY_OTHER_METHOD PAID');
    assert.deepEqual(
      twice.json.payments.map((p: { isRepeat: boolean }) => p.isRepeat),
      [false, true],
    );
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'paid', 'paid_twice']);
  });

  test('refused payments write nothing', async () => {
    const id = await make({ methods: ['pix'] });
    assert.equal((await pay(id, { method: 'boleto' })).status, 409);
    assert.equal((await pay(id, { method: 'pix', at: '2026-11-16T12:00:01Z' })).json.errors[0].path, 'at');
    assert.equal((await pay(id, { method: 'pix', amountCents: 0 })).status, 400);
    assert.equal(
      (await pay(id, { method: 'pix', at: '2026-11-15T12:00:00Z' })).status,
      409,
      'before the charge was made',
    );
    assert.equal((await pay('019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17', { method: 'pix' })).status, 404);
    assert.equal((await read(id)).payments.length, 0);
  });
});

describe('canceling', () => {
  test('twice is canceling once', async () => {
    const id = await make();
    const first = await cancel(id);
    assert.equal(first.status, 200);
    assert.equal((await cancel(id)).text, first.text);
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'canceled']);
    await move({ advance: 'P2M' });
    assert.equal((await read(id)).state, 'CANCELED');
  });

  test('is possible before the rail has answered', async () => {
    const made = await service.post('/charges', chargeBody());
    assert.equal((await cancel(made.json.id)).json.state, 'CANCELED');
    await service.runJobs();
    assert.equal(standing(await read(made.json.id)), 'CANCELED   CANCELED CANCELED');
  });

  test('a charge that is paid or expired is refused', async () => {
    const paid = await make();
    const expired = await make();
    await pay(paid, { method: 'pix' });
    await move({ advance: 'P2M' });
    for (const id of [paid, expired]) {
      const refused = await cancel(id);
      assert.equal(refused.status, 409);
      assert.equal(refused.json.code, 'wrong_state');
    }
  });
});

type Shown = { readonly refunds: readonly { readonly status: string; readonly reason?: string }[] };

describe('a refund', () => {
  const done = async (answer: Answer) => {
    assert.equal(answer.status, 201, answer.text);
    assert.equal(answer.json.status, 'PENDING');
    await service.runJobs();
  };

  test('of the whole leaves the charge refunded', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    await done(await refund(id, {}));
    const charge = await read(id);
    assert.equal(standing(charge), 'REFUNDED on_time exact REFUNDED PAID_BY_OTHER_METHOD');
    assert.equal(charge.refunds[0].status, 'DONE');
    assert.equal(charge.refunds[0].amountCents, 15_990);
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'paid', 'refund_requested', 'refunded']);
    assert.equal((await refund(id, {})).status, 409);
  });

  test('has an event when it is requested and when the bank rejects it, each with the refund as it is then', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    // The bank of the sandbox refuses this amount.
    await done(await refund(id, { amountCents: 9_001 }));
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'paid', 'refund_requested', 'refund_failed']);
    const { events } = (await service.get(`/events?objectId=${id}`)).json;
    const refunds = events.slice(-2).map(({ object }: { object: Shown }) => object.refunds[0]!);
    assert.deepEqual(
      refunds.map(({ status, reason }: Shown['refunds'][number]) => [status, reason !== undefined]),
      [
        ['PENDING', false],
        ['FAILED', true],
      ],
    );
    assert.equal((await read(id)).state, 'PAID');
  });

  test('of a part, and then of the rest', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    await done(await refund(id, { amountCents: 5_000 }));
    assert.equal(standing(await read(id)), 'PARTIALLY_REFUNDED on_time exact PARTIALLY_REFUNDED PAID_BY_OTHER_METHOD');
    assert.equal((await refund(id, { amountCents: 10_991 })).json.errors[0].code, 'above_refundable');
    await done(await refund(id, {}));
    assert.equal((await read(id)).state, 'REFUNDED');
  });

  test('followed by a new payment leaves the pix paid', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    await done(await refund(id, {}));
    assert.equal((await read(id)).pix.status, 'REFUNDED');
    assert.equal(standing((await pay(id, { method: 'pix' })).json), 'PAID on_time over PAID PAID_BY_OTHER_METHOD');
  });

  test('of the excess leaves a charge that is paid', async () => {
    const id = await make();
    await pay(id, { method: 'pix', amountCents: 20_000 });
    await done(await refund(id, { excess: true }));
    const charge = await read(id);
    assert.equal(charge.refunds[0].amountCents, 4_010);
    assert.equal(charge.state, 'PAID');
    assert.equal((await refund(id, { excess: true })).status, 409);
  });

  test('of a second payment refunds that payment', async () => {
    const id = await make();
    await pay(id, { method: 'boleto' });
    const twice = await pay(id, { method: 'pix' });
    await done(await refund(id, { excess: true }));
    const charge = await read(id);
    assert.equal(charge.refunds[0].paymentId, twice.json.payments[1].id);
    assert.equal(charge.state, 'PAID');
  });

  test('of an excess from several payments is made one by one', async () => {
    const id = await make({ amountCents: 5_000 });
    await pay(id, { method: 'pix', amountCents: 10_000 });
    await pay(id, { method: 'boleto', amountCents: 10_000 });
    await done(await refund(id, { excess: true }));
    await done(await refund(id, { excess: true }));
    const charge = await read(id);
    assert.deepEqual(
      charge.refunds.map((r: { amountCents: number }) => r.amountCents),
      [10_000, 5_000],
    );
    assert.equal(charge.state, 'PAID');
    assert.equal((await refund(id, { excess: true })).status, 409);
  });

  test('of the whole is requested with an empty object; no body, null and unknown fields refund nothing', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    const asked = (body?: string) =>
      service.send(`/charges/${id}/refunds`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        ...(body !== undefined && { body }),
      });
    for (const body of [undefined, '', 'null', '[]', '"all"', '0']) {
      assert.equal((await asked(body)).status, 400, body);
    }
    assert.equal((await service.send(`/charges/${id}/refunds`, { method: 'POST' })).status, 400);
    assert.deepEqual((await read(id)).refunds, []);
    assert.equal((await refund(id, { amount: 1 })).status, 400);
    assert.equal((await refund(id, { excess: true, amountCents: 1 })).status, 400);
    await done(await asked('{}'));
    assert.equal((await read(id)).state, 'REFUNDED');
  });

  test('requested twice with one key is one refund', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    const key = { 'idempotency-key': 'refund-1' };
    const answers = await Promise.all(Array.from({ length: 20 }, () => refund(id, { amountCents: 1_000 }, key)));
    assert.deepEqual(new Set(answers.map(answer => answer.text)).size, 1);
    assert.equal(answers.filter(answer => answer.headers.get('idempotent-replayed') === 'true').length, 19);
    assert.equal((await read(id)).refunds.length, 1);
    for (const other of [{ amountCents: 2_000 }, {}, { excess: true }])
      assert.equal((await refund(id, other, key)).status, 422);
  });

  test('never promises a cent twice, however many are requested at once', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    const answers = await Promise.all(Array.from({ length: 12 }, () => refund(id, { amountCents: 3_000 })));
    assert.equal(answers.filter(answer => answer.status === 201).length, 5);
    assert.equal(answers.filter(answer => answer.status === 400).length, 7);
  });

  test('that the bank rejects fails and may be requested again', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    await done(await refund(id, { amountCents: 9_001 }));
    const charge = await read(id);
    assert.equal(charge.refunds[0].status, 'FAILED');
    assert.equal(charge.state, 'PAID');
    await done(await refund(id, {}));
    assert.equal((await read(id)).state, 'REFUNDED');
  });

  test('whose reply was lost is looked up, not sent again', async () => {
    const id = await make();
    await pay(id, { method: 'pix' });
    await done(await refund(id, { amountCents: 9_003 }));
    assert.equal((await read(id)).refunds[0].status, 'PENDING');
    await service.runJobs();
    assert.equal((await read(id)).refunds[0].status, 'DONE');
  });

  test('of an unpaid charge is refused', async () => {
    assert.equal((await refund(await make(), {})).status, 409);
  });
});

describe('a magic amount', () => {
  const amount = (cents: number) => ({ amountCents: 100_000 + cents });

  test('ending in 90.01 is rejected by the bank', async () => {
    const id = await make(amount(9_001));
    assert.equal(standing(await read(id)), 'FAILED   FAILED FAILED');
    assert.deepEqual(await eventsOf(id), ['created', 'failed']);
  });

  test('ending in 90.02 is decided later', async () => {
    const id = await make(amount(9_002));
    assert.equal((await read(id)).state, 'CREATING');
    await service.runJobs();
    assert.equal((await read(id)).state, 'ACTIVE');
  });

  test('ending in 90.03 loses its reply and is found', async () => {
    const id = await make(amount(9_003));
    assert.equal((await read(id)).state, 'CREATING');
    await service.runJobs();
    assert.equal((await read(id)).state, 'ACTIVE');
  });

  test('ending in 90.04 is paid by both methods on its due day', async () => {
    const id = await make(amount(9_004));
    await move({ advance: 'P1Y' });
    const charge = await read(id);
    assert.equal(charge.payments.length, 2);
    assert.equal(charge.payments[0].paidAt, '2026-12-10T13:00:00.000Z');
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'paid', 'paid_twice', 'settled']);
  });

  test('ending in 90.05 is paid five days late, in order with everything else', async () => {
    const id = await make(amount(9_005));
    await move({ advance: 'P1Y' });
    const charge = await read(id);
    assert.equal(charge.timing, 'late');
    assert.equal(charge.payments[0].paidAt, '2026-12-15T13:00:00.000Z');
    assert.equal(charge.payments.length, 1);
    assert.deepEqual(await eventsOf(id), ['created', 'active', 'overdue', 'paid']);
  });
});

describe('the clock', () => {
  test('is read, moved forward and never back', async () => {
    assert.deepEqual((await service.get('/sandbox/clock')).json, { now: START });
    assert.deepEqual((await move({ advance: 'P1M3DT2H' })).json, { now: '2026-12-19T14:00:00.000Z' });
    assert.deepEqual((await service.get('/sandbox/clock')).json, { now: '2026-12-19T14:00:00.000Z' });
    assert.equal((await move({ to: START })).status, 409);
    for (const body of [
      {},
      { advance: 'P1D', to: START },
      { advance: '3 days' },
      { advance: 'P' },
      { to: 'soon' },
      { advance: 'P999Y', x: 1 },
      { advance: 'P500Y' },
      { to: '9999-12-31T23:59:58Z' },
    ]) {
      assert.equal((await move(body)).status, 400, JSON.stringify(body));
    }
  });

  test('may be moved by zero', async () => {
    assert.deepEqual((await move({ advance: 'P0D' })).json, { now: START });
  });

  test('is moved by one request at a time, and stands still during a move', async () => {
    await service.sql(
      `update sandbox_clock set halted_at = '2026-11-17T12:00:00Z', halted_until = now() + interval '1 minute'`,
    );
    assert.deepEqual((await service.get('/sandbox/clock')).json, { now: '2026-11-17T12:00:00.000Z' });
    assert.equal((await move({ advance: 'P1D' })).status, 409);
    // The move has expired, and time continues.
    await service.sql(`update sandbox_clock set halted_until = now() - interval '1 second'`);
    assert.equal((await move({ advance: 'P1D' })).status, 200);
  });

  test('can be moved with charges of any year', async () => {
    const old = await make({ dueAt: '1969-12-01T00:00:00Z', expireAt: '1969-12-31T00:00:00Z' });
    const oldest = await make({
      methods: ['pix'],
      dueAt: '0001-01-01T00:00:00Z',
      taxes: { fine: 10_000, interest: 10_000 },
    });
    const innocent = await make();
    assert.equal((await move({ advance: 'P1Y' })).status, 200);
    for (const id of [old, oldest, innocent]) assert.equal((await read(id)).state, 'EXPIRED');
    assert.equal((await pay(oldest, { method: 'pix', amountCents: 1 })).json.state, 'PARTIALLY_PAID');
  });

  test('is the same for another node', async () => {
    await move({ to: '2026-12-01T00:00:00Z' });
    const made = await service.post('/charges', chargeBody());
    assert.equal((await read(made.json.id)).createdAt, '2026-12-01T00:00:00.000Z');
    const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
    try {
      const other = sandboxClock(db, testClock(START));
      await other.refresh();
      assert.equal(other.now().toISOString(), '2026-12-01T00:00:00.000Z');
    } finally {
      await db.close();
    }
  });

  test('applies to a charge at once when another node has moved it', async () => {
    await move({ to: '2026-12-01T00:00:00Z' });
    const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
    const other = sandboxClock(db, service.clock);
    const moveId = '00000000-0000-4000-8000-00000000000a';
    const haltAt = async (moment: string) => {
      await db.transaction(tx => other.tryHalt(tx, moveId));
      await other.haltAt(moveId, new Date(moment));
    };
    const makeAt = async () => (await read((await service.post('/charges', chargeBody())).json.id)).createdAt;
    try {
      for (const day of ['02', '03', '04']) {
        await haltAt(`2026-12-${day}T00:00:00Z`);
        // Some are created before the node has read the new time, and written after.
        const made = await Promise.all(Array.from({ length: scaled(40, 10) }, makeAt));
        assert.deepEqual(new Set(made), new Set([`2026-12-${day}T00:00:00.000Z`]));
      }
      await other.resume(moveId);
      assert.equal(await makeAt(), '2026-12-04T00:00:00.000Z');
    } finally {
      await db.close();
    }
  });
});

test('a clock has one move at a time, and a move that expired has lost it', async () => {
  const moved = await startService({ now: START });
  const db = openDatabase({ connection: { connectionString: moved.databaseUrl }, log: silentLog });
  try {
    const [first, second] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'];
    const clock = sandboxClock(db, moved.clock);
    const tryHalt = (moveId: string) => db.transaction(tx => clock.tryHalt(tx, moveId));
    const at = async () => {
      await clock.refresh();
      return clock.now().toISOString();
    };
    assert.ok(await tryHalt(first));
    assert.ok(await tryHalt(first), 'asked again, because the answer was lost');
    assert.equal(await tryHalt(second), undefined);
    await clock.haltAt(first, new Date('2026-12-01T00:00:00Z'));
    await db.query(`update sandbox_clock set halted_until = now() - interval '1 second'`);
    assert.ok(await tryHalt(second));
    await clock.haltAt(second, new Date('2026-12-24T00:00:00Z'));
    await assert.rejects(clock.haltAt(first, new Date('2026-12-02T00:00:00Z')), { code: 'wrong_state' });
    await clock.resume(first);
    assert.equal(await at(), '2026-12-24T00:00:00.000Z');
    await clock.resume(second);
    assert.equal((await moved.post('/sandbox/clock', { advance: 'P1D' })).json.now, '2026-12-25T00:00:00.000Z');
  } finally {
    await db.close();
    await moved.stop();
  }
});

test('during a move with running workers and sweeps, time stands still while a bank is called', async () => {
  const busy = await startService({ now: START, work: true });
  try {
    const body = chargeBody({ amountCents: 9_004, dueAt: '2026-12-10T10:00:01-03:00' });
    const made = await Promise.all(Array.from({ length: scaled(60, 10) }, () => busy.post('/charges', body)));
    const moved = await busy.post('/sandbox/clock', { to: '2026-12-10T10:00:00-03:00' });
    assert.deepEqual(moved.json, { now: '2026-12-10T13:00:00.000Z' });
    for (const { json } of made) {
      const rows = await busy.sql<{ type: string }>('select type from events where object_id = $1 order by sequence', [
        json.id,
      ]);
      const types = rows.map(row => row.type.replace('charge.', '')).join(' ');
      assert.equal(types, 'created active paid paid_twice');
    }
  } finally {
    await busy.stop();
  }
});
