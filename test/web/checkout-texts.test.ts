// The texts of a checkout: amounts and names that agree with each other and with the bank's app, in every state of a charge.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { agreementEntry, boletoBody } from '../harness/agreements.ts';
import { startServiceAtBank } from '../harness/boleto-bank.ts';
import { CHECKOUTS, openCharge, pathOf, pay } from '../harness/checkouts.ts';
import { CHARGE_PART, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

/** The text of a page without its markup, with single spaces. */
async function textOf(path: string, at = service): Promise<string> {
  const answer = await fetch(at.url + path, { headers: { 'accept-language': 'en' } });
  assert.equal(answer.status, 200);
  const body = (await answer.text()).replace(/^[\s\S]*<body/, '');
  return body
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replaceAll('&#39;', "'");
}
const saidOf = async (id: string) => textOf(await pathOf(service, id));

async function refund(id: string, body: Record<string, unknown>): Promise<void> {
  assert.equal((await service.post(`/charges/${id}/refunds`, body)).status, 201);
  await service.runJobs();
}

test("a late charge whose pix code has a fixed amount: each method shows the amount of the bank's app", async () => {
  const id = await openCharge(service, { dueAt: '2026-11-09T12:00:00Z', taxes: { fine: 2, interest: 1 } });
  const { boleto: owed } = (await service.get(`/charges/${id}/amount`)).json;
  const said = await saidOf(id);
  const total = `R$ ${(owed.totalCents / 100).toFixed(2)}`;
  assert.notEqual(total, 'R$ 159.90');
  assert.ok(said.includes(`Amount by Pix R$ 159.90 Amount by boleto ${total}`), said);
  const missing = `R$ ${((owed.totalCents - 15_990) / 100).toFixed(2)}`;
  assert.ok(said.includes(`This code asks for R$ 159.90 only; ${missing} stays open`), said);
});

test('a late charge shows one total for each method, and no other', async () => {
  const id = await openCharge(service, { dueAt: '2026-11-09T12:00:00Z', taxes: { fine: 2, interest: 1 } });
  const { boleto: owed } = (await service.get(`/charges/${id}/amount`)).json;
  const said = await saidOf(id);
  const left = `R$ ${((owed.totalCents - 15_990) / 100).toFixed(2)}`;
  const parts = owed.lines
    .slice(1)
    .map(({ amountCents }: { amountCents: number }) => `R$ ${(amountCents / 100).toFixed(2)}`);
  const known = ['R$ 159.90', `R$ ${(owed.totalCents / 100).toFixed(2)}`, left, ...parts];
  assert.deepEqual(
    (said.match(/R\$ [\d.,]+\d/g) ?? []).filter(amount => !known.includes(amount)),
    [],
  );
});

test('the last minutes of an instant pix are counted down, in both languages', async () => {
  const now = Date.parse((await service.get('/sandbox/clock')).json.now);
  for (const seconds of [480, 300, 49]) {
    const end = new Date(now + seconds * 1000).toISOString();
    const id = await openCharge(service, { dueAt: end, expireAt: end, methods: ['pix'] });
    for (const [language, message] of [
      ['pt-BR', /Este código vale até [^<]+\.\s*<span[^>]* data-left-ms="\d+"[^>]*>Tempo restante/],
      ['en', /This code is valid until [^<]+\.\s*<span[^>]* data-left-ms="\d+"[^>]*>Time left/],
    ] as const) {
      const page = await fetch(service.url + (await pathOf(service, id)), { headers: { 'accept-language': language } });
      assert.match(await page.text(), message, `${seconds} s`);
    }
  }
});

test('the checkout of an order says until when its price is valid, and shows no code afterwards', async () => {
  const own = await startService();
  const orders = orderDriver(own);
  const charge = { ...CHARGE_PART, methods: ['pix', 'boleto'] };
  const id = (await orders.order({ charge })).json.charge.id;
  await own.runJobs();
  const path = await pathOf(own, id);
  const { pix, boleto } = (await own.get(`/charges/${id}`)).json;
  const before = await textOf(path, own);
  assert.match(before, /The price is valid until .+ A later payment waits for a new price\./);
  assert.ok(before.includes(pix.emv), before);
  await orders.advance('PT5M');
  const after = await (await fetch(own.url + path, { headers: { 'accept-language': 'pt-BR' } })).text();
  assert.match(after, /O prazo deste preço terminou/);
  assert.ok(!after.includes(pix.emv) && !after.includes(boleto.digitableLine));
  await own.stop();
});

/** Presses the button of a sandbox's checkout, as a browser does, and follows it. */
async function pressPay(path: string, method: 'pix' | 'boleto'): Promise<Response> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' };
  return fetch(`${service.url}${path}/sandbox/${method}?lang=en`, { method: 'POST', headers });
}

test('the button that simulates the payer pays the amount of the code', async () => {
  const late = { dueAt: '2026-11-09T12:00:00Z', taxes: { fine: 2, interest: 1 } };
  for (const method of ['pix', 'boleto'] as const) {
    const id = await openCharge(service, late);
    const { boleto: owed } = (await service.get(`/charges/${id}/amount`)).json;
    assert.equal((await pressPay(await pathOf(service, id), method)).status, 200);
    const { payments, paidAmount } = (await service.get(`/charges/${id}`)).json;
    const [asked, outcome] = method === 'pix' ? [15_990, 'partial'] : [owed.totalCents, 'exact'];
    assert.deepEqual([payments.length, payments[0].amountCents, paidAmount], [1, asked, outcome]);
  }
});

test('that button pays nothing by a withdrawn link, nor a charge without a code', async () => {
  const id = await openCharge(service);
  const withdrawn = await pathOf(service, id);
  await service.post(`/charges/${id}/checkout/withdraw`, { checkoutUrl: service.url + withdrawn });
  const canceled = await openCharge(service);
  await service.send(`/charges/${canceled}/cancel`, { method: 'POST' });
  for (const [path, message] of [
    [withdrawn, /This link does not open a charge/],
    [await pathOf(service, canceled), /Canceled/],
    ['/pay/x%0d', /This link does not open a charge/],
  ] as const) {
    assert.match(await (await pressPay(path, 'pix')).text(), message, path);
  }
  for (const unpaid of [id, canceled]) assert.deepEqual((await service.get(`/charges/${unpaid}`)).json.payments, []);
});

test("the payer is named beside the amount, not among the details that the bank's app shows", async () => {
  const said = await saidOf(await openCharge(service));
  assert.match(said, /Charged to Maria d\. S\..*Check before you pay/);
  assert.doesNotMatch(said.replace(/^.*Check before you pay/, '').replace(/do not pay.*$/, ''), /Maria/);
});

test('a payment that is too large, or after the end, is not shown as all well', async () => {
  const over = await openCharge(service);
  await pay(service, over, { method: 'pix', amountCents: 20_000 });
  assert.match(await saidOf(over), /You paid R\$\s40\.10 too much/);
  const twice = await openCharge(service);
  await pay(service, twice);
  await pay(service, twice);
  assert.match(await saidOf(twice), /more than one payment, R\$\s159\.90 too much\. The seller can return it\./);
  const canceled = await openCharge(service);
  await service.send(`/charges/${canceled}/cancel`, { method: 'POST' });
  await pay(service, canceled);
  assert.match(await saidOf(canceled), /came after the charge had ended/);
  for (const id of [over, twice, canceled]) {
    const said = await saidOf(id);
    assert.doesNotMatch(said, /All is well/);
    assert.doesNotMatch(said, /\.\./, 'read aloud, sentences end once');
  }
});

test('once the second payment was refunded, nothing is left for the seller to return', async () => {
  const id = await openCharge(service);
  await pay(service, id);
  await pay(service, id);
  await refund(id, { amountCents: 15_990 });
  const said = await saidOf(id);
  assert.match(said, /R\$\s159\.90 was returned to the payer/);
  assert.doesNotMatch(said, /can return/);
});

test('an order on hold shows no count of confirmations, and does not say that all is well', async () => {
  const chargeId = await CHECKOUTS['order on hold']!(service);
  const said = await saidOf(chargeId);
  assert.match(said, /Under review: the seller will contact you\./);
  assert.doesNotMatch(said, /confirmations|All is well/);
});

test('a charge past its end shows no code, also before it is marked as expired', async () => {
  const id = await CHECKOUTS['expired']!(service);
  const page = await (await fetch(service.url + (await pathOf(service, id)))).text();
  assert.doesNotMatch(page, /id="pix-code"|class="qr"|id="boleto-line"/);
});

test('a boleto of an agreement names its beneficiary before it is paid and on the receipt', async () => {
  const boletos = [agreementEntry('341', { test: true })];
  const other = await startService({ env: { TRILHO_BOLETOS: JSON.stringify(boletos) } });
  try {
    const made = await other.post('/charges', boletoBody({ expireAt: '2026-12-30T12:00:00Z' }));
    assert.equal(made.status, 201, made.text);
    await other.runJobs();
    for (const step of ['files', 'returns']) {
      const { status, text } = await other.post(`/sandbox/banks/${encodeURIComponent('bank341:main')}/${step}`, {});
      assert.equal(status, 200, text);
      await other.runJobs();
    }
    const path = await pathOf(other, made.json.id);
    assert.match(await textOf(path, other), /Receiver Padaria São João Ltda CNPJ 11\.222\.333\/0001-81 Amount/);
    await pay(other, made.json.id, { method: 'boleto' });
    assert.match(await textOf(path, other), /Receiver Padaria São João Ltda Payer/);
  } finally {
    await other.stop();
  }
});

test('a boleto that carries a pix code can be paid by that code, if there is no other', async () => {
  const at = await startServiceAtBank('sicoob');
  try {
    const { json, text } = await at.create();
    assert.ok(json.boleto.emv, text);
    const page = await (await fetch(at.service.url + (await pathOf(at.service, json.id)))).text();
    assert.ok(page.includes(`>${json.boleto.emv}</textarea>`), 'the whole code');
    assert.match(page, /class="qr"/);
    assert.match(page, /Pague este boleto por Pix/);
  } finally {
    await at.stop();
  }
});
