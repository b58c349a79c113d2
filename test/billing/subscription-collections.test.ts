// Subscriptions whose charges are collected by a mandate (Pix Automático) at a simulated PSP, and fall back to the code of the charge.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type MandatesAtPsp, MINUTE_MS, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';
import { UNCUT } from '../harness/steps.ts';
import { planBody } from '../harness/subscriptions.ts';

let at: MandatesAtPsp;
let node: Awaited<ReturnType<MandatesAtPsp['openNode']>>;
before(async () => {
  at = await startMandatesAtPsp();
  node = await at.openNode();
});
after(async () => {
  await node.close();
  await at.stop();
});

/** Charges what is due on a day, and does what follows. */
async function chargeOn(day: string, hour?: string): Promise<void> {
  await at.until(day, hour);
  const now = at.service.clock.now().toISOString();
  await node.run('charge cycles', { chargeId: '' }, { now, place: node.place, steps: UNCUT });
  for (let times = 0; times < 3; times++) await at.work();
}

type Cycle = Record<'status' | 'chargeId' | 'collectionId' | 'fallbackReason', string>;

async function made(path: string, body: object) {
  const answer = await at.service.post(path, body);
  assert.equal(answer.status, 201, answer.text);
  await at.work();
  return answer.json;
}

/** A subscription that charges 35 reais four days ahead, the first time on the day that is five days from now. */
async function subscribe(customerId: string, changes: object = {}): Promise<string> {
  const plan = planBody({ accountId: 'acme', amountCents: 3_500, day: undefined, daysAhead: 4, automatic: true });
  const { id: planId } = await made('/plans', plan);
  const first = { startDay: at.day(5), ...changes };
  return (await made('/subscriptions', { accountId: 'acme', planId, customerId, ...first })).id;
}

const cyclesOf = async (id: string): Promise<Cycle[]> =>
  (await at.service.get(`/subscriptions/${id}/cycles`)).json.cycles.reverse();
const failuresOf = async (id: string) =>
  (await at.service.get(`/events?objectId=${id}&limit=100`)).json.events
    .filter(({ type }: { type: string }) => type === 'subscription.collection_failed')
    .map(({ object }: { object: { cycle: object } }) => object.cycle);

test('the charge of each cycle is collected by the mandate of the customer, once', async () => {
  const customerId = await at.newCustomer();
  const mandateId = await at.approved({ customerId });
  const id = await subscribe(customerId);
  assert.equal((await at.service.get(`/subscriptions/${id}`)).json.automatic, true);
  const first = at.day(5);
  await chargeOn(at.day(2));
  const [open] = await cyclesOf(id);
  const { collections } = await at.read(mandateId);
  assert.deepEqual([open!.status, open!.collectionId], ['open', collections[0].id]);
  assert.deepEqual([collections[0].chargeId, collections[0].dueDay], [open!.chargeId, first]);
  // It is a Saturday.
  await at.until(new Date(Date.parse(first) + 2 * 86_400_000).toISOString().slice(0, 10), '09');
  const cycles = await cyclesOf(id);
  assert.equal(cycles[0]!.status, 'paid');
  await chargeOn(at.day(24));
  const [, second] = await cyclesOf(id);
  const all = (await at.read(mandateId)).collections;
  assert.deepEqual(
    all.map(({ id: of }: { id: string }) => of).sort(),
    [cycles[0]!.collectionId, second!.collectionId].sort(),
  );
  assert.deepEqual(await failuresOf(id), []);
});

test('without a mandate that fits, the customer pays the charge, and an event says why', async () => {
  const customerId = await at.newCustomer();
  const without = await subscribe(customerId);
  await at.approved({ customerId, amountCents: 5_000 });
  const other = await subscribe(customerId, { startDay: at.day(6) });
  await chargeOn(at.day(2), '13');
  for (const [id, reason] of [
    [without, 'No mandate of the customer is for this amount, day and interval.'],
    [other, 'No mandate of the customer is for this amount, day and interval.'],
  ] as const) {
    const [cycle] = await cyclesOf(id);
    assert.deepEqual([cycle!.status, cycle!.collectionId, cycle!.fallbackReason], ['open', undefined, reason]);
    assert.deepEqual(await failuresOf(id), [cycle]);
    await at.payCharge(cycle!.chargeId);
    await at.work();
    assert.equal((await cyclesOf(id))[0]!.status, 'paid');
  }
});

test('a collection that brings nothing, or ends with its mandate, leaves the charge to the customer', async () => {
  const customerId = await at.newCustomer();
  const mandateId = await at.approved({ customerId });
  const id = await subscribe(customerId);
  const due = at.day(5);
  await chargeOn(at.day(1));
  at.psp.automatic.setAccount({ idRec: (await at.read(mandateId)).recurrenceId, balance: '0.00' });
  await at.until(due, '23');
  for (let days = 0; days < 3 && (await failuresOf(id)).length === 0; days++) await at.until(at.day(1));
  const [cycle] = await cyclesOf(id);
  const failed = await failuresOf(id);
  assert.deepEqual([failed.length, failed[0]?.fallbackReason], [1, cycle!.fallbackReason]);
  assert.ok(cycle!.collectionId !== undefined && cycle!.fallbackReason !== undefined);
  await at.payCharge(cycle!.chargeId);
  await at.work();
  assert.equal((await cyclesOf(id))[0]!.status, 'paid');

  await chargeOn(new Date(Date.parse(due) + 28 * 86_400_000).toISOString().slice(0, 10));
  assert.ok((await cyclesOf(id))[1]!.collectionId !== undefined);
  await at.cancelMandate(mandateId);
  for (let times = 0; times < 3; times++) await at.later(MINUTE_MS);
  const [, second] = await cyclesOf(id);
  assert.ok(second!.fallbackReason !== undefined);
  assert.equal((await failuresOf(id)).length, 2);
  assert.equal(await at.stateOf(second!.chargeId), 'ACTIVE');
});

test('a plan that cannot be collected is refused', async () => {
  const body = planBody({ accountId: 'acme', methods: ['boleto'], daysAhead: 2, automatic: true });
  const { json } = await at.service.post('/plans', body);
  assert.deepEqual(
    json.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`),
    ['methods no_pix', 'daysAhead too_late_to_collect'],
  );
});
