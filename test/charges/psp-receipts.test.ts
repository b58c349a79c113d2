// Payments that a PSP reports in unusual cases: a changed key, two rails with one key, a person who records the same money,
// returned money, and lists that cannot be read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { uuidV7 } from '../../src/lib/ids.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { RAIL, railSettings, type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';

let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp();
});
after(() => at.stop());

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };

async function create(
  service: Service = at.service,
  headers: Record<string, string> = {},
  amountCents = 15_990,
): Promise<{ id: string; emv: string }> {
  const body = chargeBody({ methods: ['pix'], customer, amountCents });
  const { status, json, text } = await service.post('/charges', body, headers);
  assert.equal(status, 201, text);
  return { id: json.id, emv: json.pix.emv };
}

const read = async (id: string) => (await at.service.get(`/charges/${id}`)).json;
const record = (id: string, reference: string) =>
  at.service.post(`/charges/${id}/payments`, { amountCents: 15_990, reference });
const toKey = (valor = '159.90') => at.psp.pay({ chave: at.psp.client.keys[0]!, valor });
const unmatched = async () =>
  (await at.service.get('/payments/unmatched')).json.payments.map(({ reference }: { reference: string }) => reference);

async function look(service: Service = at.service): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await service.runJobs();
}

/** A second node of the service, with other rails and a static key. It has the clock of the first. */
async function startBeside(rails: readonly object[]): Promise<Service> {
  const staticKey = { TRILHO_PIX_KEY: 'loja@example.com', TRILHO_PIX_NAME: 'Loja', TRILHO_PIX_CITY: 'Recife' };
  return startService({
    mode: 'live',
    env: { ...staticKey, TRILHO_RAILS: JSON.stringify(rails) },
    beside: at.service,
  });
}

const silentSince = async () =>
  (await at.service.sql<{ at: Date | null }>('select silent_since as at from rails where name = $1', [RAIL]))[0]?.at;

test('a payment of a charge is recorded after the key of its rail was changed', async t => {
  const { id, emv } = await create();
  const changed = await startBeside([railSettings(at.psp, { pixKey: at.psp.client.keys[1]! })]);
  t.after(() => changed.stop());
  await at.psp.pay({ emv });
  const { endToEndId: stranger } = await toKey('1.00');
  await look(changed);
  assert.equal((await read(id)).state, 'PAID');
  assert.ok(!(await unmatched()).includes(stranger), 'money to an unknown key is not kept');
  await look();
});

test('one pix is one payment, whatever source reports it', async () => {
  const [first, second] = [await create(), await create()];
  const { endToEndId } = await toKey();
  await look();
  assert.ok((await unmatched()).includes(endToEndId));
  assert.equal((await record(first.id, endToEndId)).status, 201);
  const again = await record(second.id, endToEndId);
  assert.deepEqual([again.status, again.json.code], [409, 'reference_conflict']);
  await look();
  assert.ok(!(await unmatched()).includes(endToEndId));
  at.psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
  await look();
  assert.equal((await read(first.id)).state, 'REFUNDED');
});

test('a pix that a person recorded before the PSP lists it is matched to that payment', async () => {
  const { id, emv } = await create();
  const { endToEndId } = await at.psp.pay({ emv });
  assert.equal((await record(id, endToEndId)).status, 201);
  await look();
  assert.equal((await read(id)).payments.length, 1);
});

test('a charge whose bank reports payments refuses a payment under another reference', async () => {
  const { id, emv } = await create();
  const refused = await record(id, 'comprovante 17');
  assert.equal(refused.status, 409);
  assert.match(refused.json.detail, /endToEndId/);
  await at.psp.pay({ emv });
  await look();
  assert.equal((await read(id)).payments.length, 1);
});

test('money that was returned while it waited for a person pays nothing', async () => {
  const { id } = await create();
  const { endToEndId } = await toKey();
  await look();
  at.psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
  await look();
  const { json } = await at.service.get('/payments/unmatched');
  const kept = json.payments.find(({ reference }: { reference: string }) => reference === endToEndId);
  assert.equal(kept.returnedCents, 15_990);
  const refused = await record(id, endToEndId);
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
  assert.equal((await read(id)).state, 'ACTIVE');
});

test('a missing list is not an empty list', async () => {
  const { id, emv } = await create();
  const fault = at.psp.setFault({ kind: 'status', status: 404, on: { method: 'GET', path: '/pix' } });
  await at.psp.pay({ emv });
  await look();
  assert.ok(await silentSince());
  at.service.clock.advanceMs(60 * 60_000);
  await look();
  at.psp.clearFaults(fault);
  await look();
  assert.equal((await read(id)).state, 'PAID', 'it is still looked for an hour later');
  assert.equal(await silentSince(), null);
});

test('text of the PSP that cannot be stored does not stop the look', async () => {
  const [refunded, paid] = [await create(), await create()];
  const { endToEndId } = await at.psp.pay({ emv: refunded.emv });
  await look();
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: null });
  const { json: refund } = await at.service.post(`/charges/${refunded.id}/refunds`, {});
  await at.service.runJobs();
  const id = refund.id.replaceAll('-', '');
  at.psp.endRefund({ endToEndId, id, status: 'NAO_REALIZADO', motivo: 'conta \0encerrada\ud800' });
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  await at.psp.pay({ emv: paid.emv });
  await look();
  assert.equal((await read(paid.id)).state, 'PAID');
  const [failed] = (await read(refunded.id)).refunds;
  assert.equal(failed.status, 'FAILED');
  assert.match(failed.reason, /^conta +encerrada/);
});

test('a return is taken from the charge that has the payment, on any rail', async t => {
  const both = await startBeside([railSettings(at.psp, { accounts: ['beta'] })]);
  t.after(() => both.stop());
  const { text: key } = await at.service.makeKey('acme');
  const onStaticKey = await create(both, { authorization: `Bearer ${key}` });
  const { endToEndId } = await toKey();
  await look(both);
  assert.equal((await record(onStaticKey.id, endToEndId)).status, 201);
  // It is the same pix in upper and lower case, and on either rail.
  const { id } = await create();
  assert.equal((await record(id, endToEndId.toLowerCase())).json.code, 'reference_conflict');
  at.psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
  await look(both);
  assert.equal((await read(onStaticKey.id)).state, 'REFUNDED');
});

test('a return is taken from a charge that a person chose, also with an amount that a person mistyped', async () => {
  const [named, chosen, mistyped] = [await create(), await create(), await create()];
  const { endToEndId } = await at.psp.pay({ emv: named.emv });
  assert.equal((await record(chosen.id, endToEndId)).status, 201);
  const other = await at.psp.pay({ emv: mistyped.emv });
  const typed = { amountCents: 15_900, reference: other.endToEndId };
  assert.equal((await at.service.post(`/charges/${mistyped.id}/payments`, typed)).status, 201);
  await look();
  at.psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
  at.psp.medReturn({ endToEndId: other.endToEndId, natureza: 'MED_FRAUDE', valor: '10.00' });
  await look();
  assert.equal((await read(chosen.id)).state, 'REFUNDED');
  const partly = await read(mistyped.id);
  assert.deepEqual([partly.state, partly.pix.status], ['PARTIALLY_PAID', 'PARTIALLY_REFUNDED']);
});

test('returns of waiting money are recorded after a change of the key, and dropped when they fail', async t => {
  const { endToEndId } = await toKey();
  await look();
  const changed = await startBeside([railSettings(at.psp, { pixKey: at.psp.client.keys[1]! })]);
  t.after(() => changed.stop());
  // The operator refunds it at the PSP itself.
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: null });
  const atPsp = bacenRail(railSettings(at.psp), { clock: at.service.clock, log: silentLog });
  t.after(() => atPsp.stop());
  const id = uuidV7(at.service.clock.now());
  await atPsp.refund({ id, paymentReference: endToEndId, amountCents: 15_990n });
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  await look(changed);
  const kept = async () => {
    const { json } = await at.service.get('/payments/unmatched?pageSize=100');
    return json.payments.find(({ reference }: { reference: string }) => reference === endToEndId);
  };
  assert.equal((await kept()).returnedCents, 15_990);
  at.psp.endRefund({ endToEndId, id: id.replaceAll('-', ''), status: 'NAO_REALIZADO' });
  await look(changed);
  assert.equal((await kept()).returnedCents, undefined);
  await look();
});

test('the amount from the bank takes precedence over that of a statement', async () => {
  const { id, emv } = await create();
  const { endToEndId } = await at.psp.pay({ emv });
  const ofStatement = `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
    values ($1, $2, 15891, 'PIX RECEBIDO', $2)`;
  await at.service.sql(ofStatement, [endToEndId, at.service.clock.now()]);
  await look();
  assert.equal((await read(id)).state, 'PAID');
  assert.ok(!(await unmatched()).includes(endToEndId));
});

test("a payment reported by the bank marks a statement's receipt of the same amount and day", async () => {
  const { id, emv } = await create(at.service, {}, 7_301);
  const day = at.service.clock.now().toISOString().slice(0, 10).split('-').reverse().join('/');
  const csv = `Data;Valor;Descrição\n${day};73,01;PIX RECEBIDO MARIA\n${day};73,02;PIX RECEBIDO JOSE\n`;
  const upload = await at.service.send('/statements', {
    ...{ method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } },
  });
  assert.deepEqual([upload.status, upload.json.statement.counts.unmatched], [201, 2], upload.text);
  const { endToEndId } = await at.psp.pay({ emv });
  await look();
  assert.equal((await read(id)).state, 'PAID');
  const waiting: { amountCents: number; reason: string; duplicateOf?: string; words: string }[] = (
    await at.service.get('/payments/unmatched')
  ).json.payments;
  const ofStatement = waiting.filter(({ words }) => words.startsWith('PIX RECEBIDO'));
  assert.deepEqual(
    ofStatement.map(({ amountCents, reason, duplicateOf }) => [amountCents, reason, duplicateOf]).sort(),
    [
      [7_301, 'possible_duplicate', endToEndId],
      [7_302, 'no_match', undefined],
    ],
  );
});

test('a rail and its former name list the same payments', async t => {
  const old = await create();
  const both = await startBeside([railSettings(at.psp, { name: 'efi:new' }), railSettings(at.psp, { former: true })]);
  t.after(() => both.stop());
  const { text: key } = await at.service.makeKey('acme');
  const fresh = await create(both, { authorization: `Bearer ${key}` });
  const references = [];
  for (const { emv } of [old, fresh]) references.push((await at.psp.pay({ emv })).endToEndId);
  await look(both);
  for (const { id } of [old, fresh]) assert.equal((await read(id)).payments.length, 1);
  const kept = await unmatched();
  assert.deepEqual(
    references.filter(reference => kept.includes(reference)),
    [],
  );
  // A new rail is first asked for payments since its start.
  await look(both);
  for (const { id } of [old, fresh]) assert.equal((await read(id)).payments.length, 1);
});

test('a start that is refused because a rail is missing records no rail', async () => {
  await create();
  await assert.rejects(startBeside([railSettings(at.psp, { name: 'efi:renamed' })]), /not configured: efi:main/);
  assert.deepEqual(await at.service.sql(`select name from rails where name = 'efi:renamed'`), []);
});

// The last one: it leaves charges on a rail of its own.
test('one pix on charges of two rails is recorded once, however close the reports are', async t => {
  const other = await startBeside([
    railSettings(at.psp, { name: 'efi:other', pixKey: at.psp.client.keys[1]! }),
    railSettings(at.psp, { name: 'efi:new', former: true }),
    railSettings(at.psp, { former: true }),
  ]);
  t.after(() => other.stop());
  const { text: key } = await at.service.makeKey('acme');
  const headers = { authorization: `Bearer ${key}` };
  for (let count = 0; count < 8; count++) {
    const [here, there] = [await create(), await create(other, headers)];
    const { endToEndId } = await toKey();
    const body = { amountCents: 15_990, reference: endToEndId };
    const answers = await Promise.all([
      at.service.post(`/charges/${here.id}/payments`, body),
      other.post(`/charges/${there.id}/payments`, body, headers),
    ]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
  }
});

test('a payment that cannot be recorded stops no other, waits for a person, and is recorded once it can be', async () => {
  const [bad, good] = [await create(), await create()];
  const { endToEndId } = await at.psp.pay({ emv: bad.emv });
  await at.psp.pay({ emv: good.emv });
  await at.service.sql(`alter table payments add constraint no_such check (reference <> '${endToEndId}') not valid`);
  const seenUntil = async () =>
    (await at.service.sql<{ at: Date }>('select seen_until as at from rails where name = $1', [RAIL]))[0]!.at;
  const before = await seenUntil();
  await look();
  assert.ok((await seenUntil()) > before, 'the look continued');
  assert.deepEqual([(await read(bad.id)).state, (await read(good.id)).state], ['ACTIVE', 'PAID']);
  assert.ok((await unmatched()).includes(endToEndId));
  await at.service.sql('alter table payments drop constraint no_such');
  await look();
  assert.equal((await read(bad.id)).state, 'PAID');
  assert.ok(!(await unmatched()).includes(endToEndId));
});
