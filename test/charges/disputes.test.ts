// Disputes in a sandbox: what the bank of a payer asks back is blocked until the bank or a person ends it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../src/ledger/check.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
let orders: OrderDriver;
before(async () => {
  service = await startService({ env: { TRILHO_DISPUTE_DAYS: '7' } });
  orders = orderDriver(service);
});
after(async () => {
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog, maxConnections: 1 });
  const results = await checkLedger(db, LEDGER_CHECKS);
  await db.close();
  await service.stop();
  assert.deepEqual(
    results.flatMap(({ differences }) => differences),
    [],
  );
});

const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
const dispute = async (id: string) => (await service.get(`/disputes/${id}`)).json;
const end = (id: string, outcome: 'returned' | 'kept') => service.post(`/sandbox/disputes/${id}/end`, { outcome });
const close = (id: string, outcome: string, reason = 'The bank has written.') =>
  service.post(`/disputes/${id}/close`, { outcome, reason });
const change = (id: string, body: unknown) =>
  service.send(`/disputes/${id}`, {
    method: 'PATCH',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json' },
  });

type Disputed = { readonly chargeId: string; readonly id: string };

async function disputed(how: Record<string, unknown> = {}, changes: Record<string, unknown> = {}): Promise<Disputed> {
  const { json } = await service.post('/charges', chargeBody({ methods: ['pix'], ...changes }));
  await service.runJobs();
  await service.post(`/sandbox/charges/${json.id}/pay`, { method: 'pix' });
  const taken = await service.post(`/sandbox/charges/${json.id}/return`, { cause: 'fraud', ...how });
  assert.equal(taken.status, 200, taken.text);
  return { chargeId: json.id, id: taken.json.refunds[0].disputeId };
}

async function eventsOf(id: string): Promise<string> {
  const { json } = await service.get(`/events?objectId=${id}`);
  return json.events.map(({ type }: { type: string }) => type).join(' ');
}

/** The books of one charge, without the payer's. */
async function booksOf(chargeId: string): Promise<Record<string, string>> {
  const rows = await service.sql<{ book: string; amount: string }>(
    `select l.book, sum(l.amount)::text as amount from ledger_lines l join ledger_entries e on e.id = l.entry_id
      where e.charge_id = $1 and l.book <> 'payer' group by l.book having sum(l.amount) <> 0 order by l.book`,
    [chargeId],
  );
  return Object.fromEntries(rows.map(({ book, amount }) => [book, amount]));
}

test('a dispute blocks the money at once, and says until when that is estimated', async () => {
  const { chargeId, id } = await disputed({ cause: 'operational_failure', amountCents: 9_990 });
  const shown = await dispute(id);
  assert.deepEqual(
    [shown.status, shown.cause, shown.bankCode, shown.amountCents, shown.blockedCents, shown.isUntilEstimated],
    ['open', 'operational_failure', 'MED_OPERACIONAL', 9_990, 9_990, true],
  );
  assert.equal(Date.parse(shown.blockedUntil) - Date.parse(shown.createdAt), 7 * 86_400_000);
  const charge = await read(chargeId);
  assert.equal(charge.state, 'PAID', 'nothing went back yet');
  assert.equal(charge.refunds[0].status, 'PENDING');
  assert.deepEqual(await booksOf(chargeId), { blocked: '9990', settled: '6000' });
  const refused = await service.post(`/charges/${chargeId}/refunds`, { amountCents: 6_001 });
  assert.equal(refused.json.errors[0].code, 'above_refundable');
  assert.equal(await eventsOf(id), 'dispute.opened');
});

test('the bank keeps the money here: the dispute is won, and the money is available again', async () => {
  const { chargeId, id } = await disputed();
  const { json } = await end(id, 'kept');
  assert.deepEqual([json.status, json.closedBy, json.blockedCents], ['won', 'bank', 0]);
  assert.deepEqual([(await read(chargeId)).state, await booksOf(chargeId)], ['PAID', { settled: '15990' }]);
  assert.equal(await eventsOf(id), 'dispute.opened dispute.closed');
  assert.equal((await service.post(`/charges/${chargeId}/refunds`, {})).json.amountCents, 15_990);
  await service.runJobs();
});

test('the bank sends the money back: the dispute is lost, and the charge is refunded', async () => {
  const { chargeId, id } = await disputed();
  assert.equal((await end(id, 'returned')).json.status, 'lost');
  assert.equal((await end(id, 'returned')).json.status, 'lost', 'reported again, recorded once');
  const charge = await read(chargeId);
  assert.deepEqual([charge.state, charge.refunds.length], ['REFUNDED', 1]);
  assert.deepEqual(await booksOf(chargeId), { refund: '15990' });
  assert.equal(await eventsOf(id), 'dispute.opened dispute.closed');
  assert.match(await eventsOf(chargeId), /charge\.returned$/);
});

test('a person records each end with its reason, once', async () => {
  const ends = [
    ['won', 'PAID', { settled: '15990' }],
    ['lost', 'REFUNDED', { refund: '15990' }],
    ['accepted', 'REFUNDED', { refund: '15990' }],
  ] as const;
  for (const [outcome, state, books] of ends) {
    const { chargeId, id } = await disputed();
    const { json } = await close(id, outcome);
    assert.deepEqual([json.status, json.closedBy, json.reason], [outcome, 'account', 'The bank has written.']);
    assert.deepEqual([(await read(chargeId)).state, await booksOf(chargeId)], [state, books]);
    assert.equal((await close(id, outcome, 'Again.')).json.reason, 'The bank has written.');
    const other = await close(id, outcome === 'won' ? 'lost' : 'won');
    assert.deepEqual([other.status, other.json.code], [409, 'wrong_state']);
    assert.equal(await eventsOf(id), 'dispute.opened dispute.closed');
    // The bank agrees.
    const confirmed = (await end(id, outcome === 'won' ? 'kept' : 'returned')).json;
    assert.deepEqual([confirmed.status, confirmed.closedBy], [outcome, 'account']);
    assert.ok(confirmed.confirmedAt);
    assert.equal(await eventsOf(id), 'dispute.opened dispute.closed');
  }
});

test('what the bank reports replaces what a person recorded', async () => {
  const won = await disputed();
  await close(won.id, 'won');
  const lost = (await end(won.id, 'returned')).json;
  assert.deepEqual([lost.status, lost.closedBy], ['lost', 'bank']);
  assert.deepEqual([(await read(won.chargeId)).state, await booksOf(won.chargeId)], ['REFUNDED', { refund: '15990' }]);

  const accepted = await disputed();
  await close(accepted.id, 'accepted');
  const kept = (await end(accepted.id, 'kept')).json;
  assert.deepEqual([kept.status, kept.closedBy], ['won', 'bank']);
  assert.deepEqual(
    [(await read(accepted.chargeId)).state, await booksOf(accepted.chargeId)],
    ['PAID', { settled: '15990' }],
  );
  // A bank that first kept the money and then sent it.
  assert.equal((await end(accepted.id, 'returned')).json.status, 'lost');
  assert.deepEqual(await booksOf(accepted.chargeId), { refund: '15990' });
  assert.equal((await end(accepted.id, 'kept')).json.status, 'lost', 'what the bank has sent is gone');
});

test('ends that come at the same time are one end', async () => {
  const { chargeId, id } = await disputed();
  const answers = await Promise.all([close(id, 'lost'), close(id, 'lost'), end(id, 'returned'), close(id, 'accepted')]);
  assert.ok(answers.some(({ status }) => status === 200));
  assert.deepEqual(await booksOf(chargeId), { refund: '15990' });
  assert.equal(await eventsOf(id), 'dispute.opened dispute.closed');
});

test('a person records until when the money is blocked, and a note', async () => {
  const { id } = await disputed();
  const until = '2027-01-04T12:00:00.000Z';
  const { json } = await change(id, { blockedUntil: until, note: 'Ana asked the bank.' });
  assert.deepEqual([json.blockedUntil, json.isUntilEstimated, json.note], [until, false, 'Ana asked the bank.']);
  await change(id, { blockedUntil: until });
  assert.equal(await eventsOf(id), 'dispute.opened dispute.updated', 'a change of nothing is no event');
  const unknown = (await change(id, { blockedUntil: null, note: null })).json;
  assert.deepEqual([unknown.blockedUntil, unknown.isUntilEstimated, unknown.note], [undefined, undefined, undefined]);
  await end(id, 'kept');
  assert.equal((await change(id, { blockedUntil: until })).status, 409);
  assert.equal((await change(id, { note: 'Done.' })).json.note, 'Done.');
});

test('the list counts exactly, by state, charge and time', async () => {
  const accountId = 'list-of-disputes';
  const made: Disputed[] = [];
  for (let count = 0; count < 3; count++) {
    service.clock.advanceMs(1_000);
    made.push(await disputed({}, { accountId }));
  }
  const [first, second, third] = made as [Disputed, Disputed, Disputed];
  await end(second.id, 'kept');
  const list = async (query: string) => {
    const { json } = await service.get(`/disputes?accountId=${accountId}${query}`);
    return [json.disputes.map(({ id }: { id: string }) => id), json.total, json.hasMore];
  };
  assert.deepEqual(await list(''), [[third.id, second.id, first.id], 3, false]);
  assert.deepEqual(await list('&pageSize=2'), [[third.id, second.id], 3, true]);
  assert.deepEqual(await list('&status=open'), [[third.id, first.id], 2, false]);
  assert.deepEqual(await list(`&chargeId=${second.chargeId}`), [[second.id], 1, false]);
  const { createdAt } = await dispute(second.id);
  assert.deepEqual(await list(`&from=${createdAt}`), [[third.id, second.id], 2, false]);
  assert.deepEqual(await list(`&to=${createdAt}&page=9`), [[], 2, false]);
});

async function paidOrder(how: Record<string, unknown> = {}): Promise<Answer> {
  const order = await orders.order(how);
  await orders.pay(order);
  await service.runJobs();
  return order;
}

const chargeOf = (order: Answer) => order.json.charge.id;

test('disputed money buys no crypto: the order is held until the dispute ends', async () => {
  const [kept, gone] = [await paidOrder({ settlementSchedule: 'D1' }), await paidOrder({ settlementSchedule: 'D1' })];
  const [won, lost] = await Promise.all(
    [kept, gone].map(async order => {
      const { json } = await service.post(`/sandbox/charges/${chargeOf(order)}/return`, { cause: 'fraud' });
      return json.refunds[0].disputeId as string;
    }),
  );
  await service.runJobs();
  assert.equal((await orders.read(kept)).holdReason, 'refund_pending');
  await orders.advance('P5D');
  assert.deepEqual(
    [(await orders.read(kept)).status, (await orders.read(gone)).status],
    ['fulfillment_scheduled', 'fulfillment_scheduled'],
  );
  await end(won!, 'kept');
  await end(lost!, 'returned');
  await orders.advance('P1D');
  assert.equal((await orders.read(kept)).status, 'fulfilled');
  assert.equal((await orders.read(gone)).endedAs, 'refunded');
});

test('a dispute after the crypto has left is shown, and changes nothing of the order', async () => {
  const order = await paidOrder();
  await orders.advance('PT30M');
  assert.equal((await orders.read(order)).status, 'fulfilled');
  const { json } = await service.post(`/sandbox/charges/${chargeOf(order)}/return`, { cause: 'fraud' });
  await end(json.refunds[0].disputeId, 'returned');
  await service.runJobs();
  const after = await orders.read(order);
  assert.deepEqual([after.status, after.holdReason, after.endedAs], ['fulfilled', undefined, undefined]);
});
