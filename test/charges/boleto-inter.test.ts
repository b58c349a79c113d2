// Boletos at a bank that takes a request, registers it later and tells of it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { loadBoletoApiRail } from '../../src/rails/boleto-api/load.ts';
import { apiEntry, BOLETO_RAIL, type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { silentLog } from '../harness/log.ts';

let at: ServiceAtBank;
let webhookUrl: string;
before(async () => {
  at = await startServiceAtBank('inter', { hasPix: true, api: { webhook: { url: 'https://localhost' } } });
  const [row] = await at.service.sql<{ path_token: string }>('select path_token from rails where name = $1', [
    BOLETO_RAIL,
  ]);
  webhookUrl = `${at.service.receiverUrl!.replace('127.0.0.1', 'localhost')}/${row!.path_token}`;
});
after(() => at.stop());

async function registerWebhook(url: string): Promise<void> {
  const entry = apiEntry(at.psp);
  const loaded = loadBoletoApiRail({ ...entry, api: entry.api! }, { clock: at.service.clock, log: silentLog });
  assert('rail' in loaded);
  await loaded.rail.webhook!.registerWebhook(url);
  assert.deepEqual(await loaded.rail.webhook!.readWebhook(), { url });
  loaded.rail.stop();
}

const titles = () => at.psp.state().titles;
const posts = () => at.psp.requests().filter(({ method, path }) => method === 'POST' && path === '/cobrancas').length;
async function later(): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await at.service.runJobs();
}

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

test('one that takes longer is asked for until it is registered, and sent once', async () => {
  at.psp.setTitles({ processing: 6 });
  const before = posts();
  const { json } = await at.create();
  assert.deepEqual([json.boleto.status, json.boleto.digitableLine], ['CREATING', undefined]);
  at.psp.setTitles({ processing: 1 });
  for (let look = 0; look < 4; look++) await later();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert.equal(posts() - before, 1);
});

test('a notification of the bank asks for the decision at once', async () => {
  await registerWebhook(webhookUrl);
  at.psp.setTitles({ processing: 4 });
  const { json } = await at.create();
  at.psp.setTitles({ processing: 1 });
  assert.equal(json.boleto.status, 'CREATING');
  const title = titles().at(-1)!;
  const [row] = await at.service.sql<{ bank_id: string }>('select bank_id from charge_methods where charge_id = $1', [
    json.id,
  ]);
  // The last question of four opens it, and the bank tells of it.
  await fetchCobranca(row!.bank_id);
  await at.psp.settled();
  assert.equal(at.psp.notifications().at(-1)?.status, 'delivered');
  await at.service.runJobs();
  assert.equal((await at.read(json.id)).boleto.digitableLine, title.line);
});

async function fetchCobranca(code: string): Promise<void> {
  const entry = apiEntry(at.psp);
  const loaded = loadBoletoApiRail({ ...entry, api: entry.api! }, { clock: at.service.clock, log: silentLog });
  assert('rail' in loaded && loaded.rail.watch?.by === 'time');
  assert.equal(await loaded.rail.watch.receipt(code), undefined);
  loaded.rail.stop();
}

test('a payment is told, asked for and recorded once', async () => {
  const { json } = await at.create();
  await at.psp.payTitle({ line: json.boleto.digitableLine });
  await at.psp.settled();
  await at.service.runJobs();
  const charge = await at.read(json.id);
  assert.deepEqual([charge.state, charge.payments.length], ['PAID', 1]);
  await later();
  assert.equal((await at.read(json.id)).payments.length, 1);
});

test('a payment of which the bank does not tell is found in its list', async () => {
  at.psp.setFault({ kind: 'notify-drop' });
  const { json } = await at.create();
  await at.psp.payTitle({ line: json.boleto.digitableLine });
  at.psp.clearFaults();
  await later();
  assert.equal((await at.read(json.id)).state, 'PAID');
});

test('a notification of a payment that is none changes nothing', async () => {
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
  await later();
  assert.equal((await at.read(json.id)).payments.length, 0);
});

test('a refusal is the end of the boleto, in the words of the bank', async () => {
  at.psp.setTitles({ processing: 1, failure: 'Pagador com restrição' });
  const { json } = await at.create();
  at.psp.setTitles({ processing: 1 });
  assert.deepEqual([json.boleto.status, json.boleto.reason], ['FAILED', 'FALHA_EMISSAO: Pagador com restrição']);
  const address = { street: 'Rua', city: 'Recife', state: 'PE', postalCode: '1' };
  const customer = { name: 'Maria', document: '529.982.247-25', address };
  const refused = await at.create({ customer });
  assert.match(refused.json.boleto.reason, /cobranca\.pagador\.cep/);
});

for (const fault of [
  { kind: 'lost-reply' },
  { kind: 'timeout-after' },
  { kind: 'status', status: 500 },
  { kind: 'cut' },
  { kind: 'status', status: 429, retryAfterSeconds: 1 },
] as const) {
  test(`a bank with the fault ${Object.values(fault).join(' ')} has the boleto once`, async () => {
    at.psp.setFault({ ...fault, on: { method: 'POST', path: '/cobrancas' }, count: 1 });
    const { json } = await at.create();
    at.psp.clearFaults();
    for (let look = 0; look < 3; look++) await later();
    const { boleto } = await at.read(json.id);
    assert.equal(boleto.status, 'REGISTERED');
    const { ownNumber } = at.title(boleto.digitableLine);
    assert.equal(titles().filter(title => title.ownNumber === ownNumber).length, 1);
  });
}

const LATE_LIST = { kind: 'stale-read', delayMs: 600_000, on: { method: 'GET', path: '/cobrancas' } } as const;

/** The answer to the first request is lost, and the bank does not list it before the second is sent. */
async function createTwice(body = {}, status = 'REGISTERED'): Promise<{ id: string; repeat: string; line: string }> {
  const before = titles().length;
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/cobrancas' }, count: 1 });
  at.psp.setFault(LATE_LIST);
  at.psp.setTitles({ processing: 0 });
  const { json } = await at.create(body);
  for (let look = 0; look < 3; look++) await later();
  at.psp.setTitles({ processing: 1 });
  const { boleto } = await at.read(json.id);
  const made = titles().slice(before);
  assert.deepEqual([boleto.status, made.length], [status, 2]);
  assert.equal(boleto.digitableLine, made[1]?.line);
  return { id: json.id, repeat: made[0]!.line, line: made[1]!.line };
}

test('a request that is not listed at once is not sent again within two minutes', async () => {
  const before = posts();
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/cobrancas' }, count: 1 });
  at.psp.setFault(LATE_LIST);
  const { json } = await at.create();
  await at.service.runJobs();
  await later();
  at.psp.clearFaults();
  await later();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert.equal(posts() - before, 1);
});

test('the two minutes count from the sending, however late it was', async () => {
  const before = posts();
  const [lost, busy] = [{ kind: 'lost-reply' }, { kind: 'status', status: 503 }] as const;
  const on = { method: 'POST', path: '/cobrancas' };
  at.psp.setFault({ ...busy, on });
  const { json } = await at.create();
  for (let look = 0; look < 3; look++) await later();
  at.psp.clearFaults();
  at.psp.setFault({ ...lost, on, count: 1 });
  at.psp.setFault(LATE_LIST);
  const tried = posts();
  while (posts() === tried) await later();
  await later();
  assert.equal(posts() - tried, 1);
  at.psp.clearFaults();
  await later();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert(tried > before);
});

test('however often a request is sent again, one job looks for what the bank has made of it', async () => {
  const before = posts();
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/cobrancas' }, count: 3 });
  at.psp.setFault(LATE_LIST);
  const { json } = await at.create();
  while (posts() < before + 4) await later();
  const jobs = await at.service.sql(
    "select from pgboss.job where name = 'charge.withdraw_repeats' and data ->> 'chargeId' = $1",
    [json.id],
  );
  assert.equal(jobs.length, 1);
  at.psp.clearFaults();
  for (let look = 0; look < 3; look++) await later();
  const { boleto } = await at.read(json.id);
  assert.equal(boleto.status, 'REGISTERED');
  const { ownNumber } = at.title(boleto.digitableLine);
  const open = titles().filter(title => title.ownNumber === ownNumber && title.status === 'open');
  assert.deepEqual(
    open.map(({ line }) => line),
    [boleto.digitableLine],
  );
});

test('a payment of a boleto of others with the same number pays no charge', async () => {
  const { json } = await at.create();
  const { ownNumber } = at.title(json.boleto.digitableLine);
  const entry = apiEntry(at.psp);
  const loaded = loadBoletoApiRail({ ...entry, api: entry.api! }, { clock: at.service.clock, log: silentLog });
  assert('rail' in loaded);
  const charge = await at.read(json.id);
  const same = { amountCents: 10_000n, dueDay: charge.dueAt.slice(0, 10) };
  for (const terms of [same, { ...same, amountCents: 700n }]) {
    const count = titles().length;
    const made = await loaded.rail.submit(
      {
        id: json.id,
        createdAt: at.service.clock.now(),
        expireAt: new Date(charge.expireAt),
        expireDay: charge.expireAt.slice(0, 10),
        ...terms,
        payer: { name: 'Ana', document: '52998224725', address: { ...charge.customer.address } },
      },
      ownNumber,
    );
    assert(made.kind === 'accepted' && made.bankId, made.kind);
    await fetchCobranca(made.bankId);
    await at.psp.payTitle({ line: titles()[count]!.line });
    await at.psp.settled();
    await later();
    assert.equal((await at.read(json.id)).payments.length, 0);
  }
  loaded.rail.stop();
  const { payments } = (await at.service.get('/payments/unmatched')).json;
  assert.equal(payments.length, 2);
  for (const { reference } of payments) {
    assert.equal((await at.service.post('/payments/unmatched/dismiss', { reference })).status, 200);
  }
});

test('a second boleto of a charge, which the bank shows late, is canceled there; the one that was handed out can be paid', async () => {
  const { id, repeat, line } = await createTwice();
  at.psp.clearFaults();
  await later();
  assert.deepEqual([at.title(repeat).status, at.title(line).status], ['written_off', 'open']);
  await at.psp.payTitle({ line });
  await later();
  assert.equal((await at.read(id)).payments.length, 1);
});

test('the boleto that was handed out can still be paid when it is overdue by the time the bank shows the other', async () => {
  const dueAt = new Date(at.service.clock.now().getTime() + 60_000).toISOString();
  const { repeat, line } = await createTwice({ dueAt }, 'OVERDUE');
  at.psp.clearFaults();
  await later();
  assert.deepEqual([at.title(repeat).status, at.title(line).status], ['written_off', 'open']);
});

test('a second boleto that was paid pays the charge, and the other is canceled', async () => {
  const { id, repeat, line } = await createTwice();
  await at.psp.payTitle({ line: repeat });
  at.psp.clearFaults();
  await later();
  await later();
  const charge = await at.read(id);
  assert.deepEqual([charge.state, charge.payments.length], ['PAID', 1]);
  assert.equal(at.title(line).status, 'written_off');
});

test('both boletos of a canceled charge are canceled', async () => {
  const { id, repeat, line } = await createTwice();
  assert.equal((await at.service.post(`/charges/${id}/cancel`, {})).status, 200);
  at.psp.clearFaults();
  await later();
  assert.deepEqual([at.title(repeat).status, at.title(line).status], ['written_off', 'written_off']);
});

test('a charge that is canceled is canceled at the bank, also while the bank still works on it', async () => {
  const made = await at.create();
  at.psp.setTitles({ processing: 5 });
  const waiting = await at.create();
  at.psp.setTitles({ processing: 1 });
  for (const { json } of [made, waiting]) {
    assert.equal((await at.service.post(`/charges/${json.id}/cancel`, {})).status, 200);
  }
  for (let look = 0; look < 6; look++) await later();
  assert.deepEqual(
    titles()
      .slice(-2)
      .map(({ status }) => status),
    ['written_off', 'written_off'],
  );
});

test('a boleto that is paid by its code is one payment, told as a boleto and as a pix', async () => {
  const { json } = await at.create();
  await at.psp.pay({ emv: json.boleto.emv });
  await at.psp.settled();
  await later();
  await later();
  const charge = await at.read(json.id);
  assert.deepEqual([charge.state, charge.payments.length, charge.payments[0].method], ['PAID', 1, 'boleto']);
  const told = await at.service.sql<{ reference: string; also_reported_as: string }>(
    'select reference, also_reported_as from payments where charge_id = $1',
    [json.id],
  );
  assert.equal(told[0]?.also_reported_as === null, false);
  assert.deepEqual((await at.service.get('/payments/unmatched')).json.payments, []);
});

test('an expiry of more than sixty days is refused before anything is sent', async () => {
  const dueAt = '2026-12-10T12:00:00Z';
  const { status, text } = await at.create({ dueAt, expireAt: '2027-03-10T12:00:00Z' });
  assert.equal(status, 422, text);
});
