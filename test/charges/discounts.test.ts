// Charges with discounts and an abatement: what is refused, what they owe on a day, and when they are paid.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { openCharge, pathOf, pay } from '../harness/checkouts.ts';
import { textOf, view } from '../harness/dashboard.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

// Due on Thursday, 10 December 2026; 28 November is a Saturday.
const DUE = '2026-12-10T23:59:59-03:00';
const PIX_KEY = { TRILHO_PIX_KEY: 'pix@example.com', TRILHO_PIX_NAME: 'Acme', TRILHO_PIX_CITY: 'Sao Paulo' };

let service: Service;
let live: Service;
before(async () => {
  service = await startService({ now: '2026-11-16T12:00:00-03:00' });
  live = await startService({ mode: 'live', env: PIX_KEY, now: '2026-11-16T12:00:00-03:00' });
});
after(async () => {
  await service.stop();
  await live.stop();
});

const create = (changes: Record<string, unknown>) => service.post('/charges', chargeBody({ dueAt: DUE, ...changes }));
const read = async (id: string) => (await service.get(`/charges/${id}`)).json;
const faultsOf = ({ json }: Answer) => json.errors.map(({ path, code }: Fault) => `${path}: ${code}`);
type Fault = { readonly path: string; readonly code: string };
const owedOn = async (id: string, on: string) => (await service.get(`/charges/${id}/amount?on=${on}`)).json;
const atNoon = (day: string) => `${day}T12:00:00-03:00`;

const REFUSED: readonly (readonly [name: string, changes: Record<string, unknown>, faults: readonly string[]])[] = [
  [
    'a percent of all of it',
    { discounts: [{ percent: 100, until: '2026-12-01' }] },
    ['discounts[0].percent: exclusiveMaximum'],
  ],
  ['a percent of nothing', { abatement: { percent: 0 } }, ['abatement.percent: exclusiveMinimum']],
  ['no amount', { discounts: [{ until: '2026-12-01' }] }, ['discounts[0].amountCents: required']],
  ['neither a last day nor each day', { discounts: [{ percent: 5 }] }, ['discounts[0].until: required']],
  ['both an amount and a percent', { abatement: { percent: 5, amountCents: 5 } }, ['abatement.percent: not_together']],
  [
    'both a last day and each day',
    { discounts: [{ percent: 5, until: '2026-12-01', perDay: 'calendar' }] },
    ['discounts[0].perDay: not_together'],
  ],
  ['an empty list', { discounts: [] }, ['discounts: empty']],
  [
    'four discounts',
    { discounts: [4, 3, 2, 1].map(percent => ({ percent, until: `2026-12-0${5 - percent}` })) },
    ['discounts: too_long'],
  ],
  ['a day that does not exist', { discounts: [{ percent: 5, until: '2026-02-30' }] }, ['discounts[0].until: format']],
  [
    'a field of another name',
    { discounts: [{ percent: 5, until: '2026-12-01', from: 1 }] },
    ['discounts[0].from: unknown'],
  ],
  [
    'two discounts of one day',
    {
      discounts: [
        { percent: 5, until: '2026-12-01' },
        { percent: 4, until: '2026-12-01' },
      ],
    },
    ['discounts[1].until: same_day'],
  ],
  [
    'days that do not rise and discounts that do not fall',
    {
      discounts: [
        { amountCents: 500, until: '2026-12-05' },
        { amountCents: 500, until: '2026-12-01' },
      ],
    },
    ['discounts[1].until: not_ascending', 'discounts[1].amountCents: not_descending'],
  ],
  [
    'a mix of kinds',
    {
      discounts: [
        { percent: 5, until: '2026-12-01' },
        { amountCents: 500, until: '2026-12-05' },
      ],
    },
    ['discounts[1]: mixed_kinds'],
  ],
  [
    'two discounts for each day',
    {
      discounts: [
        { amountCents: 5, perDay: 'calendar' },
        { amountCents: 4, perDay: 'banking' },
      ],
    },
    ['discounts[1]: not_together'],
  ],
  [
    'a day after the due day',
    { discounts: [{ percent: 5, until: '2026-12-11' }] },
    ['discounts[0].until: after_due_date'],
  ],
  [
    'a discount of everything',
    { discounts: [{ amountCents: 15_990, until: '2026-12-01' }] },
    ['discounts[0].amountCents: too_large'],
  ],
  ['an abatement of everything', { abatement: { amountCents: 15_990 } }, ['abatement.amountCents: too_large']],
  [
    'a discount of all that the abatement leaves',
    { abatement: { amountCents: 5_990 }, discounts: [{ amountCents: 10_000, until: '2026-12-01' }] },
    ['discounts[0].amountCents: too_large'],
  ],
  [
    // 24 days from the creation.
    'days that come to everything',
    { discounts: [{ percent: 4.17, perDay: 'calendar' }] },
    ['discounts[0].percent: too_large'],
  ],
  [
    'days of many years',
    { discounts: [{ amountCents: 1, perDay: 'banking' }], dueAt: '2040-01-01T12:00:00Z' },
    ['dueAt: too_late'],
  ],
];

describe('refused by the name of the field, and nothing is written', () => {
  for (const [name, changes, faults] of REFUSED) {
    test(name, async () => {
      const before = await service.sql('select count(*) from charges');
      const refused = await create(changes);
      assert.equal(refused.status, 400, refused.text);
      assert.deepEqual(faultsOf(refused), faults);
      assert.deepEqual(await service.sql('select count(*) from charges'), before);
    });
  }

  test('faults elsewhere are named with them', async () => {
    const refused = await create({ currency: 'XYZ', discounts: [{ percent: 5, until: '2026-12-11' }] });
    assert.deepEqual(faultsOf(refused), ['currency: not_allowed', 'discounts[0].until: after_due_date']);
  });

  test('an instant pix: it asks for one amount until it ends', async () => {
    const day = {
      dueAt: '2026-11-17T09:00:00-03:00',
      expireAt: '2026-11-17T09:00:00-03:00',
      abatement: { percent: 5 },
    };
    const refused = await create({ ...day, methods: ['pix'] });
    assert.equal(refused.status, 422);
    assert.deepEqual(faultsOf(refused), ['abatement: needs_due_date']);
    const both = await create({ ...day, methods: ['pix', 'boleto'] });
    assert.deepEqual([both.status, both.json.pix.success, both.json.boleto.success], [201, false, true]);
    assert.match(both.json.pix.reason, /^abatement needs a due date/);
  });

  test('a static pix key: its code asks for one amount on every day', async () => {
    const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
    const terms = { customer, methods: ['pix'], dueAt: DUE, discounts: [{ percent: 5, until: '2026-12-01' }] };
    const refused = await live.post('/charges', chargeBody(terms));
    assert.deepEqual([refused.status, faultsOf(refused)], [422, ['discounts: not_offered']]);
    assert.deepEqual(await live.sql('select id from charges'), []);
    const past = await live.post(
      '/charges',
      chargeBody({ ...terms, discounts: [{ percent: 5, until: '2026-11-15' }] }),
    );
    assert.deepEqual([past.status, faultsOf(past)], [400, ['discounts[0].until: in_the_past']]);
  });

  test('an order: its price is what it costs', async () => {
    const charge = { ...CHARGE_PART, discounts: [{ percent: 5, until: '2026-12-01' }] };
    const refused = await orderDriver(service).order({ charge });
    assert.deepEqual([refused.status, faultsOf(refused)], [400, ['charge.discounts: unknown']]);
  });
});

const TERMS = {
  abatement: { amountCents: 990 },
  discounts: [
    { percent: 10, until: '2026-11-18' },
    { percent: 5, until: '2026-11-28' },
  ],
  taxes: { fine: 2, interest: 1 },
};

test('a charge shows its terms, and owes by day what they say', async () => {
  const id = await openCharge(service, { dueAt: DUE, ...TERMS });
  const { abatement, discounts, amountCents, payable } = await read(id);
  assert.deepEqual({ abatement, discounts }, { abatement: TERMS.abatement, discounts: TERMS.discounts });
  assert.deepEqual([amountCents, payable.amountCents], [15_990, 15_990]);
  const totals = async (on: string) => {
    const { pix, boleto } = await owedOn(id, on);
    return [pix.totalCents, boleto.totalCents];
  };
  assert.deepEqual(await totals('2026-11-18'), [13_500, 13_500]);
  assert.deepEqual(await totals('2026-11-19'), [14_250, 14_250]);
  assert.deepEqual(await totals('2026-11-30'), [14_250, 14_250], 'Saturday moves to Monday');
  assert.deepEqual(await totals('2026-12-01'), [15_000, 15_000]);
  assert.deepEqual(await totals('2026-12-12'), [15_310, 15_310]);
  const { lines } = (await owedOn(id, '2026-11-30')).pix;
  assert.deepEqual(
    lines.map(({ kind, amountCents: cents, rate, until }: Record<string, unknown>) => [kind, cents, rate, until]),
    [
      ['original', 15_990, undefined, undefined],
      ['abatement', -990, undefined, undefined],
      ['discount', -750, '5', '2026-11-30'],
    ],
  );
  const [event] = (await service.get(`/events?objectId=${id}`)).json.events;
  assert.deepEqual(event.object.discounts, TERMS.discounts);
});

test('a repeat gets the first charge, and one with another discount is refused', async () => {
  const asked = { externalId: 'discount-1', ...TERMS };
  const first = await create(asked);
  assert.equal((await create(asked)).text, first.text);
  const other = await create({ ...asked, discounts: [{ percent: 11, until: '2026-11-18' }] });
  assert.deepEqual([other.status, other.json.code], [409, 'external_id_conflict']);
  assert.equal((await create({ externalId: 'discount-1' })).status, 409);
});

test('paid with its discount on the last day it is paid, and a day later in part', async () => {
  for (const method of ['pix', 'boleto']) {
    const inTime = await openCharge(service, { dueAt: DUE, ...TERMS });
    const late = await openCharge(service, { dueAt: DUE, ...TERMS });
    service.clock.set(atNoon('2026-12-01'));
    await pay(service, inTime, { method, amountCents: 14_250, at: atNoon('2026-11-30') });
    await pay(service, late, { method, amountCents: 14_250, at: atNoon('2026-12-01') });
    const [paid, short] = [await read(inTime), await read(late)];
    assert.deepEqual([paid.state, paid.timing, paid.paidAmount], ['PAID', 'on_time', 'exact']);
    assert.deepEqual([short.state, short.paidAmount], ['PARTIALLY_PAID', 'partial']);
    const rest = await service.post(`/charges/${late}/remainder`, {});
    assert.equal(rest.json.amountCents, 750);
    assert.equal(rest.json.discounts, undefined, 'it is of the amount that is missing');
    service.clock.set('2026-11-16T12:00:00-03:00');
  }
});

test('a payer of the sandbox pays what is owed that day', async () => {
  const id = await openCharge(service, { dueAt: DUE, ...TERMS });
  await pay(service, id);
  const { state, payments } = await read(id);
  assert.deepEqual([state, payments[0].amountCents], ['PAID', 13_500]);
});

test('a part leaves the amount without the discount open, until all of it has come in time', async () => {
  const discounts = [{ amountCents: 1_000, until: '2026-11-30' }];
  const slow = await openCharge(service, { dueAt: DUE, discounts });
  await pay(service, slow, { method: 'pix', amountCents: 5_000 });
  assert.equal((await service.post(`/charges/${slow}/remainder`, {})).json.amountCents, 10_990);
  const quick = await openCharge(service, { dueAt: DUE, discounts });
  await pay(service, quick, { method: 'pix', amountCents: 5_000 });
  await pay(service, quick, { method: 'pix', amountCents: 9_990 });
  const { state, paidAmount } = await read(quick);
  assert.deepEqual([state, paidAmount], ['PAID', 'exact']);
});

test('amounts in dollars are taken off at the rate of the charge', async () => {
  const asked = { currency: 'USD', amountCents: 10_000, abatement: { amountCents: 333 } };
  const { id } = (await create(asked)).json;
  const { payable, abatement } = await read(id);
  assert.deepEqual(abatement, { amountCents: 333 });
  const { lines } = (await owedOn(id, '2026-12-10')).pix;
  assert.equal(lines[1].amountCents, -Math.floor(333 * Number(payable.rate)));
});

test('a due date that the discounts do not fit is refused', async () => {
  const id = await openCharge(service, { dueAt: DUE, ...TERMS });
  const refused = await service.post(`/charges/${id}/due-date`, { dueAt: '2026-11-25T23:59:59-03:00' });
  assert.deepEqual([refused.status, faultsOf(refused)], [400, ['dueAt: discounts_do_not_fit']]);
  assert.equal((await service.post(`/charges/${id}/due-date`, { dueAt: '2026-12-20T23:59:59-03:00' })).status, 200);
});

test('the checkout names what is taken off, and asks for the rest', async () => {
  const id = await openCharge(service, { dueAt: DUE, ...TERMS });
  const answer = await fetch(`${service.url}${await pathOf(service, id)}?lang=pt-BR`);
  const page = (await answer.text()).replaceAll('\u00a0', ' ');
  assert.match(page, /Pagar R\$ 135,00/);
  assert.match(page, /<dt>Abatimento<\/dt><dd>-R\$ 9,90/);
  assert.match(page, /<dt>Desconto de 10% até [^<]*18[^<]*<\/dt><dd>-R\$ 15,00/);
});

test('the checkout says which days a discount for each day counts', async () => {
  for (const [perDay, pt, en] of [
    ['calendar', 'Desconto por 24 dias de antecipação', 'Discount for paying 24 days early'],
    ['banking', 'Desconto por 17 dias úteis de antecipação', 'Discount for paying 17 banking days early'],
  ]) {
    const id = await openCharge(service, { dueAt: DUE, discounts: [{ amountCents: 50, perDay }] });
    const path = await pathOf(service, id);
    const pages = ['pt-BR', 'en'].map(async lang => (await fetch(`${service.url}${path}?lang=${lang}`)).text());
    const [inPortuguese, inEnglish] = await Promise.all(pages);
    assert.ok(inPortuguese!.includes(`<dt>${pt}</dt>`) && inEnglish!.includes(`<dt>${en}</dt>`), perDay);
  }
});

test('a sandbox takes a discount that is over, and warns of it', async () => {
  const over = { percent: 10, until: '2026-11-15' };
  const { id } = (await create({ discounts: [over, { percent: 5, until: '2026-11-16' }] })).json;
  const { warnings } = await read(id);
  const message = 'was in the past when the charge was created: live refuses it';
  assert.deepEqual(warnings, [{ path: 'discounts[0].until', code: 'in_the_past', message }]);
});

test('the dashboard shows what the bank took off a payment', async () => {
  const id = await openCharge(service, { dueAt: DUE, ...TERMS });
  await pay(service, id);
  assert.match(textOf(await view(service, `/charges/${id}`)), /Less .* pix R\$ [\d,.]+ – /);
  // As a return file of a bank reports it.
  await service.sql('update payments set discount_cents = 1500, abatement_cents = 990 where charge_id = $1', [id]);
  const page = textOf(await view(service, `/charges/${id}`));
  assert.match(page, / pix R\$ [\d,.]+ discount R\$ 15\.00, abatement R\$ 9\.90 /);
});

test('the dashboard shows what is taken off, and its list as a table has it', async () => {
  const id = await openCharge(service, { dueAt: DUE, ...TERMS });
  const page = await view(service, `/charges/${id}`);
  assert.match(textOf(page), /Abatement R\$ 9\.90 Discounts 10% until 18 Nov 2026 5% until 28 Nov 2026/);
  const csv = await (await fetch(`${service.url}/dashboard/charges.csv`)).text();
  const line = csv.split('\r\n').find(text => text.startsWith(id));
  assert.match(line!, /,9\.90,"10% until 2026-11-18; 5% until 2026-11-28"/);
});
