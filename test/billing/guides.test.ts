// The requests of the guides of customers and subscriptions, and the discounts of that of charges, as they are written there.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { guide, objectsIn, requestsIn, type WrittenRequest } from '../harness/guide.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ now: '2026-11-19T12:00:00.000Z' });
});
after(() => service.stop());

/** Sends a request with ids of this service in place of those that the page has. */
async function send({ method, path, body }: WrittenRequest, ids: Readonly<Record<string, string>>): Promise<Answer> {
  const real = (text: string) =>
    Object.entries(ids).reduce((made, [written, id]) => made.replaceAll(written, id), text);
  const init = body === undefined ? {} : { body: real(body), headers: { 'content-type': 'application/json' } };
  const answer = await service.send(real(path), { method, ...init });
  assert.ok([200, 201].includes(answer.status), `${method} ${path}: ${answer.text}`);
  return answer;
}

const CUSTOMER = '01a1f37b-68c5-76fd-90ee-67ea7fe7982f';

test('the requests of the guide of customers do what it says', async () => {
  const [create, charge, show, list, change, erase, ...others] = requestsIn(guide('customers.md'));
  assert.deepEqual(others, []);
  const { json: made } = await send(create!, {});
  assert.deepEqual([made.document, made.type, made.externalId], ['52998224725', 'individual', 'client-77']);
  const repeated = await send(create!, {});
  assert.deepEqual([repeated.json.id, repeated.headers.get('idempotent-replayed')], [made.id, 'true']);
  const ids = { [CUSTOMER]: made.id };
  const { json: charged } = await send(charge!, ids);
  const { customerId, customer } = (await service.get(`/charges/${charged.id}`)).json;
  assert.deepEqual([customerId, customer.name], [made.id, 'Maria da Silva']);
  assert.deepEqual((await send(show!, ids)).json.balance, {
    open: { count: 1, amountCents: 15_990 },
    ...{ overdue: { count: 0, amountCents: 0 }, missing: { count: 0, amountCents: 0 } },
    ...{ paid: { count: 0, amountCents: 0 }, refunded: { count: 0, amountCents: 0 } },
  });
  assert.equal((await send(list!, ids)).json.total, 0, 'nothing is overdue yet');
  const { json: changed } = await send(change!, ids);
  assert.deepEqual([changed.email, changed.notes], ['maria@example.org', undefined]);
  const { json: erased } = await send(erase!, ids);
  assert.deepEqual([erased.id, erased.email, erased.externalId], [made.id, undefined, 'client-77']);
});

test('the discounts of the guide of charges take off what it says', async () => {
  const reductions = objectsIn(guide('charges.md', 'Discounts and abatement'));
  assert.equal(reductions.length, 2);
  // 155.90 is left of 159.90: 10 % of it, then 5 %, then none. The other has 50 cents for each banking day before the due day.
  const expected = [
    { '2026-11-30': 13_941, '2026-12-01': 14_716, '2026-12-10': 14_716, '2026-12-11': 15_490 },
    { '2026-12-10': 15_990, '2026-12-09': 15_940, '2026-12-04': 15_790 },
  ];
  for (const [index, reduction] of reductions.entries()) {
    const { json } = await service.post('/charges', chargeBody(reduction));
    await service.runJobs();
    for (const [day, cents] of Object.entries(expected[index]!)) {
      const { boleto, pix } = (await service.get(`/charges/${json.id}/amount?on=${day}`)).json;
      assert.deepEqual([boleto.totalCents, pix.totalCents], [cents, cents], `${JSON.stringify(reduction)} on ${day}`);
    }
    await service.post(`/sandbox/charges/${json.id}/pay`, { method: 'pix' });
    assert.equal((await service.get(`/charges/${json.id}`)).json.state, 'PAID');
  }
});

const PLAN = '01a1f407-9f63-7c11-8a01-5d2e4f60718a';
const SUBSCRIPTION = '01a1f407-a015-7d22-9b12-6e3f50718293';

test('the requests of the guide of subscriptions do what it says', async () => {
  // Those in crypto have a test of their own.
  const written = requestsIn(guide('subscriptions.md').replace(guide('subscriptions.md', 'In crypto'), ''));
  const [plan, subscribe, show, cycles, change, pause, resume, cancel, ...others] = written;
  assert.deepEqual(others, []);
  const { json: customer } = await service.post('/customers', {
    ...{ accountId: 'acme', name: 'Maria da Silva', document: '52998224725' },
  });
  const { json: gold } = await send(plan!, {});
  const { json: made } = await send(subscribe!, { [PLAN]: gold.id, [CUSTOMER]: customer.id });
  const ids = { [SUBSCRIPTION]: made.id };
  const { status, amountCents, nextCycle } = (await send(show!, ids)).json;
  assert.deepEqual(
    [status, amountCents, nextCycle],
    ['active', 9_900, { number: 1, day: '2026-12-10', chargeDay: '2026-12-05' }],
  );
  assert.equal((await send(cycles!, ids)).json.cycles[0].status, 'waiting');
  assert.equal((await send(change!, ids)).json.amountCents, 10_900);
  assert.equal((await send(show!, ids)).json.nextCycle.day, '2026-12-20');
  assert.equal((await send(pause!, ids)).json.status, 'paused');
  assert.equal((await send(resume!, ids)).json.status, 'active');
  assert.equal((await send(cancel!, ids)).json.status, 'active', 'until the first day that is not paid for');
  await service.post('/sandbox/clock', { to: '2026-12-21T12:00:00-03:00' });
  assert.equal((await send(show!, ids)).json.status, 'canceled');
});
