// Instalments through HTTP: charges that are made together, add up, are due by the month, and end together.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { Client } from 'pg';
import { postAtOnce } from '../harness/at-once.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ now: '2026-12-15T12:00:00Z' });
});
after(() => service.stop());

let accounts = 0;
/** An account that no other test has. */
const newAccount = () => `account ${++accounts}`;
const bodyOf = (changes: Record<string, unknown> = {}) => ({
  accountId: newAccount(),
  amountCents: 100_000,
  currency: 'BRL',
  count: 3,
  firstDueDay: '2026-12-31',
  methods: ['boleto', 'pix'],
  customer: { name: 'Maria da Silva', document: '52998224725' },
  ...changes,
});
const create = (changes?: Record<string, unknown>, headers?: Record<string, string>) =>
  service.post('/instalments', bodyOf(changes), headers);
const read = async (id: string) => (await service.get(`/instalments/${id}`)).json;
type Shown = { id: string; amountCents: number; dueAt: string; state: string; description?: string };
const pay = async (chargeId: string, body: object = {}) => {
  const paid = await service.post(`/sandbox/charges/${chargeId}/pay`, { method: 'pix', ...body });
  assert.equal(paid.status, 200, paid.text);
  await service.runJobs();
};
const eventsOf = async (id: string) => {
  const { events } = (await service.get(`/events?objectId=${id}`)).json;
  return events.map(({ type, sequence }: { type: string; sequence: number }) => `${sequence} ${type}`);
};
const countOf = async (table: string, accountId: string) => {
  const [row] = await service.sql(`select count(*)::int as count from ${table} where account_id = $1`, [accountId]);
  return row!['count'];
};

test('one request makes all charges: they add up to the cent and are due by the month', async () => {
  const accountId = newAccount();
  const made = await create({
    accountId,
    externalId: 'enrolment-1',
    description: 'Curso de inglês',
    metadata: { class: 'B2' },
    taxes: { fine: 2, interest: 1 },
    count: 4,
    amountCents: 100_001,
  });
  assert.equal(made.status, 201, made.text);
  const { id, charges, balance, ...plan } = made.json;
  assert.equal(made.headers.get('location'), `/instalments/${id}`);
  const now = service.clock.now().toISOString();
  assert.deepEqual(plan, {
    accountId,
    externalId: 'enrolment-1',
    description: 'Curso de inglês',
    metadata: { class: 'B2' },
    state: 'OPEN',
    amountCents: 100_001,
    currency: 'BRL',
    instalmentCount: 4,
    paidCount: 0,
    checkoutUrl: plan.checkoutUrl,
    slipsUrl: `/instalments/${id}/slips.pdf`,
    createdAt: now,
    updatedAt: now,
  });
  assert.deepEqual(
    charges.map(({ amountCents, dueAt, description }: Shown) => [amountCents, dueAt, description]),
    [
      [25_001, '2027-01-01T02:59:59.000Z', 'Curso de inglês 1/4'],
      [25_000, '2027-02-01T02:59:59.000Z', 'Curso de inglês 2/4'],
      [25_000, '2027-03-01T02:59:59.000Z', 'Curso de inglês 3/4'],
      [25_000, '2027-04-01T02:59:59.000Z', 'Curso de inglês 4/4'],
    ],
  );
  assert.deepEqual(balance.open, { count: 4, amountCents: 100_001 });
  const [first] = charges;
  assert.deepEqual(
    [first.taxes, first.metadata, first.externalId, first.instalment],
    [{ fine: 2, interest: 1 }, { class: 'B2' }, undefined, { instalmentPlanId: id, number: 1 }],
  );
  assert.deepEqual(await eventsOf(id), ['1 instalments.created']);
  await service.runJobs();
  const registered = await read(id);
  assert.deepEqual(
    registered.charges.map((charge: Shown) => charge.state),
    Array(4).fill('ACTIVE'),
  );
  assert.deepEqual((await service.get(`/charges/${first.id}`)).json, registered.charges[0]);
});

test('given amounts, an own end, and a customer on record', async () => {
  const accountId = newAccount();
  const customer = { accountId, name: 'João Souza', document: '52998224725', email: 'joao@example.com' };
  const { id: customerId } = (await service.post('/customers', customer)).json;
  const { count: _, customer: __, ...body } = bodyOf({ accountId, customerId, methods: ['pix'] });
  const made = await service.post('/instalments', {
    ...body,
    amountsCents: [50_000, 30_000, 20_000],
    expireAfterDays: 5,
  });
  assert.equal(made.status, 201, made.text);
  assert.equal(made.json.customerId, customerId);
  const [first, , last] = made.json.charges;
  assert.deepEqual([first.amountCents, last.amountCents, first.customer.email], [50_000, 20_000, 'joao@example.com']);
  assert.deepEqual([first.dueAt, first.expireAt], ['2027-01-01T02:59:59.000Z', '2027-01-06T02:59:59.000Z']);
  const { balance } = (await service.get(`/customers/${customerId}`)).json;
  assert.deepEqual(balance.open, { count: 3, amountCents: 100_000 });
});

test('sixty instalments are made at once, and none is left to the bank unasked', async () => {
  const made = await create({ count: 60, amountCents: 59_999, methods: ['pix'] });
  assert.equal(made.status, 201, made.text);
  const amounts = made.json.charges.map((charge: Shown) => charge.amountCents);
  assert.equal(
    amounts.reduce((sum: number, each: number) => sum + each, 0),
    59_999,
  );
  await service.runJobs();
  const states = (await read(made.json.id)).charges.map((charge: Shown) => charge.state);
  assert.deepEqual(states, Array(60).fill('ACTIVE'));
});

test('what is wrong is named, all at once, and nothing is written', async () => {
  const accountId = newAccount();
  const faultsOf = async (changes: Record<string, unknown>) => {
    const { count: _, ...body } = bodyOf({ accountId });
    const answer = await service.post('/instalments', { ...body, ...changes });
    assert.equal(answer.status, 400, answer.text);
    return answer.json.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  };
  assert.deepEqual(await faultsOf({}), ['count required']);
  assert.deepEqual(await faultsOf({ count: 1 }), ['count minimum']);
  assert.deepEqual(await faultsOf({ count: 61 }), ['count maximum']);
  assert.deepEqual(await faultsOf({ count: 3, amountsCents: [1, 2] }), ['amountsCents not_together']);
  assert.deepEqual(await faultsOf({ amountsCents: [50_000, 49_999] }), ['amountsCents other_sum']);
  assert.deepEqual(await faultsOf({ count: 3, amountCents: 2 }), ['amountCents too_small']);
  assert.deepEqual(await faultsOf({ count: 3, firstDueDay: '9991-01-01' }), ['firstDueDay too_late']);
  assert.deepEqual(await faultsOf({ count: 3, firstDueDay: '2027-02-29' }), ['firstDueDay format']);
  assert.deepEqual(await faultsOf({ count: 3, dueAt: '2027-02-10T00:00:00Z' }), ['dueAt unknown']);
  assert.deepEqual(await faultsOf({ count: 3, description: 'x'.repeat(135) }), ['description too_long']);
  assert.deepEqual(await faultsOf({ count: 3, customerId: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87' }), [
    'customerId not_together',
  ]);
  assert.deepEqual(await faultsOf({ count: 3, methods: [], amountCents: 2.5, color: 'red' }), [
    'color unknown',
    'amountCents type',
    'methods empty',
  ]);
  assert.deepEqual(
    await faultsOf({ customer: undefined, count: 3, customerId: '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87' }),
    ['customerId not_found'],
  );
  assert.equal(await countOf('instalment_plans', accountId), 0);
  assert.equal(await countOf('charges', accountId), 0);
});

test('a repeat gets the first plan as it is now, however many arrive at once; other content is refused', async () => {
  const accountId = newAccount();
  const body = bodyOf({ accountId, externalId: 'enrolment-7', methods: ['pix'] });
  const key = { 'idempotency-key': `instalments of ${accountId}` };
  const answers = await postAtOnce(
    service.url,
    '/instalments',
    Array.from({ length: 8 }, () => ({ body, headers: key })),
  );
  const ids = new Set(answers.map(({ status, json }) => `${status} ${json.id}`));
  assert.equal(ids.size, 1, JSON.stringify(answers.map(({ text }) => text)));
  assert.deepEqual([await countOf('instalment_plans', accountId), await countOf('charges', accountId)], [1, 3]);
  const { id, charges } = answers[0]!.json;
  await service.runJobs();
  await pay(charges[0].id);
  for (const headers of [undefined, key]) {
    const again = await service.post('/instalments', body, headers);
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true']);
    assert.deepEqual(again.json, await read(id));
    assert.equal(again.json.paidCount, 1);
  }
  const other = await service.post('/instalments', { ...body, count: 4 });
  assert.deepEqual([other.status, other.json.code, other.json.instalmentPlanId], [409, 'external_id_conflict', id]);
  const reused = await service.post('/instalments', { ...body, externalId: 'enrolment-8', count: 4 }, key);
  assert.deepEqual([reused.status, reused.json.code], [422, 'idempotency_key_reused']);
  assert.equal(await countOf('charges', accountId), 3);
});

test('a plan is complete when its last charge is paid or canceled, and canceled when each one was', async () => {
  const made = (await create({ methods: ['pix'] })).json;
  await service.runJobs();
  const [first, second, third] = made.charges.map((charge: Shown) => charge.id);
  await pay(second);
  await service.post(`/charges/${third}/cancel`, {});
  await service.runJobs();
  const open = await read(made.id);
  assert.deepEqual([open.state, open.paidCount], ['OPEN', 1]);
  assert.deepEqual(open.balance.paid, { count: 1, amountCents: 33_333 });
  await pay(first, { amountCents: 33_000 });
  const inPart = await read(made.id);
  assert.deepEqual([inPart.state, inPart.paidCount], ['OPEN', 1]);
  assert.deepEqual(inPart.balance.missing, { count: 1, amountCents: 334 });
  const rest = (await service.post(`/charges/${first}/remainder`, { methods: ['pix'] })).json;
  await service.runJobs();
  assert.deepEqual((await read(made.id)).balance.open, { count: 1, amountCents: 334 });
  await pay(rest.id);
  const complete = await read(made.id);
  assert.deepEqual([complete.state, complete.paidCount], ['COMPLETED', 2]);
  assert.deepEqual(complete.balance.paid, { count: 3, amountCents: 66_667 });
  assert.deepEqual(await eventsOf(made.id), ['1 instalments.created', '2 instalments.completed']);

  const other = (await create({ methods: ['pix'] })).json;
  for (const { id } of other.charges) await service.post(`/charges/${id}/cancel`, {});
  await service.runJobs();
  assert.equal((await read(other.id)).state, 'CANCELED');
  assert.deepEqual(await eventsOf(other.id), ['1 instalments.created', '2 instalments.canceled']);
});

test('an instalment that expired keeps its plan open, and money that comes late completes it', async () => {
  const made = (await create({ methods: ['pix'], count: 2, firstDueDay: '2026-10-05', expireAfterDays: 0 })).json;
  await service.post('/sandbox/clock', { advance: 'PT1M' });
  const [first, second] = made.charges.map((charge: Shown) => charge.id);
  assert.equal((await service.get(`/charges/${second}`)).json.state, 'EXPIRED');
  assert.equal((await read(made.id)).state, 'OPEN');
  for (const id of [first, second]) await pay(id);
  assert.equal((await read(made.id)).state, 'COMPLETED');
});

test('an instalment that was paid in part and refunded is not paid: its plan stays open', async () => {
  const made = (await create({ methods: ['pix'], count: 2 })).json;
  await service.runJobs();
  const [first, second] = made.charges.map((charge: Shown) => charge.id);
  await pay(first, { amountCents: 20_000 });
  await service.post(`/charges/${first}/refunds`, {});
  await pay(second);
  assert.equal((await service.get(`/charges/${first}`)).json.state, 'REFUNDED');
  const { state, paidCount } = await read(made.id);
  assert.deepEqual([state, paidCount], ['OPEN', 1]);
});

test('plans are listed newest first, by state, customer and your own id', async () => {
  const accountId = newAccount();
  const ids = [];
  for (const externalId of ['a', 'b', 'c']) {
    service.clock.advanceMs(1_000);
    ids.unshift((await create({ accountId, externalId, methods: ['pix'] })).json.id);
  }
  const list = async (query: Record<string, string>) =>
    (await service.get(`/instalments?${new URLSearchParams({ accountId, ...query })}`)).json;
  const idsIn = ({ instalments }: { instalments: Shown[] }) => instalments.map(({ id }) => id);
  assert.deepEqual(idsIn(await list({})), ids);
  assert.deepEqual(idsIn(await list({ externalId: 'b' })), [ids[1]]);
  assert.deepEqual(idsIn(await list({ state: 'COMPLETED' })), []);
  const { total, totalPages, hasMore, ...page } = await list({ pageSize: '2', page: '2' });
  assert.deepEqual([total, totalPages, hasMore, idsIn(page)], [3, 2, false, [ids[2]]]);
});

test('canceling ends every open instalment in one step; what was paid stays', async () => {
  const made = (await create({ count: 4 })).json;
  await service.runJobs();
  const ids = made.charges.map((charge: Shown) => charge.id);
  await pay(ids[1]);
  await pay(ids[2], { amountCents: 20_000 });
  const { id: restId } = (await service.post(`/charges/${ids[2]}/remainder`, {})).json;
  await service.runJobs();
  const canceled = await service.post(`/instalments/${made.id}/cancel`, {});
  assert.equal(canceled.status, 200, canceled.text);
  assert.deepEqual(
    canceled.json.charges.map((charge: Shown) => charge.state),
    ['CANCELED', 'PAID', 'PARTIALLY_PAID', 'CANCELED'],
  );
  assert.deepEqual([canceled.json.state, canceled.json.balance.open.count], ['CANCELED', 0]);
  assert.equal((await service.get(`/charges/${restId}`)).json.state, 'CANCELED');
  await service.runJobs();
  const again = await service.post(`/instalments/${made.id}/cancel`, {});
  assert.deepEqual([again.status, again.json.updatedAt], [200, canceled.json.updatedAt]);
  assert.deepEqual(await eventsOf(made.id), ['1 instalments.created', '2 instalments.canceled']);
  assert.deepEqual(await eventsOf(ids[0]), ['1 charge.created', '2 charge.active', '3 charge.canceled']);
  // Late money is kept, and shown.
  await pay(ids[0]);
  const late = await read(made.id);
  assert.deepEqual([late.state, late.paidCount, late.charges[0].state], ['CANCELED', 2, 'PAID']);
});

test('a charge for the rest that is made at the same time is canceled too', async t => {
  const made = (await create({ methods: ['pix'] })).json;
  await service.runJobs();
  const [first] = made.charges.map((charge: Shown) => charge.id);
  await pay(first, { amountCents: 20_000 });
  const session = new Client({ connectionString: service.databaseUrl });
  await session.connect();
  t.after(() => session.end());
  await session.query('begin');
  await session.query('select from charges where id = $1 for update', [first]);
  const waits = async (count: number) => {
    while ((await service.sql('select from pg_locks where not granted')).length < count) await wait(20);
  };
  const rest = service.post(`/charges/${first}/remainder`, {});
  await waits(1);
  const canceled = service.post(`/instalments/${made.id}/cancel`, {});
  await waits(2);
  await session.query('commit');
  assert.equal((await canceled).json.state, 'CANCELED');
  assert.equal((await service.get(`/charges/${(await rest).json.id}`)).json.state, 'CANCELED');
});

test('a completed plan cannot be canceled', async () => {
  const made = (await create({ count: 2, methods: ['pix'] })).json;
  await service.runJobs();
  for (const { id } of made.charges) await pay(id);
  const refused = await service.post(`/instalments/${made.id}/cancel`, {});
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
});

test('a refund sends back what is left of every payment, and reports each charge', async () => {
  const made = (await create({ count: 4 })).json;
  const refund = () => service.post(`/instalments/${made.id}/refund`, {});
  await service.runJobs();
  assert.deepEqual([(await refund()).json.code], ['wrong_state']);
  const ids = made.charges.map((charge: Shown) => charge.id);
  await pay(ids[0]);
  await pay(ids[1], { method: 'boleto' });
  await pay(ids[2]);
  await service.post(`/charges/${ids[2]}/refunds`, { amountCents: 5_000 });
  await service.runJobs();
  const asked = await refund();
  assert.equal(asked.status, 200, asked.text);
  type Result = { number: number; refunds: { amountCents: number; status: string }[]; refused?: { code: string } };
  const shown = (results: Result[]) =>
    results.map(({ number, refunds, refused }) =>
      [number, ...refunds.map(({ amountCents, status }) => `${amountCents} ${status}`), refused?.code ?? 'all'].join(
        ' ',
      ),
    );
  assert.deepEqual(shown(asked.json.charges), [
    '1 25000 PENDING all',
    '2 25000 PENDING all',
    '3 5000 DONE 20000 PENDING all',
  ]);
  await service.runJobs();
  const repeat = await refund();
  assert.deepEqual(shown(repeat.json.charges), ['1 25000 DONE all', '2 25000 DONE all', '3 5000 DONE 20000 DONE all']);
  const { balance, state, paidCount } = await read(made.id);
  assert.deepEqual([state, paidCount, balance.open.count], ['OPEN', 3, 1]);
  assert.deepEqual(balance.refunded, { count: 4, amountCents: 75_000 });
});
