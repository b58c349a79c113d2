// Lists filtered by payer, method and amount: as people type them, combined with the other filters, in pages and in the export.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { chargeBody } from '../../harness/bodies.ts';
import { openCharge, pay } from '../../harness/checkouts.ts';
import { textOf } from '../../harness/dashboard.ts';
import { CHARGE_PART, orderDriver } from '../../harness/orders.ts';
import { logIn } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';

const JOAO = { name: 'João Conceição', document: '529.982.247-25' };
const PADARIA = { name: 'Padaria do Zé Ltda', document: '12.ABC.345/01DE-35' };

let service: Service;
const ids = { joao: '', padaria: '', boleto: '', other: '' };
before(async () => {
  service = await startService({ pageSize: 2 });
  const address = { street: 'Rua 1', city: 'Recife', state: 'PE', postalCode: '50000-000' };
  const make = async (changes: Record<string, unknown>) => openCharge(service, { methods: ['pix'], ...changes });
  ids.joao = await make({ customer: JOAO, amountCents: 123_456 });
  ids.padaria = await make({ customer: PADARIA, amountCents: 99_900 });
  ids.boleto = await make({ customer: { ...JOAO, address }, amountCents: 4_200, methods: ['boleto', 'pix'] });
  ids.other = await make({ customer: JOAO, amountCents: 123_456, accountId: 'beta' });
  await service.runJobs();
  await pay(service, ids.padaria);
});
after(() => service.stop());

type Filters = Readonly<Record<string, string>>;
const addressOf = (list: string, filters: Filters) =>
  `${service.url}/dashboard/${list}?${new URLSearchParams(filters)}`;

async function pageOf(list: string, filters: Filters): Promise<{ status: number; text: string }> {
  const answer = await fetch(addressOf(list, filters), { headers: { accept: 'text/html' } });
  return { status: answer.status, text: await answer.text() };
}

const listed = (text: string, kind: string) =>
  [...text.matchAll(new RegExp(`<a class="id" href="/dashboard/${kind}/([^"]+)"`, 'g'))].map(([, id = '']) => id);

async function found(filters: Filters): Promise<string[]> {
  const { status, text } = await pageOf('charges', { pageSize: '100', ...filters });
  assert.equal(status, 200, textOf(text));
  const answer = await fetch(addressOf('charges.csv', filters));
  const [, ...lines] = (await answer.text()).trimEnd().split('\r\n');
  const exported = lines.map(line => line.split(',')[0] ?? '');
  assert.deepEqual(exported, listed(text, 'charges'), 'the export has what the list has');
  return exported.sort();
}

const some = (...names: (keyof typeof ids)[]) => names.map(name => ids[name]).sort();

test('charges are found by a part of the name in any case and with any marks, and by CPF or CNPJ', async () => {
  for (const payer of ['conceicao', 'JOÃO', 'joao con', '529.982.247-25', '52998224725'])
    assert.deepEqual(await found({ payer }), some('joao', 'boleto', 'other'), payer);
  for (const payer of ['padaria do ze', '12.abc.345/01de-35', '12ABC34501DE35'])
    assert.deepEqual(await found({ payer }), some('padaria'), payer);
  for (const payer of ['nobody', 'joa%', '111.444.777-35']) assert.deepEqual(await found({ payer }), [], payer);
});

test('charges are found by an amount as people type it, from and to, both inclusive', async () => {
  for (const amount of ['1.234,56', '1234.56', '1234,56', 'R$ 1.234,56', '1,234.56'])
    assert.deepEqual(await found({ amountFrom: amount, amountTo: amount }), some('joao', 'other'), amount);
  assert.deepEqual(await found({ amountFrom: '42', amountTo: '999,00' }), some('boleto', 'padaria'));
  assert.deepEqual(await found({ amountFrom: '42,01', amountTo: '998,99' }), []);
  assert.deepEqual(await found({ amountFrom: '1.000' }), some('joao', 'other'));
  assert.deepEqual(await found({ amountTo: '42.00' }), some('boleto'));
});

test('charges are found by the methods they can be paid by, and by how they were paid', async () => {
  assert.deepEqual(await found({ method: 'boleto' }), some('boleto'));
  assert.deepEqual(await found({ method: 'pix' }), some('boleto', 'joao', 'other', 'padaria'));
  assert.deepEqual(await found({ method: 'paid_pix' }), some('padaria'));
  assert.deepEqual(await found({ method: 'paid_boleto' }), []);
});

test('filters combine, also with those by state, account and day', async () => {
  assert.deepEqual(await found({ payer: 'joao', accountId: 'beta' }), some('other'));
  assert.deepEqual(await found({ payer: 'joao', method: 'boleto', amountTo: '50' }), some('boleto'));
  assert.deepEqual(await found({ payer: 'padaria', state: 'ACTIVE' }), []);
  assert.deepEqual(await found({ payer: 'padaria', state: 'PAID' }), some('padaria'));
  assert.deepEqual(
    await found({ payer: 'joao', from: '2026-11-16', to: '2026-11-16' }),
    some('joao', 'boleto', 'other'),
  );
  assert.deepEqual(await found({ payer: 'joao', to: '2026-11-15' }), []);
});

test('a page shows the total, and its links and the export keep the filters', async () => {
  const filters = { payer: 'joão', amountFrom: '1,00' };
  const { text } = await pageOf('charges', filters);
  assert.match(textOf(text), /3 in all, page 1 of 2/);
  const [, next = ''] = /rel="next" href="([^"]+)"/.exec(text) ?? [];
  const second = new URL(next.replaceAll('&amp;', '&'), service.url).searchParams;
  assert.deepEqual(Object.fromEntries(second), { ...filters, page: '2' });
  assert.equal(listed((await pageOf('charges', { ...filters, page: '2' })).text, 'charges').length, 1);
  const [, csv = ''] = /href="(\/dashboard\/charges\.csv[^"]*)"/.exec(text) ?? [];
  assert.deepEqual(Object.fromEntries(new URL(csv.replaceAll('&amp;', '&'), service.url).searchParams), filters);
});

const WRONG: readonly (readonly [list: string, filters: Filters, field: string, words: RegExp])[] = [
  ['charges', { amountFrom: 'ten' }, 'amountFrom', /must be an amount in reais/],
  ['charges', { amountTo: '-1' }, 'amountTo', /must be an amount in reais/],
  ['charges', { amountTo: '1.23.4,5' }, 'amountTo', /must be an amount in reais/],
  ['charges', { amountFrom: '99999999999999999999' }, 'amountFrom', /must be an amount in reais/],
  ['charges', { amountFrom: '10', amountTo: '9,99' }, 'amountTo', /must not be less/],
  ['charges', { payer: '529.982' }, 'payer', /a part of a name, or a complete CPF or CNPJ/],
  ['charges', { method: 'card' }, 'method', /must be one of/],
  ['charges', { state: 'GONE' }, 'state', /must be one of/],
  ['charges', { from: 'yesterday' }, 'from', /must be a date/],
  ['charges', { from: '2026-11-17', to: '2026-11-16' }, 'to', /must not be earlier than from/],
  ['orders', { amountFrom: 'ten' }, 'amountFrom', /must be an amount in reais/],
  ['orders', { show: 'all' }, 'show', /must be one of/],
  ['payouts', { network: 'solana' }, 'network', /must be one of/],
  ['wallets', { network: 'solana' }, 'network', /must be one of/],
  ['events', { type: 'x' }, 'type', /must be one of/],
  ['ledger', { chargeId: 'x' }, 'chargeId', /must be a UUID/],
];

for (const [list, filters, field, message] of WRONG) {
  test(`${list}?${new URLSearchParams(filters)}: the page shows the fault beside the field`, async () => {
    const { status, text } = await pageOf(list, filters);
    assert.equal(status, 400);
    const [, fault = ''] = new RegExp(`id="filter-${field}-fault">([^<]*)`).exec(text) ?? [];
    assert.match(fault, message, textOf(text));
    assert.match(
      text,
      new RegExp(
        `<(?:input|select) id="filter-${field}"[^>]*aria-invalid="true"[^>]*aria-describedby="filter-${field}-fault"`,
      ),
    );
    assert.match(text, /<h1>/);
    assert.deepEqual(listed(text, list), []);
  });
}

test('the export refuses the same', async () => {
  for (const filters of [{ amountFrom: 'ten' }, { payer: '529.982' }, { method: 'card' }] as Filters[]) {
    const answer = await fetch(addressOf('charges.csv', filters));
    assert.equal(answer.status, 400);
    const { errors } = (await answer.json()) as { errors: { path: string }[] };
    assert.equal(errors[0]?.path, Object.keys(filters)[0]);
  }
});

test('orders are found by the payer of their charge and by the amount, in every view', async () => {
  const driver = orderDriver(service, 'filtered');
  const make = async (customer: object, cost: number) =>
    (await driver.order({ charge: { ...CHARGE_PART, customer }, cost })).json.transactionId as string;
  const [joao, padaria] = [await make(JOAO, 500), await make(PADARIA, 1_500.25)];
  const foundOrders = async (filters: Filters) => {
    const { status, text } = await pageOf('orders', { pageSize: '100', ...filters });
    assert.equal(status, 200, textOf(text));
    const csv = await (await fetch(addressOf('orders.csv', filters))).text();
    const exported = csv
      .trimEnd()
      .split('\r\n')
      .slice(1)
      .map(line => line.split(',')[0] ?? '');
    assert.deepEqual(exported, listed(text, 'orders'));
    return exported;
  };
  assert.deepEqual(await foundOrders({ payer: 'conceicao' }), [joao]);
  assert.deepEqual(await foundOrders({ payer: PADARIA.document }), [padaria]);
  assert.deepEqual(await foundOrders({ amountFrom: '1.500,25', amountTo: '1500.25' }), [padaria]);
  assert.deepEqual(await foundOrders({ payer: 'joao', amountFrom: '1.000' }), []);
  assert.deepEqual(await foundOrders({ payer: 'joao', show: 'ended' }), []);
  assert.equal((await service.post(`/crypto/transactions/${joao}/cancel`, {})).status, 200);
  assert.deepEqual(await foundOrders({ payer: 'joao', show: 'ended' }), [joao]);
  assert.deepEqual(await foundOrders({ payer: 'joao', show: 'ended', symbol: 'eth' }), []);
});

test('a person of one account finds only its charges', async t => {
  const live = await startService({ mode: 'live', rails: sandboxRails });
  t.after(() => live.stop());
  await live.sql(`insert into accounts (id, created_at) values ('beta', now()) on conflict do nothing`);
  const own = (await live.post('/charges', chargeBody({ customer: JOAO, methods: ['pix'], amountCents: 5_000 }))).json;
  assert.ok(own.id);
  const { cookie } = await logIn(live, 'owner', 'beta');
  const [acme, all] = [await logIn(live, 'owner', 'acme'), await logIn(live, 'owner')];
  const ask = async (who: { cookie: string }, query: string) =>
    (
      await fetch(`${live.url}/dashboard/charges?${query}`, { headers: { accept: 'text/html', cookie: who.cookie } })
    ).text();
  for (const query of ['payer=joao', `payer=${JOAO.document}`, 'amountFrom=50&amountTo=50', 'method=pix']) {
    assert.deepEqual(listed(await ask({ cookie }, query), 'charges'), [], query);
    assert.deepEqual(listed(await ask(acme, query), 'charges'), [own.id], query);
    assert.deepEqual(listed(await ask(all, query), 'charges'), [own.id], query);
  }
  assert.doesNotMatch(await ask(acme, ''), /filter-accountId/);
  assert.match(
    await ask(all, ''),
    /<select id="filter-accountId" name="accountId"><option value="">any<\/option><option value="acme">/,
  );
});
