// Payments that a PSP tells of, beside the plain way: a changed key, two rails with one key, a person who records the same money,
// money that has gone back, and lists that cannot be read.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
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
): Promise<{ id: string; emv: string }> {
  const { status, json, text } = await service.post('/charges', chargeBody({ methods: ['pix'], customer }), headers);
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

/** A second node of the service, with other rails. It has the clock of the first. */
async function startBeside(rails: readonly object[]): Promise<Service> {
  return startService({ mode: 'live', env: { TRILHO_RAILS: JSON.stringify(rails) }, beside: at.service });
}

const silentSince = async () =>
  (await at.service.sql<{ at: Date | null }>('select silent_since as at from rails where name = $1', [RAIL]))[0]?.at;

test('a payment of a charge is taken after the key of its rail was changed', async t => {
  const { id, emv } = await create();
  const changed = await startBeside([railSettings(at.psp, { pixKey: at.psp.client.keys[1]! })]);
  t.after(() => changed.stop());
  await at.psp.pay({ emv });
  const { endToEndId: stranger } = await toKey('1.00');
  await look(changed);
  assert.equal((await read(id)).state, 'PAID');
  assert.ok(!(await unmatched()).includes(stranger), 'money to a key that is not this rail’s concerns nobody here');
  await look();
});

test('one pix is one payment, whoever tells of it', async () => {
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

test('a pix that was typed in before the PSP lists it is found to be the same', async () => {
  const { id, emv } = await create();
  const { endToEndId } = await at.psp.pay({ emv });
  assert.equal((await record(id, endToEndId)).status, 201);
  await look();
  assert.equal((await read(id)).payments.length, 1);
});

test('a charge whose bank tells of payments takes no payment under another name', async () => {
  const { id, emv } = await create();
  const refused = await record(id, 'comprovante 17');
  assert.equal(refused.status, 409);
  assert.match(refused.json.detail, /endToEndId/);
  await at.psp.pay({ emv });
  await look();
  assert.equal((await read(id)).payments.length, 1);
});

test('money that has gone back while it waited for a person pays nothing', async () => {
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

test('a list that is not there is no list without payments', async () => {
  const { id, emv } = await create();
  const fault = at.psp.setFault({ kind: 'status', status: 404, on: { method: 'GET', path: '/pix' } });
  await at.psp.pay({ emv });
  await look();
  assert.ok(await silentSince());
  at.service.clock.advanceMs(60 * 60_000);
  await look();
  at.psp.clearFaults(fault);
  await look();
  assert.equal((await read(id)).state, 'PAID', 'an hour later it is still asked for');
  assert.equal(await silentSince(), null);
});

test('words of the PSP that cannot be stored do not stop the look', async () => {
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
  // A new rail is first asked about the time since its start.
  await look(both);
  for (const { id } of [old, fresh]) assert.equal((await read(id)).payments.length, 1);
});

test('a start that is refused for want of a rail records none', async () => {
  await create();
  await assert.rejects(startBeside([railSettings(at.psp, { name: 'efi:renamed' })]), /not configured: efi:main/);
  assert.deepEqual(await at.service.sql(`select name from rails where name = 'efi:renamed'`), []);
});
