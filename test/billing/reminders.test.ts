// Reminders through HTTP, with the sandbox clock: rules, the moments of their reminders, what is not sent, and what is never sent twice.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type ReminderBench, startReminderBench } from '../harness/reminders.ts';
import { planBody } from '../harness/subscriptions.ts';

let bench: ReminderBench;
before(async () => {
  bench = await startReminderBench();
});
after(() => bench.stop());

test('a charge has a reminder before, on and after its due day, each once', async () => {
  const { newAccount, day, moveDays, newRule, newCharge, remindersOf, eventsOf } = bench;
  const accountId = newAccount();
  for (const rule of [{ when: 'before', days: 3 }, { when: 'on' }, { when: 'after', days: 2 }])
    await newRule(accountId, rule);
  const dueDay = await day(5);
  const id = await newCharge(accountId, 5);
  await moveDays(1);
  assert.deepEqual(await remindersOf(id), []);
  await moveDays(8);
  assert.deepEqual(await remindersOf(id), ['before 3 ANNOUNCED', 'on ANNOUNCED', 'after 2 ANNOUNCED']);
  const events = await eventsOf(accountId);
  assert.deepEqual(
    events.map(({ type, occurredAt }: Record<string, unknown>) => `${type} ${occurredAt}`),
    [-3, 0, 2].map(
      days => `reminder.due ${new Date(Date.parse(`${dueDay}T12:00:00Z`) + days * 86_400_000).toISOString()}`,
    ),
  );
  const { object } = events[0];
  assert.equal(object.amountCents, 15_990);
  assert.equal(object.dueDay, dueDay);
  assert.match(object.checkoutUrl, /\/pay\//);
  assert.doesNotMatch(JSON.stringify(events), /Maria|529982/, 'no personal data');
  await moveDays(3);
  assert.equal((await remindersOf(id)).length, 3);
});

test('a charge that was paid or canceled before the moment is not reminded of', async () => {
  const { service, newAccount, moveDays, pay, newRule, newCharge, remindersOf } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'on' });
  const [paid, canceled, open] = [
    await newCharge(accountId, 2),
    await newCharge(accountId, 2),
    await newCharge(accountId, 2),
  ];
  await pay(paid);
  await service.post(`/charges/${canceled}/cancel`, {});
  await moveDays(3);
  assert.deepEqual(await remindersOf(paid), []);
  assert.deepEqual(await remindersOf(canceled), []);
  assert.deepEqual(await remindersOf(open), ['on ANNOUNCED']);
});

test('in quiet hours a reminder waits for their end, and what changed meanwhile decides', async () => {
  const { service, newAccount, day, moveTo, moveDays, send, pay, newRule, newCharge, remindersOf, eventsOf } = bench;
  const accountId = newAccount();
  const settings = await send('PATCH', `/accounts/${encodeURIComponent(accountId)}/reminder-settings`, {
    sendAt: '22:00',
    quietHours: { from: '21:00', until: '08:00' },
  });
  assert.equal(settings.status, 200, settings.text);
  assert.equal(settings.json.mailEnabled, false);
  await newRule(accountId, { when: 'before', days: 2 });
  const [paid, canceled, moved, open] = [
    await newCharge(accountId, 4),
    await newCharge(accountId, 4),
    await newCharge(accountId, 4),
    await newCharge(accountId, 4),
  ];
  await moveTo(`${await day(2)}T23:00:00-03:00`);
  assert.deepEqual(await remindersOf(open), ['before 2 WAITING']);
  await pay(paid);
  await service.post(`/charges/${canceled}/cancel`, {});
  const later = await service.post(`/charges/${moved}/due-date`, { dueAt: `${await day(9)}T23:59:59-03:00` });
  assert.equal(later.status, 200, later.text);
  await moveTo(`${await day(1)}T07:59:00-03:00`);
  assert.deepEqual(await remindersOf(open), ['before 2 WAITING']);
  await moveTo(`${await day(0)}T08:01:00-03:00`);
  assert.deepEqual(await remindersOf(open), ['before 2 ANNOUNCED']);
  assert.deepEqual(await remindersOf(paid), ['before 2 SKIPPED paid']);
  assert.deepEqual(await remindersOf(canceled), ['before 2 SKIPPED charge_ended']);
  assert.deepEqual(await remindersOf(moved), ['before 2 SKIPPED due_day_changed']);
  await moveDays(9);
  assert.deepEqual(await remindersOf(moved), ['before 2 SKIPPED due_day_changed', 'before 2 ANNOUNCED']);
  assert.equal((await eventsOf(accountId)).length, 2);
});

test('a paid charge has one reminder of it, also when it is paid twice', async () => {
  const { newAccount, moveDays, pay, newRule, newCharge, remindersOf } = bench;
  const accountId = newAccount();
  const before = await newCharge(accountId, 5);
  await pay(before);
  await newRule(accountId, { when: 'paid' });
  const id = await newCharge(accountId, 5);
  await pay(id);
  await moveDays(1);
  assert.deepEqual(await remindersOf(id), ['paid ANNOUNCED']);
  await pay(id);
  await moveDays(1);
  assert.deepEqual(await remindersOf(id), ['paid ANNOUNCED']);
  assert.deepEqual(await remindersOf(before), [], 'it was paid before there was a rule');
});

test('a charge that the bank refuses has a reminder of it', async () => {
  const { newAccount, read, moveDays, newRule, newCharge, remindersOf } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'failed' });
  const id = await newCharge(accountId, 5, { amountCents: 9_001 });
  await moveDays(1);
  assert.equal((await read(`/charges/${id}`)).state, 'FAILED');
  assert.deepEqual(await remindersOf(id), ['failed ANNOUNCED']);
});

test('a cycle that no mandate collects has one reminder of it', async () => {
  const { service, newAccount, read, moveDays, newRule, remindersOf } = bench;
  const accountId = newAccount();
  const made = async (path: string, body: object) => {
    const answer = await service.post(path, { accountId, ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json.id;
  };
  await newRule(accountId, { when: 'failed' });
  const customerId = await made('/customers', { name: 'Maria da Silva', document: '52998224725' });
  const planId = await made('/plans', planBody({ day: undefined, automatic: true }));
  const id = await made('/subscriptions', { planId, customerId });
  await moveDays(1);
  const [{ chargeId, fallbackReason }] = (await read(`/subscriptions/${id}/cycles`)).cycles.slice(-1);
  assert.equal(fallbackReason, 'The customer has no mandate.');
  assert.deepEqual(await remindersOf(chargeId), ['failed ANNOUNCED']);
});

test('without a mail server nothing is mailed, and the event still comes', async () => {
  const { newAccount, moveDays, newRule, newCharge, remindersOf, eventsOf } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'on', channels: ['email'] });
  await newRule(accountId, { when: 'before', days: 1, channels: ['email', 'event'] });
  const id = await newCharge(accountId, 3, {
    customer: { name: 'Maria da Silva', document: '529.982.247-25', email: 'maria@example.org' },
  });
  await moveDays(4);
  assert.deepEqual(await remindersOf(id), ['before 1 SKIPPED mail_off', 'on SKIPPED mail_off']);
  assert.deepEqual(
    (await eventsOf(accountId)).map(({ type }: { type: string }) => type),
    ['reminder.due'],
  );
});

test('a rule begins with what follows: made, enabled again and removed', async () => {
  const { service, newAccount, moveDays, send, newRule, newCharge, remindersOf } = bench;
  const accountId = newAccount();
  const first = await newCharge(accountId, 3);
  await moveDays(1);
  const rule = await newRule(accountId, { when: 'before', days: 2 });
  await moveDays(1);
  assert.deepEqual(await remindersOf(first), [], 'its moment had passed');
  const second = await newCharge(accountId, 3);
  const path = `/reminders/rules/${rule.id}`;
  assert.equal((await send('PATCH', path, { enabled: false })).json.enabled, false);
  await moveDays(2);
  assert.equal((await send('PATCH', path, { enabled: true })).json.enabled, true);
  await moveDays(1);
  assert.deepEqual(await remindersOf(second), []);
  const third = await newCharge(accountId, 3);
  const removed = await send('DELETE', path);
  assert.equal(removed.status, 200, removed.text);
  assert.equal((await service.get(path)).status, 404);
  await moveDays(2);
  assert.deepEqual(await remindersOf(third), []);
  await newRule(accountId, { when: 'before', days: 1 });
  const fourth = await newCharge(accountId, 3);
  await moveDays(3);
  assert.deepEqual(await remindersOf(fourth), ['before 1 ANNOUNCED']);
});

test('a rule that is made again does not repeat a reminder', async () => {
  const { newAccount, day, moveTo, send, newRule, newCharge, remindersOf, eventsOf } = bench;
  const accountId = newAccount();
  const rule = await newRule(accountId, { when: 'on' });
  await send('PATCH', `/accounts/${encodeURIComponent(accountId)}/reminder-settings`, { sendAt: '10:00' });
  const id = await newCharge(accountId, 1);
  await moveTo(`${await day(1)}T10:30:00-03:00`);
  assert.deepEqual(await remindersOf(id), ['on ANNOUNCED']);
  await send('DELETE', `/reminders/rules/${rule.id}`);
  await send('PATCH', `/accounts/${encodeURIComponent(accountId)}/reminder-settings`, { sendAt: '11:00' });
  await newRule(accountId, { when: 'on' });
  await moveTo(`${await day(0)}T11:30:00-03:00`);
  assert.deepEqual(await remindersOf(id), ['on ANNOUNCED']);
  assert.equal((await eventsOf(accountId)).length, 1);
});

test('another time of day applies from the next due day, and none is left out', async () => {
  const { newAccount, day, moveTo, send, newRule, newCharge, remindersOf } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'on' });
  const id = await newCharge(accountId, 1);
  await moveTo(`${await day(1)}T08:30:00-03:00`);
  await send('PATCH', `/accounts/${encodeURIComponent(accountId)}/reminder-settings`, { sendAt: '08:15' });
  await moveTo(`${await day(0)}T08:31:00-03:00`);
  assert.deepEqual(await remindersOf(id), ['on ANNOUNCED']);
});

test('the charge of each cycle of a subscription goes through the rules', async () => {
  const { newAccount, read, made, moveDays, newRule, remindersOf } = bench;
  const accountId = newAccount();
  await newRule(accountId, { when: 'after', days: 1 });
  const plan = await made('/plans', {
    accountId,
    name: 'Gold',
    amountCents: 9_900,
    interval: 'weekly',
    methods: ['pix'],
  });
  const customer = await made('/customers', { accountId, name: 'Maria da Silva', document: '52998224725' });
  await made('/subscriptions', { accountId, planId: plan.id, customerId: customer.id });
  await moveDays(16);
  const { charges } = await read(`/charges?accountId=${encodeURIComponent(accountId)}&pageSize=100`);
  const due = charges.filter(({ state }: { state: string }) => state === 'OVERDUE');
  assert.ok(due.length >= 2, `${due.length} cycles are overdue`);
  for (const { id } of due) assert.deepEqual(await remindersOf(id), ['after 1 ANNOUNCED']);
});

test('every fault of a rule is named', async () => {
  const { service, newAccount, send, newRule } = bench;
  const accountId = newAccount();
  const faultsOf = async (body: object) => {
    const { status, json } = await service.post('/reminders/rules', { accountId, channels: ['event'], ...body });
    assert.equal(status, 400);
    return json.errors.map(({ path, code }: Record<string, string>) => `${path} ${code}`);
  };
  assert.deepEqual(await faultsOf({ when: 'before' }), ['days required']);
  assert.deepEqual(await faultsOf({ when: 'on', days: 1 }), ['days not_together']);
  assert.match((await faultsOf({ when: 'after', days: 91 }))[0], /^days /);
  assert.match((await faultsOf({ when: 'on', channels: [] }))[0], /^channels /);
  const settings = (body: object) =>
    send('PATCH', `/accounts/${encodeURIComponent(accountId)}/reminder-settings`, body);
  assert.equal((await settings({ sendAt: '24:00' })).status, 400);
  assert.equal((await settings({ quietHours: { from: '08:00', until: '08:00' } })).status, 400);
  assert.equal((await settings({ quietHours: null })).json.quietHours, null);
  await newRule(accountId, { when: 'on' });
  const repeated = await service.post('/reminders/rules', { accountId, when: 'on', channels: ['event'] });
  assert.equal(repeated.status, 409, repeated.text);
});

test('lists have exact totals and filters', async () => {
  const { newAccount, read, moveDays, pay, newRule, newCharge } = bench;
  const accountId = newAccount();
  const of = encodeURIComponent(accountId);
  await newRule(accountId, { when: 'on' });
  await newRule(accountId, { when: 'paid' });
  const id = await newCharge(accountId, 1);
  await newCharge(accountId, 1);
  await moveDays(1);
  await pay(id);
  await moveDays(1);
  assert.equal((await read(`/reminders/rules?accountId=${of}`)).total, 2);
  const page = await read(`/reminders?accountId=${of}&pageSize=2`);
  assert.deepEqual([page.total, page.totalPages, page.reminders.length, page.hasMore], [3, 2, 2, true]);
  assert.equal((await read(`/reminders?accountId=${of}&status=SKIPPED`)).total, 0);
  assert.equal((await read(`/reminders?chargeId=${id}`)).total, 2);
  const [{ id: reminderId }] = page.reminders;
  assert.equal((await read(`/reminders/${reminderId}`)).id, reminderId);
});
