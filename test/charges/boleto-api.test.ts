// Boletos that a bank registers by its API, from the request to the payment. The bank is simulated by its own documents.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { civilDay, DAY_MS } from '../../src/lib/civil-days.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { openBoletoApi } from '../../src/rails/boleto-apis/load.ts';
import { apiNumber } from '../../src/rails/boleto-apis/sicoob/number.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { agreementEntry } from '../harness/agreements.ts';
import { apiEntry, BOLETO_RAIL, type ServiceAtBank, startServiceAtBank } from '../harness/boleto-bank.ts';
import { provesOnce } from '../harness/boleto-once.ts';
import { silentLog } from '../harness/log.ts';

const ADDRESS = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };

let at: ServiceAtBank;
before(async () => {
  at = await startServiceAtBank('sicoob', { api: { contractNumber: '5' } });
});
after(() => at.stop());

test('a boleto is registered with the number of the agreement, its line and its pix code, in the first answer', async () => {
  const { status, json, text } = await at.create({ taxes: { fine: 2, interest: 1 } });
  assert.equal(status, 201, text);
  assert.equal(json.boleto.status, 'REGISTERED');
  const title = at.title(json.boleto.digitableLine);
  assert.equal(title.ownNumber, '0000001');
  assert.equal(json.boleto.emv, title.emv);
});

test('the bank has what was requested: due day, last day, fine, interest, payer', async () => {
  const { json } = await at.create({ amountCents: 15_990, taxes: { fine: 2, interest: 1 }, description: 'Aluguel' });
  const { request, ...title } = at.title(json.boleto.digitableLine);
  const charge = await at.read(json.id);
  assert.equal(title.valor, '159.90');
  assert.equal(title.dueOn, civilDay(new Date(charge.dueAt)));
  assert.equal(title.lastDay, civilDay(new Date(charge.expireAt)));
  assert.partialDeepStrictEqual(request, {
    tipoMulta: 2,
    valorMulta: 2,
    tipoJurosMora: 2,
    valorJurosMora: 1,
    mensagensInstrucao: ['Aluguel'],
    numeroContratoCobranca: 5,
    pagador: { numeroCpfCnpj: '52998224725', nome: 'Maria da Silva', cep: '01001000', uf: 'SP' },
  });
});

test('a boleto that is paid by its line is paid once, with amount, credit day and fee', async () => {
  const { json } = await at.create();
  const { digitableLine: line } = json.boleto;
  await at.psp.payTitle({ line });
  await at.look();
  await at.look();
  const charge = await at.read(json.id);
  assert.deepEqual([charge.state, charge.boleto.status, charge.paidAmount], ['PAID', 'PAID', 'exact']);
  assert.equal(charge.payments.length, 1);
  assert.deepEqual([charge.payments[0].feeCents, charge.payments[0].creditDay], [150, '2026-11-16']);
});

test('a charge that is canceled is written off at the bank', async () => {
  const { json } = await at.create();
  assert.equal((await at.service.post(`/charges/${json.id}/cancel`, {})).status, 200);
  await at.service.runJobs();
  assert.equal(at.title(json.boleto.digitableLine).status, 'written_off');
});

const posts = () => at.psp.requests().filter(({ method, path }) => method === 'POST' && path === '/boletos').length;
const faults = [
  { name: 'answers 500', kind: 'status', status: 500 },
  { name: 'loses its answer', kind: 'lost-reply' },
  { name: 'cuts the connection', kind: 'cut' },
  { name: 'answers with a page of its gateway', kind: 'html', status: 502 },
  { name: 'asks to retry later', kind: 'status', status: 503, retryAfterSeconds: 1 },
  { name: 'refuses the token', kind: 'expired-token' },
] as const;

for (const { name, ...fault } of faults) {
  test(`a bank that ${name} has the boleto exactly once`, () => provesOnce(at, fault, { path: '/boletos', looks: 1 }));
}

test('when the bank is slower than the caller waits, an event brings the line', async t => {
  const slow = await startServiceAtBank('sicoob', { env: { TRILHO_BANK_WAIT_MS: '50' } });
  t.after(() => slow.stop());
  slow.psp.setFault({ kind: 'slow', delayMs: 400, on: { method: 'POST', path: '/boletos' } });
  const { status, json } = await slow.create();
  assert.deepEqual([status, json.boleto.status, json.boleto.digitableLine], [201, 'CREATING', undefined]);
  slow.psp.clearFaults();
  slow.service.clock.advanceMs(60_000);
  await slow.service.runJobs();
  const { boleto } = await slow.read(json.id);
  assert.equal(boleto.status, 'REGISTERED');
  assert.equal(slow.psp.state().titles.length, 1);
  const events = await slow.service.sql<{ type: string }>('select type from events where object_id = $1', [json.id]);
  assert.ok(events.some(({ type }) => type === 'charge.active'));
});

test('while the bank is unavailable the boleto stays in creation, and nothing is sent again without a lookup', async () => {
  at.psp.setFault({ kind: 'cut' });
  const { status, json } = await at.create();
  assert.deepEqual([status, json.boleto.status, json.boleto.digitableLine], [201, 'CREATING', undefined]);
  at.psp.clearFaults();
  const before = posts();
  at.service.clock.advanceMs(60_000);
  await at.service.runJobs();
  assert.equal((await at.read(json.id)).boleto.status, 'REGISTERED');
  assert.equal(posts() - before, 1);
});

/** Another program of the same holder registers a boleto. */
async function registerAsOther(number: number, request: object): Promise<void> {
  const opened = openBoletoApi(
    { ...apiEntry(at.psp), api: apiEntry(at.psp).api! },
    { clock: at.service.clock, log: silentLog },
  );
  assert('opened' in opened);
  const { client, connections, settings } = opened.opened;
  const nossoNumero = apiNumber(settings.account, String(number).padStart(7, '0'));
  const body = { ...request, nossoNumero, seuNumero: 'NF 17' };
  const { kind } = await client.call({ method: 'POST', resource: 'boletos', body });
  connections.stop();
  assert.equal(kind, 'ok');
}

test("when the bank refuses, the boleto fails with the bank's reason", async () => {
  const customer = { name: 'Maria', document: '529.982.247-25', address: ADDRESS };
  const { json } = await at.create({ customer: { ...customer, address: { ...ADDRESS, postalCode: '1' } } });
  const { boleto } = await at.read(json.id);
  assert.equal(boleto.status, 'FAILED');
  assert.match(boleto.reason, /^5000: boleto\.pagador\.cep/);
  assert.equal(boleto.emv, undefined);
});

test('a number that another program has used is refused, and its boleto is not taken for ours', async () => {
  const first = await at.create();
  const { number, request } = at.title(first.json.boleto.digitableLine);
  const next = Number(number.slice(0, -1)) + 1;
  await registerAsOther(next, request);
  const { json } = await at.create();
  assert.equal(json.boleto.status, 'FAILED');
  assert.match(json.boleto.reason, /another boleto under this number/);
});

test('a boleto of another program is not taken for ours after a lost answer, and is not written off', async () => {
  const first = await at.create();
  const { number, request } = at.title(first.json.boleto.digitableLine);
  const next = Number(number.slice(0, -1)) + 1;
  // The request does not arrive, and the other program is faster than the next try.
  at.psp.setFault({ kind: 'timeout-before', on: { method: 'POST', path: '/boletos' }, count: 1 });
  const { json } = await at.create();
  at.psp.clearFaults();
  await registerAsOther(next, { ...request, identificacaoBoletoEmpresa: 'NF17' });
  const canceled = await at.create();
  assert.equal(json.boleto.status, 'CREATING');
  at.service.clock.advanceMs(60_000);
  await at.service.runJobs();
  const { boleto } = await at.read(json.id);
  assert.deepEqual([boleto.status, boleto.digitableLine], ['FAILED', undefined]);
  assert.match(boleto.reason, /another boleto under this number/);
  assert.equal(canceled.json.boleto.status, 'REGISTERED');
});

test('canceling a charge whose boleto never reached the bank writes off no boleto of another program', async () => {
  const first = await at.create();
  const { number, request } = at.title(first.json.boleto.digitableLine);
  at.psp.setFault({ kind: 'cut' });
  const { json } = await at.create();
  assert.equal((await at.service.post(`/charges/${json.id}/cancel`, {})).status, 200);
  at.psp.clearFaults();
  await registerAsOther(Number(number.slice(0, -1)) + 1, { ...request, identificacaoBoletoEmpresa: 'NF18' });
  at.service.clock.advanceMs(60_000);
  await at.service.runJobs();
  assert.equal(at.psp.state().titles.at(-1)?.status, 'open');
});

test('a boleto that a person has reported as paid is not paid again by the list of the bank, unless a person says so', async () => {
  const { json } = await at.create({ amountCents: 15_990 });
  const report = (reference: string) =>
    at.service.post(`/charges/${json.id}/payments`, { method: 'boleto', amountCents: 15_990, reference });
  assert.equal((await report('comprovante 7')).status, 201);
  // The bank dates it later than the person.
  at.service.clock.advanceMs(DAY_MS);
  await at.psp.payTitle({ line: json.boleto.digitableLine });
  await at.look();
  await at.look();
  assert.equal((await at.read(json.id)).payments.length, 1);
  const { payments } = (await at.service.get('/payments/unmatched')).json;
  const [waiting] = payments.filter(({ duplicateOf }: { duplicateOf?: string }) => duplicateOf === 'comprovante 7');
  assert.equal(waiting?.reason, 'possible_duplicate');
  assert.equal((await report(waiting.reference)).status, 201);
  await at.look();
  assert.equal((await at.read(json.id)).payments.length, 2);
});

test('an agreement by file and one by API must not assign the same numbers', () => {
  const boletos = [agreementEntry('756', { firstNumber: '900' }), apiEntry(at.psp)];
  const open = (entries: readonly AgreementEntry[]) =>
    liveRails({ rails: [], boletos: entries }, { clock: at.service.clock, log: silentLog });
  assert.throws(() => open(boletos), /^StartError: boletos\[0\] and boletos\[1\] are one agreement .* 900 to 9999999/);
  open([boletos[0]!, apiEntry(at.psp, { entry: { lastNumber: '899' } })]).stop();
  open([boletos[0]!, apiEntry(at.psp, { api: { environment: 'test', accessToken: 'x' } })]).stop();
});

test('a boleto that is paid late is paid with fine and interest', async () => {
  const { json } = await at.create({ taxes: { fine: 2, interest: 1 }, amountCents: 10_000 });
  const { dueAt } = await at.read(json.id);
  at.service.clock.advanceMs(Date.parse(dueAt) - at.service.clock.now().getTime() + 10 * DAY_MS);
  await at.psp.payTitle({ line: json.boleto.digitableLine });
  await at.look();
  const charge = await at.read(json.id);
  assert.deepEqual([charge.state, charge.timing, charge.paidAmount], ['PAID', 'late', 'exact']);
  // Two percent once, and one percent a month for ten days.
  assert.equal(charge.payments[0].amountCents, 10_233);
});

test('many days without a payment are read in one look', async () => {
  at.psp.setFault({ kind: 'status', status: 204, on: { method: 'GET', path: '/boletos/movimentacoes' } });
  const seen = async () => {
    const [row] = await at.service.sql<{ seen_until: Date; silent_since: Date | null }>(
      'select seen_until, silent_since from rails where name = $1',
      [BOLETO_RAIL],
    );
    return row!;
  };
  await at.service.sql("update rails set seen_until = seen_until - interval '20 days' where name = $1", [BOLETO_RAIL]);
  const before = await seen();
  await at.look();
  assert.deepEqual((await seen()).seen_until, before.seen_until, 'an empty list may be one that is still being made');
  at.service.clock.advanceMs(16 * 60_000);
  await at.service.runJobs();
  assert.deepEqual(await seen(), { seen_until: at.service.clock.now(), silent_since: null });
  at.psp.clearFaults();
});
