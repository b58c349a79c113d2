// Disputes that a PSP reports as returns with a nature of the MED: each is one dispute, however it becomes known.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';

let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp();
  await at.registerWebhook();
});
after(() => at.stop());

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };

/** The next look at the PSP is a minute later. */
async function look(): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await at.service.runJobs();
}

async function paid(): Promise<{ readonly chargeId: string; readonly endToEndId: string }> {
  const { json } = await at.service.post('/charges', chargeBody({ methods: ['pix'], customer }));
  const { endToEndId } = await at.psp.pay({ emv: json.pix.emv });
  await look();
  return { chargeId: json.id, endToEndId };
}

async function disputesOf(chargeId: string) {
  const { json } = await at.service.get(`/disputes?chargeId=${chargeId}`);
  return json.disputes as readonly Record<string, unknown>[];
}

async function eventsOf(id: unknown): Promise<string> {
  const { json } = await at.service.get(`/events?objectId=${id}`);
  return json.events.map(({ type }: { type: string }) => type).join(' ');
}

const pending = { natureza: 'MED_FRAUDE', status: 'EM_PROCESSAMENTO' } as const;

test('a return in process opens one dispute, however often and by whatever way it is reported', async () => {
  const { chargeId, endToEndId } = await paid();
  const { id: returned } = at.psp.medReturn({ endToEndId, ...pending });
  await at.psp.settled();
  await at.service.runJobs();
  await look();
  await look();
  await at.psp.forgeNotification({ url: at.webhookUrl, with: 'psp', pix: [{ endToEndId }] });
  await at.service.runJobs();
  const [dispute, ...others] = await disputesOf(chargeId);
  assert.deepEqual(others, []);
  assert.deepEqual(
    [dispute?.['status'], dispute?.['bankCode'], dispute?.['paymentReference'], dispute?.['returnReference']],
    ['open', 'MED_FRAUDE', endToEndId, returned],
  );
  at.psp.endRefund({ endToEndId, id: returned, status: 'DEVOLVIDO' });
  await look();
  await look();
  assert.equal((await disputesOf(chargeId))[0]?.['status'], 'lost');
  assert.equal(await eventsOf(dispute?.['id']), 'dispute.opened dispute.closed');
  assert.equal((await at.service.get(`/charges/${chargeId}`)).json.state, 'REFUNDED');
});

test('a return that the PSP does not carry out is a dispute that was won, with its reason', async () => {
  const { chargeId, endToEndId } = await paid();
  const { id } = at.psp.medReturn({ endToEndId, ...pending, valor: '59.90' });
  await look();
  at.psp.endRefund({ endToEndId, id, status: 'NAO_REALIZADO', motivo: 'Contestação recusada.' });
  await look();
  const [dispute] = await disputesOf(chargeId);
  assert.deepEqual(
    [dispute?.['status'], dispute?.['amountCents'], dispute?.['reason']],
    ['won', 5_990, 'MED_FRAUDE: Contestação recusada.'],
  );
  assert.equal((await at.service.get(`/charges/${chargeId}`)).json.state, 'PAID');
});

test('a return that is done when it becomes known is a dispute that was lost', async () => {
  const { chargeId, endToEndId } = await paid();
  at.psp.medReturn({ endToEndId, natureza: 'MED_OPERACIONAL' });
  await look();
  const [dispute] = await disputesOf(chargeId);
  assert.deepEqual(
    [dispute?.['status'], dispute?.['cause'], dispute?.['closedBy']],
    ['lost', 'operational_failure', 'bank'],
  );
  assert.equal(await eventsOf(dispute?.['id']), 'dispute.opened dispute.closed');
});

test('a refund that was requested at the PSP itself is no dispute', async () => {
  const { chargeId } = await paid();
  await at.service.post(`/charges/${chargeId}/refunds`, {});
  await look();
  assert.deepEqual(await disputesOf(chargeId), []);
});

test('two returns of one payment are two disputes', async () => {
  const { chargeId, endToEndId } = await paid();
  const first = at.psp.medReturn({ endToEndId, ...pending, valor: '100.00' });
  at.psp.medReturn({ endToEndId, ...pending });
  await look();
  at.psp.endRefund({ endToEndId, id: first.id, status: 'DEVOLVIDO' });
  await look();
  assert.deepEqual((await disputesOf(chargeId)).map(({ amountCents, status }) => `${amountCents} ${status}`).sort(), [
    '10000 lost',
    '5990 open',
  ]);
});

test('what a person has recorded is confirmed or replaced by the next look', async () => {
  const [agreed, differing] = [await paid(), await paid()];
  const ids = new Map<string, string>();
  for (const { chargeId, endToEndId } of [agreed, differing]) {
    ids.set(chargeId, at.psp.medReturn({ endToEndId, ...pending }).id);
  }
  await look();
  for (const { chargeId, endToEndId } of [agreed, differing]) {
    const [dispute] = await disputesOf(chargeId);
    await at.service.post(`/disputes/${dispute?.['id']}/close`, { outcome: 'lost', reason: 'An e-mail of the PSP.' });
    const status = chargeId === agreed.chargeId ? 'DEVOLVIDO' : 'NAO_REALIZADO';
    at.psp.endRefund({ endToEndId, id: ids.get(chargeId)!, status });
  }
  await look();
  const [confirmed] = await disputesOf(agreed.chargeId);
  assert.deepEqual([confirmed?.['status'], confirmed?.['closedBy']], ['lost', 'account']);
  assert.ok(confirmed?.['confirmedAt']);
  const [replaced] = await disputesOf(differing.chargeId);
  assert.deepEqual([replaced?.['status'], replaced?.['closedBy']], ['won', 'bank']);
  assert.equal((await at.service.get(`/charges/${differing.chargeId}`)).json.state, 'PAID');
});

test('a return that was recorded before disputes were known gets its dispute with the next look', async () => {
  const { chargeId, endToEndId } = await paid();
  at.psp.medReturn({ endToEndId, ...pending });
  await look();
  await at.service.sql('delete from disputes where charge_id = $1', [chargeId]);
  await look();
  assert.deepEqual(
    (await disputesOf(chargeId)).map(({ status }) => status),
    ['open'],
  );
});
