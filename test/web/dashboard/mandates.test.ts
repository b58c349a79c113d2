// The pages of mandates: created, listed and canceled by forms, charges collected by them, and as a file.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { submit, textOf, view } from '../../harness/dashboard.ts';
import { logIn } from '../../harness/people.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../../harness/psp.ts';
import { startService } from '../../harness/service.ts';

const AUTOMATIC = { branch: '9708', account: '012682', accountType: 'CORRENTE' } as const;
const CUSTOMER = { name: 'Maria da Silva', document: '52998224725' };

let at: ServiceAtPsp;
let person: { readonly cookie: string };
let customerId: string;
before(async () => {
  at = await startServiceAtPsp({ rail: { automatic: AUTOMATIC, timeoutSeconds: 5 }, env: { TRILHO_RATE_LIMIT: '0' } });
  await at.registerWebhook();
  person = await logIn(at.service, 'operator', 'acme');
  customerId = (await at.service.post('/customers', { accountId: 'acme', ...CUSTOMER })).json.id;
});
after(() => at.stop());

const fields = () => ({ journey: '2', description: 'Plano mensal', period: 'MONTHLY', firstDay: '2026-11-20' });
const open = (path: string) => view(at.service, path, person);
const send = (path: string, form: Record<string, string> = {}) => submit(at.service, path, form, person);
const read = async (id: string) => (await at.service.get(`/mandates/${id}`)).json;

async function work(): Promise<void> {
  await at.psp.settled();
  await at.service.runJobs();
}

async function later(ms: number): Promise<void> {
  at.service.clock.advanceMs(ms);
  await work();
}

async function make(form: Record<string, string> = {}): Promise<string> {
  const made = await send(`/mandates/new?customerId=${customerId}`, { ...fields(), ...form });
  assert.equal(made.status, 303, textOf(await made.text()));
  await work();
  await later(5 * 60_000);
  return made.headers.get('location')!.split('/').at(-1)!;
}

test('a form creates the mandate that the API would, and its page shows it with its code', async () => {
  assert.match(await open(`/customers/${customerId}`), /mandates\/new\?customerId=/);
  const id = await make({
    ...{ contract: '63100862', amount: '1.035,00', lastDay: '2027-11-20', retries: 'true', externalId: 'plan-118' },
  });
  const { amountCents, retries, lastDay, emv } = await read(id);
  assert.deepEqual([amountCents, retries, lastDay], [103_500, true, '2027-11-20']);
  const page = textOf(await open(`/mandates/${id}`));
  for (const text of ['created', 'R$ 1,035.00', '63100862', 'plan-118', 'Maria da Silva', '20 Nov 2027', emv])
    assert.ok(page.includes(text), `${text} in ${page}`);
  const asked = await make({
    minimum: '20,00',
    journey: '1',
    ispb: '91193552',
    account: '550689',
    until: '2026-11-18T09:00',
  });
  assert.deepEqual([(await read(asked)).minimumCents, (await read(asked)).journey], [2_000, 1]);
});

test('a fault of a mandate is named by its label, and nothing is written', async () => {
  const count = async () => (await at.service.get('/mandates')).json.total;
  const before = await count();
  const refused = await send(`/mandates/new?customerId=${customerId}`, {
    ...fields(),
    firstDay: '2026-11-16',
    journey: '1',
  });
  assert.equal(refused.status, 400);
  assert.match(textOf(await refused.text()), /ISPB of the bank is required in journey 1/);
  const early = await send(`/mandates/new?customerId=${customerId}`, { ...fields(), firstDay: '2026-11-16' });
  assert.match(textOf(await early.text()), /First day must be after today/);
  assert.equal(await count(), before);
});

test('a charge is collected, a collection and a mandate are canceled, each after a question', async () => {
  const id = await make();
  at.psp.automatic.approve({ emv: (await read(id)).emv });
  await work();
  const charge = await at.service.post('/charges', {
    ...{ accountId: 'acme', amountCents: 123_456, currency: 'BRL', methods: ['pix'], customer: CUSTOMER },
    dueAt: '2026-12-10T20:00:00-03:00',
  });
  await work();
  assert.equal((await send(`/mandates/${id}/collect`, { chargeId: charge.json.id })).status, 303);
  const [collection] = (await read(id)).collections;
  const page = await open(`/mandates/${id}`);
  assert.match(textOf(page), /waiting R\$ 1,234\.56 10 Dec 2026/);
  assert.ok(page.includes(`/dashboard/collections/${collection.id}/cancel`));
  assert.match(textOf(await open(`/collections/${collection.id}/cancel`)), /Cancel this collection\? .* R\$ 1,234\.56/);
  const canceled = await send(`/collections/${collection.id}/cancel`);
  assert.equal(canceled.headers.get('location'), `/dashboard/mandates/${id}`);
  assert.equal((await read(id)).collections[0].status, 'CANCELED');
  assert.equal((await send(`/mandates/${id}/cancel`)).status, 303);
  assert.match(textOf(await open(`/mandates/${id}`)), /Cancellation requested/);
  await later(60_000);
  assert.equal((await read(id)).status, 'CANCELED');
  const ended = await open(`/mandates/${id}`);
  assert.match(textOf(ended), /Ended by receiver/);
  assert.doesNotMatch(ended, new RegExp(`/mandates/${id}/(cancel|collect)`));
});

test('a cancellation that the PSP refuses needs a person until it is accepted', async () => {
  const id = await make();
  const fault = at.psp.setFault({ kind: 'status', status: 400, on: { method: 'PATCH', path: '/rec' } });
  assert.equal((await send(`/mandates/${id}/cancel`)).status, 303);
  await later(60_000);
  const needs = await open('');
  assert.match(textOf(needs), /Cancellations that a PSP refuses 1/);
  assert.ok(needs.includes(`/dashboard/mandates/${id}`));
  assert.match(textOf(await open(`/mandates/${id}`)), /The PSP refuses to cancel it Requisi/);
  at.psp.clearFaults(fault);
  await later(60_000);
  assert.doesNotMatch(textOf(await open('')), /Cancellations that a PSP refuses/);
});

test('the list finds mandates by status, the search box by ids, and the file has each', async () => {
  const [kept, canceled] = [await make({ externalId: 'kept' }), await make({ externalId: 'canceled' })];
  assert.equal((await send(`/mandates/${canceled}/cancel`)).status, 303);
  await later(60_000);
  const page = await open('/mandates?status=CREATED');
  assert.ok(page.includes(kept) && !page.includes(canceled));
  const file = await open('/mandates.csv');
  assert.ok(file.includes(`${kept},acme,kept,${customerId},CREATED`) && file.includes(canceled));
  for (const text of [kept, 'kept']) {
    const headers = { cookie: person.cookie };
    const found = await fetch(`${at.service.url}/dashboard/search?q=${text}`, { headers, redirect: 'manual' });
    assert.equal(found.headers.get('location'), `/dashboard/mandates/${kept}`);
  }
});

test('where the PSP has no Pix Automático, the form says so', async t => {
  const sandbox = await startService();
  t.after(() => sandbox.stop());
  const { id } = (await sandbox.post('/customers', { accountId: 'acme', ...CUSTOMER })).json;
  const refused = await submit(sandbox, `/mandates/new?customerId=${id}`, fields());
  assert.equal(refused.status, 503);
  assert.match(textOf(await refused.text()), /not set up for Pix Automático/);
});
