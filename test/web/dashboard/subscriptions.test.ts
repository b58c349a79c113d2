// The pages of subscriptions: the list, one with its cycles, the plans, a file; made, changed, paused, resumed and canceled by forms.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { type Service, startService } from '../../harness/service.ts';

/** Made-up addresses with valid checksums. */
const FIRST = '0x52908400098527886E0F7030069857D2E4169EE7';
const SECOND = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

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
  assert.match(page, /Plan Gold Amount R\$ 99\.00 monthly/);
  assert.match(page, /Next cycle 2, on 17 Dec 2026; charged from 12 Dec 2026/);
  assert.match(page, /1 17 Nov 2026 open/);
  assert.match(textOf(await view(service, '/subscriptions?status=active')), /contract-77/);
  for (const text of [id, 'contract-77']) {
    const search = await fetch(`${service.url}/dashboard/search?q=${text}`, { redirect: 'manual' });
    assert.equal(search.headers.get('location'), `/dashboard/subscriptions/${id}`);
  }
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

test('forms make a plan and a subscription of it, and change both', async () => {
  const { id: customerId } = await made('/customers', { name: 'João Souza', document: '11144477735' });
  const terms = { name: 'Silver', amount: '1.050,00', currency: 'BRL', interval: 'monthly', methods: 'boleto pix' };
  const late = { afterDays: '5', unpaidAction: 'cancel', actionAfterDays: '20', fine: '2' };
  const plan = { ...terms, ...late, accountId: 'acme', externalId: 'silver', trialDays: '7' };
  assert.equal((await submit(service, '/plans/new', plan)).status, 303);
  const readPlan = async () =>
    (await service.get('/plans')).json.plans.find(({ name }: { name: string }) => name === 'Silver');
  const { id: planId, amountCents, pastDue, taxes, trialDays } = await readPlan();
  assert.deepEqual(
    { amountCents, pastDue, taxes, trialDays },
    {
      ...{ amountCents: 105_000, trialDays: 7, taxes: { fine: 2 } },
      pastDue: { afterDays: 5, action: 'cancel', actionAfterDays: 20 },
    },
  );
  const at = `/plans/${planId}/change`;
  const refused = await submit(service, at, { ...terms, cycles: 'many' });
  assert.match(textOf(await refused.text()), /Nothing was done: Cycles must/);
  assert.equal((await submit(service, at, { ...terms, amount: '1.100,00', trialDays: '0' })).status, 303);
  const changed = await readPlan();
  assert.deepEqual(
    [changed.amountCents, changed.trialDays, changed.taxes, changed.externalId],
    [110_000, 0, undefined, undefined],
  );
  const emptied = { ...terms, description: '', trialDays: '', daysAhead: '', afterDays: '', actionAfterDays: '' };
  assert.equal((await submit(service, at, { ...emptied, unpaidAction: 'pause' })).status, 303);
  const byDefault = await readPlan();
  assert.deepEqual(
    [byDefault.description, byDefault.trialDays, byDefault.daysAhead, byDefault.pastDue],
    ['Silver', 0, 5, { afterDays: 3, action: 'pause', actionAfterDays: 30 }],
    'what is left empty has the value that the form names',
  );

  const start = { planId, startDay: '2026-11-30', metadata: 'desk: 4', amount: '990,00' };
  const subscribed = await submit(service, `/subscriptions/new?customerId=${customerId}`, start);
  assert.equal(subscribed.status, 303, textOf(await subscribed.text()));
  const page = subscribed.headers.get('location')!.replace('/dashboard', '');
  const { id: otherId } = await made('/plans', {
    name: 'Basic',
    amountCents: 4_900,
    interval: 'weekly',
    methods: ['pix'],
  });
  const read = async () => (await service.get(page)).json;
  const first = await read();
  assert.deepEqual([first.amountCents, first.methods, first.metadata], [99_000, ['boleto', 'pix'], { desk: '4' }]);
  // As a browser sends it: every field, of which the plan is another one and the texts are emptied.
  const shown = { amount: '990.00', day: '30', cycles: '', methods: 'boleto pix', description: first.description };
  const moved = await submit(service, `${page}/change`, { ...shown, planId: otherId, metadata: '' });
  assert.equal(moved.status, 303, textOf(await moved.text()));
  const after = await read();
  assert.deepEqual(
    [after.planId, after.amountCents, after.methods, after.interval, after.metadata],
    [otherId, 4_900, ['pix'], 'weekly', undefined],
    'the terms of the other plan',
  );
  const empty = await submit(service, `${page}/change`, { amount: '', day: '', description: '' });
  assert.equal(empty.status, 400);
  const faults = textOf(await empty.text());
  for (const label of ['Amount of a cycle', 'Day', 'Description']) assert.match(faults, new RegExp(`${label} must be`));
  assert.deepEqual(await read(), after);
  assert.equal((await submit(service, `${page}/change`, { cycles: '6' })).status, 303);
  assert.equal((await read()).cycles, 6);
  assert.match(textOf(await view(service, `${page}/change`)), /Cycles Left empty: without an end/);
  assert.equal((await submit(service, `${page}/change`, { cycles: '' })).status, 303);
  assert.equal((await read()).cycles, undefined);
});

test('forms make a plan that buys crypto, and name and change the wallet of a subscription', async () => {
  const { id: customerId } = await made('/customers', { name: 'Ana Lima', document: '11144477735', separate: true });
  const newWallet = (name: string, address: string) => made('/wallets', { name, network: 'polygon', address });
  const [{ id: first }, { id: second }] = [await newWallet('First', FIRST), await newWallet('Second', SECOND)];
  const terms = { name: 'USDT 541', amount: '541,00', currency: 'BRL', interval: 'monthly', methods: 'pix' };
  const crypto = { symbol: 'usdt', network: 'polygon', settlementSchedule: 'D1' };
  const half = await submit(service, '/plans/new', { ...terms, accountId: 'acme', symbol: 'usdt' });
  assert.equal(half.status, 400);
  assert.match(textOf(await half.text()), /Network is required/);
  assert.equal((await submit(service, '/plans/new', { ...terms, ...crypto, accountId: 'acme' })).status, 303);
  const { plans } = (await service.get('/plans')).json;
  const plan = plans.find(({ name }: { name: string }) => name === 'USDT 541');
  assert.deepEqual(plan.crypto, crypto);

  const form = `/subscriptions/new?customerId=${customerId}`;
  assert.match(textOf(await view(service, form)), /Wallet .*First.* on polygon/);
  const without = await submit(service, form, { planId: plan.id });
  assert.equal(without.status, 400);
  assert.match(textOf(await without.text()), /Wallet is required, as the plan buys crypto/);
  const subscribed = await submit(service, form, { planId: plan.id, walletId: first });
  assert.equal(subscribed.status, 303, textOf(await subscribed.text()));
  const page = subscribed.headers.get('location')!.replace('/dashboard', '');
  const read = async () => (await service.get(page)).json;
  assert.deepEqual([(await read()).walletId, (await read()).crypto], [first, crypto]);
  assert.match(
    textOf(await view(service, page)),
    /Each cycle buys usdt on polygon, D1 To the wallet First, 0x52908400098527886E0F7030069857D2E4169EE7/,
  );
  assert.match(await view(service, `${page}/change`), new RegExp(`<option value="${first}" selected`));
  const moved = await submit(service, `${page}/change`, { walletId: second });
  assert.equal(moved.status, 303, textOf(await moved.text()));
  assert.equal((await read()).walletId, second);
  // A subscription in reais has no wallet to change.
  const { id: planId } = await made('/plans', {
    name: 'Tin',
    amountCents: 4_900,
    interval: 'weekly',
    methods: ['pix'],
  });
  const { id } = await made('/subscriptions', { planId, customerId });
  assert.doesNotMatch(await view(service, `/subscriptions/${id}/change`), /name="walletId"/);
});
