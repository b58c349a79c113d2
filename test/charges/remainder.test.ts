// Charges that are paid in part, and the charge for the rest: announced as such, charged once, and paid together.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { checkLedger } from '../../src/ledger/check.ts';
import { LEDGER_CHECKS } from '../../src/nouns.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { openCharge, pathOf, pay } from '../harness/checkouts.ts';
import { silentLog } from '../harness/log.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
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
const remainder = (id: string, body: Record<string, unknown> = {}): Promise<Answer> =>
  service.post(`/charges/${id}/remainder`, body);
async function eventsOf(id: string): Promise<string> {
  const rows = await service.sql<{ type: string }>('select type from events where object_id = $1 order by sequence', [
    id,
  ]);
  return rows.map(({ type }) => type.replace('charge.', '')).join(' ');
}
async function paidInPart(method = 'pix'): Promise<string> {
  const id = await openCharge(service);
  await pay(service, id, { method, amountCents: 5_000 });
  await service.runJobs();
  return id;
}

test('a charge that is paid in part has no event charge.paid until the rest is paid', async () => {
  const id = await paidInPart();
  const part = await read(id);
  assert.deepEqual(
    [part.state, part.paidAmount, part.pix.status, part.pix.receivedCents, part.boleto.status],
    ['PARTIALLY_PAID', 'partial', 'PAID', 5_000, 'PAID_BY_OTHER_METHOD'],
  );
  const listed = (await service.get('/charges?state=PARTIALLY_PAID')).json.charges;
  assert.ok(listed.some((charge: { id: string }) => charge.id === id));
  assert.equal((await service.send(`/charges/${id}/cancel`, { method: 'POST' })).status, 409);
  await pay(service, id, { method: 'pix', amountCents: 1_000 });
  assert.equal((await read(id)).state, 'PARTIALLY_PAID');
  await pay(service, id, { method: 'pix', amountCents: 9_990 });
  const whole = await read(id);
  assert.deepEqual([whole.state, whole.paidAmount, whole.pix.receivedCents], ['PAID', 'exact', 15_990]);
  await pay(service, id, { method: 'pix', amountCents: 100 });
  assert.equal(await eventsOf(id), 'created active partially_paid partially_paid paid paid_twice');
});

test('a late payment in part counts too, and a refund of all of it ends the charge', async () => {
  const id = await openCharge(service);
  await service.send(`/charges/${id}/cancel`, { method: 'POST' });
  await pay(service, id, { method: 'pix', amountCents: 5_000 });
  await service.post(`/charges/${id}/refunds`, { amountCents: 2_000 });
  await service.runJobs();
  assert.deepEqual([(await read(id)).state, (await read(id)).pix.status], ['PARTIALLY_PAID', 'PARTIALLY_REFUNDED']);
  await service.post(`/charges/${id}/refunds`, {});
  await service.runJobs();
  assert.equal((await read(id)).state, 'REFUNDED');
  assert.equal((await remainder(id)).status, 409);
  await pay(service, id, { method: 'pix', amountCents: 11_000 });
  assert.equal((await read(id)).state, 'PARTIALLY_PAID', 'the refunded part is missing');
});

test('the rest is charged once, however often it is requested, and completes the first charge', async () => {
  const id = await paidInPart();
  const answers = await Promise.all([1, 2, 3, 4].map(() => remainder(id)));
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201], answers[0]?.text);
  const ids = new Set(answers.map(({ json }) => json.id));
  assert.equal(ids.size, 1);
  const [rest] = ids;
  assert.deepEqual(
    [(await read(rest)).amountCents, (await read(rest)).remainderOf, (await read(id)).remainderId],
    [10_990, id, rest],
  );
  await service.runJobs();
  await pay(service, rest, { method: 'boleto' });
  await service.runJobs();
  const first = await read(id);
  assert.deepEqual([first.state, first.paidAmount], ['PAID', 'exact']);
  assert.equal(await eventsOf(id), 'created active partially_paid paid');
  assert.equal((await remainder(id)).json.id, rest);
});

test('with the payment of the rest a charge is settled whose boleto has been credited by then', async () => {
  const id = await paidInPart('boleto');
  const rest = (await remainder(id, { methods: ['pix'] })).json.id;
  await service.runJobs();
  assert.equal((await service.post('/sandbox/clock', { advance: 'P3D' })).status, 200);
  assert.deepEqual([(await read(id)).state, (await read(id)).boleto.status], ['PARTIALLY_PAID', 'SETTLED']);
  await pay(service, rest, { method: 'pix' });
  await service.runJobs();
  assert.equal(await eventsOf(id), 'created active partially_paid paid settled');
});

test('the charge for the rest is canceled when the first one no longer needs it', async () => {
  const completed = await paidInPart();
  const refunded = await paidInPart();
  const rests = [(await remainder(completed)).json.id, (await remainder(refunded)).json.id];
  await pay(service, completed, { method: 'pix', amountCents: 10_990 });
  await service.post(`/charges/${refunded}/refunds`, {});
  await service.runJobs();
  assert.deepEqual([(await read(completed)).state, (await read(refunded)).state], ['PAID', 'REFUNDED']);
  for (const rest of rests) assert.equal((await read(rest)).state, 'CANCELED');
});

test('a payment of the rest is refunded only at the charge for the rest', async () => {
  const id = await paidInPart();
  const rest = (await remainder(id)).json.id;
  await service.runJobs();
  // Both come before the service can cancel the second charge.
  await pay(service, id, { method: 'pix', amountCents: 10_990 });
  await pay(service, rest, { method: 'pix' });
  await service.runJobs();
  assert.equal((await service.post(`/charges/${rest}/refunds`, {})).status, 201);
  await service.runJobs();
  const again = await service.post(`/charges/${id}/refunds`, { excess: true });
  assert.equal(again.status, 409, again.text);
});

test('the rest of a rest is canceled with it', async () => {
  const id = await paidInPart();
  const rest = (await remainder(id)).json.id;
  await service.runJobs();
  await pay(service, rest, { method: 'pix', amountCents: 5_000 });
  const restOfRest = (await remainder(rest)).json.id;
  await service.runJobs();
  await pay(service, id, { method: 'pix', amountCents: 10_990 });
  await service.runJobs();
  assert.deepEqual([(await read(id)).state, (await read(restOfRest)).state], ['PAID', 'CANCELED']);
});

const cancel = (id: string) => service.send(`/charges/${id}/cancel`, { method: 'POST' });
const restsOf = (id: string) =>
  service.sql<{ id: string; state: string }>('select id, state from charges where remainder_of = $1 order by id', [id]);

test('a rest that ended unpaid can be charged again, one at a time, and a late payment of the first still counts', async () => {
  const id = await paidInPart();
  const canceled = (await remainder(id)).json.id;
  await service.runJobs();
  assert.equal((await remainder(id)).json.id, canceled, 'it is open');
  assert.equal((await cancel(canceled)).status, 200);
  await service.runJobs();
  const answers = await Promise.all([1, 2, 3, 4].map(() => remainder(id)));
  const ids = new Set(answers.map(({ json }) => json.id));
  assert.equal(ids.size, 1);
  assert.ok(!ids.has(canceled));
  const [expired = ''] = ids;
  await service.sql(
    `update charge_timers set at = now() - interval '1 year' where charge_id = $1 and kind = 'expire'`,
    [expired],
  );
  await service.sql(`update charges set due_at = created_at, expire_at = created_at where id = $1`, [expired]);
  await service.post('/sandbox/clock', { advance: 'P7D' });
  await service.runJobs();
  assert.equal((await read(expired)).state, 'EXPIRED');
  const open = (await remainder(id)).json.id;
  await service.runJobs();
  assert.deepEqual(
    (await restsOf(id)).map(({ state }) => state),
    ['CANCELED', 'EXPIRED', 'ACTIVE'],
  );
  assert.equal((await read(id)).remainderId, open);
  await pay(service, canceled, { method: 'pix' });
  await service.runJobs();
  assert.deepEqual([(await read(id)).state, (await read(open)).state], ['PAID', 'CANCELED']);
  assert.equal(await eventsOf(id), 'created active partially_paid paid');
});

for (const [name, isFollowedFirst] of [
  ['after the first charge was paid by it', true],
  ['before the first charge was updated', false],
] as const) {
  test(`a refund of the rest ${name} is a refund of the whole`, async () => {
    const id = await paidInPart();
    const rest = (await remainder(id, { methods: ['pix'] })).json.id;
    await service.runJobs();
    await pay(service, rest, { method: 'pix' });
    if (isFollowedFirst) await service.runJobs();
    assert.equal((await service.post(`/charges/${rest}/refunds`, { amountCents: 990 })).status, 201);
    await service.runJobs();
    const part = await read(id);
    assert.deepEqual(
      [part.state, part.pix.status, (await read(rest)).state],
      ['PARTIALLY_REFUNDED', 'PAID', 'PARTIALLY_REFUNDED'],
    );
    await service.post(`/charges/${rest}/refunds`, {});
    await service.runJobs();
    assert.deepEqual([(await read(id)).state, (await read(rest)).state], ['PARTIALLY_REFUNDED', 'REFUNDED']);
    assert.equal((await remainder(id)).json.id, rest, 'a charge that was paid up has no further rest');
    await service.post(`/charges/${id}/refunds`, {});
    await service.runJobs();
    assert.deepEqual([(await read(id)).state, (await read(id)).pix.status], ['REFUNDED', 'REFUNDED']);
    assert.equal(await eventsOf(id), 'created active partially_paid paid refunded refund_requested refunded');
  });
}

test('a charge whose own payment was refunded keeps the payment of its rest', async () => {
  const id = await paidInPart();
  const rest = (await remainder(id)).json.id;
  await service.runJobs();
  await pay(service, rest, { method: 'pix' });
  await service.runJobs();
  await service.post(`/charges/${id}/refunds`, {});
  await service.runJobs();
  assert.deepEqual([(await read(id)).state, (await read(id)).pix.status], ['PARTIALLY_REFUNDED', 'REFUNDED']);
});

test('what was refunded before the rest was paid is still missing, and can be charged', async () => {
  const id = await paidInPart();
  const rest = (await remainder(id)).json.id;
  await service.runJobs();
  assert.equal((await service.post(`/charges/${id}/refunds`, { amountCents: 2_000 })).status, 201);
  await service.runJobs();
  await pay(service, rest, { method: 'pix' });
  await service.runJobs();
  assert.equal((await read(id)).state, 'PARTIALLY_PAID');
  const second = (await remainder(id)).json.id;
  assert.deepEqual([(await read(second)).amountCents, second === rest], [2_000, false]);
  await service.runJobs();
  await pay(service, second, { method: 'pix' });
  await service.runJobs();
  assert.equal((await read(id)).state, 'PAID');
});

test('a charge that is unpaid, paid or pays for an order has no rest', async () => {
  const open = await openCharge(service);
  const paid = await openCharge(service);
  await pay(service, paid);
  for (const id of [open, paid]) assert.equal((await remainder(id)).json.code, 'wrong_state');
  const orders = orderDriver(service);
  const order = await orders.order({ charge: CHARGE_PART });
  await orders.pay(order, { amountCents: 5_000 });
  await service.runJobs();
  const { status, holdReason, charge } = await orders.read(order);
  assert.deepEqual([status, holdReason, charge.state], ['pending_fulfillment', 'underpaid', 'PARTIALLY_PAID']);
  const refused = await remainder(charge.id);
  assert.equal(refused.status, 409);
  assert.match(refused.json.detail, /gets a new price/);
});

test('the checkout offers the rest if the account allows it, in both languages', async () => {
  const id = await paidInPart();
  const path = await pathOf(service, id);
  const pageIn = async (language: string) =>
    (await fetch(service.url + path, { headers: { 'accept-language': language } })).text();
  const press = () => fetch(`${service.url}${path}/remainder`, { method: 'POST', redirect: 'manual' });
  assert.match(await pageIn('en'), /R\$\s109\.90 is missing: ask the seller/);
  assert.equal((await press()).status, 303);
  assert.equal((await read(id)).remainderId, undefined, 'the account does not allow it');
  const allowed = await service.send('/accounts/acme/settings', {
    method: 'PATCH',
    body: JSON.stringify({ offersRemainder: true }),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(allowed.json.offersRemainder, true, allowed.text);
  assert.match(await pageIn('en'), /Pay the rest: R\$\s109\.90/);
  assert.match(await pageIn('pt-BR'), /Pagar o restante: R\$\s109,90/);
  const [first, again] = [await press(), await press()];
  const rest = (await read(id)).remainderId;
  const next = await pathOf(service, rest);
  for (const answer of [first, again]) assert.equal(answer.headers.get('location')?.split('?')[0], next);
});
