// The pages of subscriptions: the list, one with its cycles, the plans, a file; paused, resumed and canceled by forms.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function made(path: string, body: object): Promise<{ readonly id: string }> {
  const answer = await service.post(path, { accountId: 'acme', ...body });
  assert.equal(answer.status, 201, answer.text);
  return answer.json;
}

test('a subscription is listed, shown with its cycles, paused, resumed and canceled', async () => {
  const { id: planId } = await made('/plans', {
    name: 'Gold',
    amountCents: 9_900,
    interval: 'monthly',
    methods: ['pix'],
  });
  const { id: customerId } = await made('/customers', { name: 'Maria da Silva', document: '52998224725' });
  const { id } = await made('/subscriptions', {
    planId,
    customerId,
    startDay: '2026-11-17',
    externalId: 'contract-77',
  });
  await service.post('/sandbox/clock', { advance: 'PT1M' });
  const page = textOf(await view(service, `/subscriptions/${id}`));
  assert.match(page, /Maria da Silva/);
  assert.match(page, /99\.00 monthly/);
  assert.match(page, /Next cycle 2, on 2026-12-17; charged from 2026-12-12/);
  assert.match(page, /1 2026-11-17 open/);
  assert.match(textOf(await view(service, '/subscriptions?status=active')), /contract-77/);
  assert.match(textOf(await view(service, '/subscriptions?status=paused')), /No subscription fits/);
  assert.match(textOf(await view(service, '/plans')), /Gold/);
  const file = await (await fetch(`${service.url}/dashboard/subscriptions.csv`)).text();
  assert.match(file, new RegExp(`${id},acme,contract-77,${planId},${customerId},active,9900,BRL,monthly,17`));
  const statusAfter = async (verb: string, fields: Record<string, string> = {}) => {
    const sent = await submit(service, `/subscriptions/${id}/${verb}`, fields);
    assert.equal(sent.status, 303, await sent.text());
    return (await service.get(`/subscriptions/${id}`)).json.status;
  };
  assert.equal(await statusAfter('pause'), 'paused');
  assert.equal(await statusAfter('resume'), 'active');
  assert.equal(await statusAfter('cancel', { at: 'period_end' }), 'active');
  assert.equal(await statusAfter('cancel', { at: 'now', forgive: 'true' }), 'canceled');
});
