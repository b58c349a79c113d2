// Plans and subscriptions through HTTP, with the sandbox clock: each cycle charged once, paid, past due, changed, paused, canceled.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Service, startService } from '../harness/service.ts';
import { planBody, subscriptionCalls } from '../harness/subscriptions.ts';

const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

let service: Service;
let calls: ReturnType<typeof subscriptionCalls>;
before(async () => {
  // A Monday.
  service = await startService({ now: '2026-11-16T12:00:00.000Z' });
  calls = subscriptionCalls(service);
});
after(() => service.stop());

test('a plan is made, found again, changed and archived', async () => {
  const { newAccount, send, read, newCustomer, eventsOf } = calls;
  const accountId = newAccount();
  const body = planBody({ accountId, externalId: 'gold', cycles: 12, taxes: { fine: 2, interest: 1 } });
  const first = await service.post('/plans', body);
  assert.equal(first.status, 201, first.text);
  const { id } = first.json;
  assert.deepEqual(first.json, {
    ...{ id, accountId, externalId: 'gold', name: 'Gold', amountCents: 9_900, currency: 'BRL', interval: 'monthly' },
    ...{ cycles: 12, methods: ['pix'], daysAhead: 5, pastDue: { afterDays: 3, action: 'keep', actionAfterDays: 30 } },
    ...{ description: 'Gold', taxes: { fine: 2, interest: 1 }, day: 10, trialDays: 0, archived: false },
    ...{ createdAt: service.clock.now().toISOString(), updatedAt: service.clock.now().toISOString() },
  });
  const again = await service.post('/plans', body);
  assert.deepEqual([again.json, again.headers.get('idempotent-replayed')], [first.json, 'true']);
  const other = await service.post('/plans', { ...body, amountCents: 1 });
  assert.deepEqual([other.status, other.json.code, other.json.planId], [409, 'external_id_conflict', id]);
  const changed = await send('PATCH', `/plans/${id}`, {
    amountCents: 10_900,
    cycles: null,
    pastDue: { action: 'cancel' },
  });
  assert.deepEqual(
    [changed.json.amountCents, changed.json.cycles, changed.json.pastDue],
    [10_900, undefined, { afterDays: 3, action: 'cancel', actionAfterDays: 30 }],
  );
  await send('PATCH', `/plans/${id}`, { archived: true });
  const listed = await read(`/plans?${new URLSearchParams({ accountId })}`);
  assert.deepEqual([listed.total, listed.plans[0].archived], [1, true]);
  const { id: customerId } = await newCustomer(accountId);
  const refused = await service.post('/subscriptions', { accountId, planId: id, customerId });
  assert.deepEqual(refused.json.errors, [{ path: 'planId', code: 'archived', message: 'is archived' }]);
  assert.deepEqual(await eventsOf(id), ['1 created', '2 updated', '3 updated']);
});

test('what is wrong is named, and nothing is written', async () => {
  const { newAccount } = calls;
  const accountId = newAccount();
  const faultsOf = async (path: string, body: object) =>
    (await service.post(path, { accountId, ...body })).json.errors.map(
      ({ path: of, code }: { path: string; code: string }) => `${of} ${code}`,
    );
  assert.deepEqual(await faultsOf('/plans', planBody({ interval: 'weekly', pastDue: { afterDays: 40 } })), [
    'day not_a_weekday',
    'pastDue.actionAfterDays before_past_due',
  ]);
  // No PSP collects here: only what no PSP could take in time is refused.
  const collected = (daysAhead: number) => planBody({ automatic: true, daysAhead, day: 11 });
  assert.deepEqual(await faultsOf('/plans', collected(0)), ['daysAhead too_late_to_collect']);
  assert.deepEqual(
    await faultsOf('/subscriptions', { planId: UNKNOWN_ID, customerId: UNKNOWN_ID, startDay: '2020-01-01' }),
    ['planId not_found', 'customerId not_found', 'startDay too_early'],
  );
  const [row] = await service.sql('select count(*)::int as count from plans where account_id = $1', [accountId]);
  assert.equal(row!['count'], 0);
});

test('a repeat is one subscription, also of requests that come at once; another account has none of it', async () => {
  const { newAccount, send, read, made, newCustomer } = calls;
  const accountId = newAccount();
  const { id: planId } = await made('/plans', planBody({ accountId }));
  const { id: customerId } = await newCustomer(accountId);
  const body = { accountId, planId, customerId, externalId: 'contract-1' };
  const answers = await Promise.all(Array.from({ length: 5 }, () => service.post('/subscriptions', body)));
  assert.deepEqual([...new Set(answers.map(({ status, json }) => `${status} ${json.id}`))].length, 1);
  const other = await service.post('/subscriptions', { ...body, amountCents: 1 });
  assert.deepEqual([other.status, other.json.code], [409, 'external_id_conflict']);
  assert.equal(other.json.subscriptionId, answers[0]!.json.id);
  await send('PATCH', `/plans/${planId}`, { archived: true });
  assert.equal((await service.post('/subscriptions', body)).headers.get('idempotent-replayed'), 'true');
  const key = { 'idempotency-key': 'subscription of a key' };
  const plan = await made('/plans', planBody({ accountId }));
  const keyed = { accountId, planId: plan.id, customerId };
  const [one, two] = [
    await service.post('/subscriptions', keyed, key),
    await service.post('/subscriptions', keyed, key),
  ];
  assert.equal(one.json.id, two.json.id);
  const reused = await service.post('/subscriptions', { ...keyed, day: 5 }, key);
  assert.deepEqual([reused.status, reused.json.code], [422, 'idempotency_key_reused']);
  const foreign = await service.post('/subscriptions', { ...body, accountId: newAccount() });
  assert.deepEqual(
    foreign.json.errors.map(({ path }: { path: string }) => path),
    ['planId', 'customerId'],
  );
  assert.equal((await read(`/subscriptions?${new URLSearchParams({ accountId, customerId })}`)).total, 2);
});

test('each cycle is charged once, ahead of its day, with what the customer and the subscription are then', async () => {
  const { send, read, moveTo, subscribe, cyclesOf, shortly, statusOf, eventsOf, pay } = calls;
  const subscription = await subscribe({ day: 31, cycles: 3 }, { metadata: { contract: '77' } });
  const { id, customerId } = subscription;
  assert.deepEqual((await read(`/subscriptions/${id}`)).nextCycle, {
    number: 1,
    day: '2026-11-30',
    chargeDay: '2026-11-25',
  });
  await moveTo('2026-11-25T02:59:59Z');
  assert.deepEqual(await shortly(id), ['1 2026-11-30 waiting']);
  await moveTo('2026-11-25T03:00:00Z');
  await send('PATCH', `/customers/${customerId}`, { name: 'Maria Souza' });
  const [first] = await cyclesOf(id);
  const charge = await read(`/charges/${first.chargeId}`);
  assert.deepEqual(
    [charge.subscriptionId, charge.cycle, charge.customerId, charge.customer.name, charge.description, charge.metadata],
    [id, 1, customerId, 'Maria da Silva', 'Gold', { contract: '77' }],
  );
  assert.deepEqual([charge.amountCents, charge.dueAt, charge.state], [9_900, '2026-12-01T02:59:59.000Z', 'ACTIVE']);
  await pay(first.chargeId);
  await service.runJobs();
  await send('PATCH', `/subscriptions/${id}`, { amountCents: 12_000 });
  await moveTo('2027-03-02T12:00:00Z');
  assert.deepEqual(await shortly(id), ['1 2026-11-30 paid', '2 2026-12-31 past_due', '3 2027-01-31 past_due']);
  const [, second, third] = await cyclesOf(id);
  const late = await read(`/charges/${second.chargeId}`);
  assert.deepEqual([late.amountCents, late.customer.name], [12_000, 'Maria Souza']);
  assert.equal(await statusOf(id), 'past_due');
  await pay(third.chargeId);
  await service.runJobs();
  assert.equal(await statusOf(id), 'past_due');
  await pay(second.chargeId);
  await service.runJobs();
  assert.equal(await statusOf(id), 'completed');
  assert.deepEqual(await eventsOf(id), [
    ...['1 created', '2 charged', '3 paid', '4 updated', '5 charged', '6 past_due', '7 charged', '8 past_due'],
    ...['9 paid', '10 paid', '11 completed'],
  ]);
  const [{ count }] = (await service.sql<{ count: number }>(
    'select count(*)::int as count from charges where subscription_id = $1',
    [id],
  )) as [{ count: number }];
  assert.equal(count, 3);
});

test('a trial costs nothing, a plan says what happens to unpaid cycles, and a refund is seen', async () => {
  const { read, today, moveTo, subscribe, cyclesOf, statusOf, eventsOf, pay } = calls;
  const now = await today();
  const trial = await subscribe({
    interval: 'weekly',
    day: 1,
    trialDays: 10,
    pastDue: { afterDays: 0, action: 'cancel', actionAfterDays: 2 },
  });
  assert.equal(trial.status, 'trialing');
  const [{ day }] = await cyclesOf(trial.id);
  const trialEnd = new Date(Date.parse(now) + 10 * 86_400_000).toISOString().slice(0, 10);
  assert.equal(trial.trialEndDay, trialEnd);
  assert.ok(day >= trialEnd && new Date(`${day}T12:00:00Z`).getUTCDay() === 1, day);
  await moveTo(`${day}T12:00:00Z`);
  const [cycle] = await cyclesOf(trial.id);
  assert.deepEqual([await statusOf(trial.id), cycle.status], ['active', 'open']);
  const dayAfter = (days: number) => `${new Date(Date.parse(`${day}T12:00:00Z`) + days * 86_400_000).toISOString()}`;
  await moveTo(dayAfter(1));
  assert.equal(await statusOf(trial.id), 'past_due');
  await moveTo(dayAfter(3));
  const ended = await read(`/subscriptions/${trial.id}`);
  assert.deepEqual([ended.status, ended.cancelReason, ended.nextCycle], ['canceled', 'unpaid', undefined]);
  await pay(cycle.chargeId);
  await service.runJobs();
  assert.deepEqual((await cyclesOf(trial.id))[0].status, 'paid');
  await service.post(`/charges/${cycle.chargeId}/refunds`, {});
  await service.runJobs();
  assert.deepEqual((await cyclesOf(trial.id))[0].status, 'refunded');
  assert.equal((await eventsOf(trial.id)).at(-1)!.split(' ')[1], 'refunded');
});

test('it is paused, resumed, and canceled at the end or now; what has not begun is withdrawn', async () => {
  const { send, read, today, moveTo, subscribe, cyclesOf, statusOf, pay } = calls;
  const start = (await today()).slice(0, 10);
  const { id } = await subscribe({ day: undefined, daysAhead: 10 }, { startDay: start });
  await moveTo(`${start}T23:00:00Z`);
  const [first] = await cyclesOf(id);
  await pay(first.chargeId);
  await service.runJobs();
  const { nextCycle } = await read(`/subscriptions/${id}`);
  await moveTo(`${nextCycle.chargeDay}T12:00:00Z`);
  const [, ahead] = await cyclesOf(id);
  assert.equal(ahead.status, 'open');
  assert.equal((await send('POST', `/subscriptions/${id}/pause`)).json.status, 'paused');
  await service.runJobs();
  assert.equal((await read(`/charges/${ahead.chargeId}`)).state, 'CANCELED');
  assert.equal((await cyclesOf(id))[1].status, 'waiting');
  assert.equal((await send('POST', `/subscriptions/${id}/resume`)).json.status, 'active');
  await moveTo(`${nextCycle.chargeDay}T13:00:00Z`);
  const [, again] = await cyclesOf(id);
  assert.ok(again.status === 'open' && again.chargeId !== ahead.chargeId);
  const planned = await send('POST', `/subscriptions/${id}/cancel`);
  assert.equal(planned.status, 400, 'a body is needed');
  const atEnd = await service.post(`/subscriptions/${id}/cancel`, { at: 'period_end' });
  assert.deepEqual([atEnd.json.status, atEnd.json.cancelOn], ['active', nextCycle.day]);
  assert.equal((await send('POST', `/subscriptions/${id}/resume`)).json.cancelOn, undefined);
  await service.post(`/subscriptions/${id}/cancel`, { at: 'period_end' });
  await moveTo(`${nextCycle.day}T12:00:00Z`);
  assert.equal(await statusOf(id), 'canceled');
  assert.equal((await service.post(`/subscriptions/${id}/cancel`, {})).json.status, 'canceled');
  assert.equal((await send('POST', `/subscriptions/${id}/resume`)).json.code, 'wrong_state');
  const open = await service.sql(
    `select 1 from charges where subscription_id = $1 and state in ('CREATING', 'ACTIVE', 'OVERDUE')`,
    [id],
  );
  assert.equal(open.length, 0);
});

test('a charge that cannot be made is recorded at its cycle and tried again, and delays no others', async () => {
  const { newAccount, send, read, today, moveTo, made, newCustomer, cyclesOf, eventsOf } = calls;
  const accountId = newAccount();
  const { id: planId } = await made('/plans', planBody({ accountId, methods: ['boleto'], day: undefined }));
  const { id: customerId } = await newCustomer(accountId);
  const start = (await today()).slice(0, 10);
  const refused = await made('/subscriptions', {
    accountId,
    planId,
    customerId,
    startDay: start,
    amountCents: 99_999_999_999,
  });
  const other = await made('/subscriptions', { accountId, planId, customerId, startDay: start, methods: ['pix'] });
  await moveTo(`${start}T23:30:00Z`);
  const [cycle] = await cyclesOf(refused.id);
  assert.equal(cycle.status, 'waiting');
  assert.match(cycle.reason, /amountCents is more than a boleto can carry/);
  assert.equal((await cyclesOf(other.id))[0].status, 'open');
  assert.equal((await read(`/subscriptions/${refused.id}`)).nextCycle.reason, cycle.reason);
  await send('PATCH', `/subscriptions/${refused.id}`, { amountCents: 5_000 });
  await moveTo(cycle.retryAt);
  const [made2] = await cyclesOf(refused.id);
  assert.deepEqual([made2.status, made2.reason, made2.amountCents], ['open', undefined, 5_000]);
  assert.deepEqual(await eventsOf(refused.id), ['1 created', '2 charge_failed', '3 updated', '4 charged']);
});

test('a customer who was erased is charged no more', async () => {
  const { send, read, today, moveTo, subscribe } = calls;
  const start = (await today()).slice(0, 10);
  const { id, customerId } = await subscribe({ day: undefined }, { startDay: start, metadata: { name: 'Maria' } });
  await send('POST', `/customers/${customerId}/erase`);
  await moveTo(new Date(Date.parse(await today()) + 1_000).toISOString());
  const ended = await read(`/subscriptions/${id}`);
  assert.deepEqual([ended.status, ended.cancelReason, ended.metadata], ['canceled', 'customer_erased', undefined]);
  assert.ok(!JSON.stringify(await read(`/events?objectId=${id}`)).includes('Maria'));
});

test('two nodes that sweep at once charge a cycle once', async () => {
  const { today, subscribe } = calls;
  const start = (await today()).slice(0, 10);
  const subscriptions = [];
  for (let index = 0; index < 3; index++) subscriptions.push(await subscribe({ day: undefined }, { startDay: start }));
  const second = await startService({ beside: service });
  try {
    const to = new Date(Date.parse(await today()) + 60_000).toISOString();
    const moves = await Promise.all([service, second].map(node => node.post('/sandbox/clock', { to })));
    assert.ok(moves.some(({ status }) => status === 200));
  } finally {
    await second.stop();
  }
  for (const { id } of subscriptions) {
    const [{ count }] = (await service.sql('select count(*)::int as count from charges where subscription_id = $1', [
      id,
    ])) as [{ count: number }];
    assert.equal(count, 1);
  }
});
