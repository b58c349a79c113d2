// Plans whose charges are collected: how many days ahead they need goes by the window of the rail.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { AUTOMATIC, MARIA } from '../harness/mandates-at-psp.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import { planBody } from '../harness/subscriptions.ts';

let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp({ rail: { automatic: { ...AUTOMATIC, latestDays: 5 } } });
  await at.registerWebhook();
});
after(() => at.stop());

const plan = (changes: object) => at.service.post('/plans', planBody({ accountId: 'acme', ...changes }));
const patch = (path: string, body: object) =>
  at.service.send(path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const TOO_LATE = {
  path: 'daysAhead',
  code: 'too_late_to_collect',
  message: 'must be at least 6, as automatic is true',
};

test('a collected plan charges a day before the last on which the PSP takes a collection', async () => {
  const late = await plan({ automatic: true, daysAhead: 5 });
  assert.deepEqual([late.status, late.json.errors], [400, [TOO_LATE]]);
  const made = await plan({ automatic: true, daysAhead: 6 });
  assert.equal(made.status, 201, made.text);
  const change = (body: object) => patch(`/plans/${made.json.id}`, body);
  assert.deepEqual((await change({ daysAhead: 5 })).json.errors, [TOO_LATE]);
  // As if the window had been another when the plan was made.
  await at.service.sql('update plans set days_ahead = 3 where id = $1', [made.json.id]);
  assert.deepEqual((await change({ daysAhead: 4 })).json.errors, [TOO_LATE]);
  assert.equal((await change({ name: 'Silver', archived: true })).status, 200);
});

test('so does a subscription that is collected and whose plan is not', async () => {
  const { json: own } = await plan({ daysAhead: 5 });
  const { json: customer } = await at.service.post('/customers', { accountId: 'acme', ...MARIA });
  const body = { accountId: 'acme', planId: own.id, customerId: customer.id };
  const refused = await at.service.post('/subscriptions', { ...body, automatic: true });
  assert.deepEqual([refused.status, refused.json.errors], [400, [TOO_LATE]]);
  const made = await at.service.post('/subscriptions', body);
  assert.equal(made.status, 201, made.text);
  const changed = await patch(`/subscriptions/${made.json.id}`, { automatic: true });
  assert.deepEqual([changed.status, changed.json.errors], [400, [TOO_LATE]]);
});
