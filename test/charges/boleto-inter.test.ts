// Boletos at a bank that accepts a request, registers it later and notifies. Rarer cases: boleto-inter.deep.test.ts.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { BOLETO_RAIL } from '../harness/boleto-bank.ts';
import { provesOnce } from '../harness/boleto-once.ts';
import { LATE_LIST, type ServiceAtInter, startServiceAtInter } from '../harness/inter-bank.ts';

let at: ServiceAtInter;
before(async () => {
  at = await startServiceAtInter();
});
after(() => at.stop());

test('a boleto that the bank registers while the caller waits is in the first answer, with the number of the bank', async () => {
  const { status, json, text } = await at.create({ taxes: { fine: 2, interest: 1 } });
  assert.equal(status, 201, text);
  assert.equal(json.boleto.status, 'REGISTERED', text);
  const title = at.title(json.boleto.digitableLine);
  assert.equal(title.ownNumber, '0000000001');
  assert.equal(json.boleto.emv, title.emv);
  assert.partialDeepStrictEqual(title.request, { multa: { taxa: 2 }, mora: { taxa: 1 }, numDiasAgenda: 30 });
  assert.equal((await at.service.get(`/charges/${json.id}/boleto.pdf`)).status, 200);
});

test("a boleto below the bank's minimum is refused with the name of its field", async () => {
  const { status, json } = await at.create({ amountCents: 249 });
  assert.deepEqual([status, json.errors?.[0]?.path], [422, 'amountCents'], JSON.stringify(json));
  assert.equal((await at.create({ amountCents: 250 })).json.boleto.status, 'REGISTERED');
});

test('one that takes longer is sent once and looked up until it is registered', async () => {
  at.psp.setTitles({ processing: 6 });
  const before = at.posts();
  const { json } = await at.create();
  assert.deepEqual([json.boleto.status, json.boleto.digitableLine], ['CREATING', undefined]);
  at.psp.setTitles({ processing: 1 });
  for (let look = 0; look < 4; look++) await at.later();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert.equal(at.posts() - before, 1);
});

test('a notification makes the service look up the decision at once', async () => {
  await at.registerWebhook();
  at.psp.setTitles({ processing: 4 });
  const { json } = await at.create();
  at.psp.setTitles({ processing: 1 });
  assert.equal(json.boleto.status, 'CREATING');
  const title = at.titles().at(-1)!;
  const [row] = await at.service.sql<{ bank_id: string }>('select bank_id from charge_methods where charge_id = $1', [
    json.id,
  ]);
  // The last of four lookups registers it, and the bank notifies.
  await at.fetchCobranca(row!.bank_id);
  await at.psp.settled();
  assert.equal(at.psp.notifications().at(-1)?.status, 'delivered');
  await at.service.runJobs();
  assert.equal((await at.read(json.id)).boleto.digitableLine, title.line);
});

test('a payment is notified, looked up and recorded once', async () => {
  const { json } = await at.create();
  await at.psp.payTitle({ line: json.boleto.digitableLine });
  await at.psp.settled();
  await at.service.runJobs();
  const charge = await at.read(json.id);
  assert.deepEqual([charge.state, charge.payments.length], ['PAID', 1]);
  await at.later();
  assert.equal((await at.read(json.id)).payments.length, 1);
});

test("a payment without a notification is found in the bank's list", async () => {
  at.psp.setFault({ kind: 'notify-drop' });
  const { json } = await at.create();
  await at.psp.payTitle({ line: json.boleto.digitableLine });
  at.psp.clearFaults();
  await at.later();
  assert.equal((await at.read(json.id)).state, 'PAID');
});

test('a notification of a payment that never happened changes nothing', async () => {
  const { json } = await at.create();
  const { ownNumber } = at.title(json.boleto.digitableLine);
  const [row] = await at.service.sql<{ bank_id: string }>('select bank_id from charge_methods where charge_id = $1', [
    json.id,
  ]);
  const notice = {
    codigoSolicitacao: row!.bank_id,
    seuNumero: ownNumber,
    situacao: 'RECEBIDO',
    valorTotalRecebido: '9.99',
  };
  await at.service.sql(
    'insert into notifications (id, rail, body, received_at) values (gen_random_uuid(), $1, $2, now())',
    [BOLETO_RAIL, JSON.stringify([notice])],
  );
  await at.later();
  assert.equal((await at.read(json.id)).payments.length, 0);
});

test("when the bank refuses, the boleto fails with the bank's reason", async () => {
  at.psp.setTitles({ processing: 1, failure: 'Pagador com restrição' });
  const { json } = await at.create();
  at.psp.setTitles({ processing: 1 });
  assert.deepEqual([json.boleto.status, json.boleto.reason], ['FAILED', 'FALHA_EMISSAO: Pagador com restrição']);
  const address = { street: 'Rua', city: 'Recife', state: 'PE', postalCode: '1' };
  const customer = { name: 'Maria', document: '529.982.247-25', address };
  const refused = await at.create({ customer });
  assert.match(refused.json.boleto.reason, /cobranca\.pagador\.cep/);
});

test('a bank that loses its answer has the boleto once', () =>
  provesOnce(at, { kind: 'lost-reply' }, { path: '/cobrancas', looks: 3 }));

test('a request that is not listed at once is not sent again within two minutes', async () => {
  const before = at.posts();
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/cobrancas' }, count: 1 });
  at.psp.setFault(LATE_LIST);
  const { json } = await at.create();
  await at.service.runJobs();
  await at.later();
  at.psp.clearFaults();
  await at.later();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert.equal(at.posts() - before, 1);
});

test('a second boleto of a charge, which the bank shows late, is canceled there; the one that was handed out can be paid', async () => {
  const { id, repeat, line } = await at.createTwice();
  at.psp.clearFaults();
  await at.later();
  assert.deepEqual([at.title(repeat).status, at.title(line).status], ['written_off', 'open']);
  await at.psp.payTitle({ line });
  await at.later();
  assert.equal((await at.read(id)).payments.length, 1);
});

test('a charge that is canceled is canceled at the bank, also while the bank still works on it', async () => {
  const made = await at.create();
  at.psp.setTitles({ processing: 5 });
  const waiting = await at.create();
  at.psp.setTitles({ processing: 1 });
  for (const { json } of [made, waiting]) {
    assert.equal((await at.service.post(`/charges/${json.id}/cancel`, {})).status, 200);
  }
  for (let look = 0; look < 6; look++) await at.later();
  assert.deepEqual(
    at
      .titles()
      .slice(-2)
      .map(({ status }) => status),
    ['written_off', 'written_off'],
  );
});

test('a boleto that is paid by its code is one payment, reported as a boleto and as a pix', async () => {
  const { json } = await at.create();
  await at.psp.pay({ emv: json.boleto.emv });
  await at.psp.settled();
  await at.later();
  await at.later();
  const charge = await at.read(json.id);
  assert.deepEqual([charge.state, charge.payments.length, charge.payments[0].method], ['PAID', 1, 'boleto']);
  const payments = await at.service.sql<{ reference: string; also_reported_as: string }>(
    'select reference, also_reported_as from payments where charge_id = $1',
    [json.id],
  );
  assert.equal(payments[0]?.also_reported_as === null, false);
  assert.deepEqual((await at.service.get('/payments/unmatched')).json.payments, []);
});

test('an expiry of more than sixty days is refused before anything is sent', async () => {
  const dueAt = '2026-12-10T12:00:00Z';
  const { status, text } = await at.create({ dueAt, expireAt: '2027-03-10T12:00:00Z' });
  assert.equal(status, 422, text);
});
