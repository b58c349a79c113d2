// A live service at a PSP: charges, payments, refunds and returns without a person.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';

let at: ServiceAtPsp;
before(async () => {
  at = await startServiceAtPsp();
});
after(() => at.stop());

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };
const create = (changes: Record<string, unknown> = {}) =>
  at.service.post('/charges', chargeBody({ methods: ['pix'], customer, ...changes }));
const read = async (id: string) => (await at.service.get(`/charges/${id}`)).json;

/** The next look at the PSP is a minute later. */
async function look(): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await at.service.runJobs();
}

test('a charge has the code of the PSP, and a payment of it is found without a notification', async () => {
  const { status, json, text } = await create({ taxes: { fine: 2, interest: 1 } });
  assert.equal(status, 201, text);
  assert.equal(json.pix.status, 'ACTIVE', text);
  const paid = await at.psp.pay({ emv: json.pix.emv });
  assert.equal((await read(json.id)).state, 'ACTIVE');
  await look();
  const charge = await read(json.id);
  assert.equal(charge.state, 'PAID');
  assert.deepEqual(
    charge.payments.map(({ source, reference, amountCents }: Record<string, unknown>) => [
      source,
      reference,
      amountCents,
    ]),
    [['bank', paid.endToEndId, 15_990]],
  );
  await look();
  assert.equal((await read(json.id)).payments.length, 1, 'found again, counted once');
});

test('a code that cannot be paid is never shown: its pix fails with the reason', async () => {
  for (const code of ['00-4000201', 'not a code', '00020126180014br.gov.bcb.pix6304ABCD']) {
    const fault = at.psp.setFault({ kind: 'wrong-code', code, on: { method: 'PUT' } });
    const { status, json } = await create();
    at.psp.clearFaults(fault);
    assert.equal(status, 201);
    assert.equal(json.pix.status, 'FAILED');
    assert.equal(json.pix.emv, '');
    assert.match(json.pix.reason, /pix code that cannot be paid/);
    const page = await fetch(at.service.url + new URL((await read(json.id)).checkoutUrl).pathname);
    assert.equal(page.status, 200);
    assert.ok(!(await page.text()).includes(code));
    // The PSP has the charge nevertheless: money for it is not lost.
    await at.psp.pay({ txid: json.pix.txid });
    await look();
    const charge = await read(json.id);
    assert.deepEqual([charge.state, charge.payments[0].cameAfter], ['PAID', 'FAILED']);
  }
});

test('a notification brings the payment at once', async () => {
  const { json } = await create();
  await at.registerWebhook();
  await at.psp.pay({ emv: json.pix.emv });
  await at.psp.settled();
  assert.equal(at.psp.notifications().at(-1)?.status, 'delivered', JSON.stringify(at.psp.notifications().at(-1)));
  await at.service.runJobs();
  assert.equal((await read(json.id)).state, 'PAID');
});

test('a notification for a removed rail does not delay others, and is given up', async () => {
  const { json } = await create();
  await at.registerWebhook();
  assert.equal(await at.psp.forgeNotification({ url: `${at.webhookUrl}/pix`, pix: [] }), 200);
  const { sql } = at.service;
  await sql(`update notifications set rail = 'removed' where handled_at is null`);
  await at.psp.pay({ emv: json.pix.emv });
  await at.psp.settled();
  // As if all had arrived together: one job has them.
  const jobs = `name = 'charge.notified' and state = 'created'`;
  const all = 'select jsonb_agg(id) from notifications where handled_at is null';
  await sql(`update pgboss.job set data = jsonb_build_object('ids', (${all})) where ${jobs}`);
  await at.service.runJobs();
  assert.equal((await read(json.id)).state, 'PAID');
  const open = () => sql('select rail from notifications where handled_at is null');
  assert.deepEqual(await open(), [{ rail: 'removed' }]);
  at.service.clock.advanceMs(61 * 60_000);
  await at.service.runJobs();
  assert.deepEqual(await open(), []);
});

test('nothing in a notification is trusted', async () => {
  const { json } = await create();
  const pix = {
    endToEndId: 'E00000000202611161200abcdefghijk',
    txid: json.pix.txid,
    valor: '159.90',
    chave: 'x',
    horario: '2026-11-16T12:00:00Z',
  };
  assert.equal(await at.psp.forgeNotification({ url: `${at.webhookUrl}/pix`, pix: [pix] }), 200);
  await at.service.runJobs();
  assert.equal((await read(json.id)).state, 'ACTIVE');
  for (const sender of ['none', 'foreign'] as const) {
    assert.equal(
      await at.psp.forgeNotification({ url: `${at.webhookUrl}/pix`, pix: [pix], with: sender }),
      403,
      sender,
    );
  }
  const elsewhere = at.webhookUrl.replace(/.$/, last => (last === 'A' ? 'B' : 'A'));
  assert.equal(await at.psp.forgeNotification({ url: `${elsewhere}/pix`, pix: [pix] }), 404);
});

test('a refund goes back through the PSP, whole or in part', async () => {
  const { json } = await create();
  await at.psp.pay({ emv: json.pix.emv });
  await look();
  await at.service.post(`/charges/${json.id}/refunds`, { amountCents: 5_990 });
  await at.service.runJobs();
  assert.equal((await read(json.id)).state, 'PARTIALLY_REFUNDED');
  at.psp.setRefunds({ status: 'NAO_REALIZADO', afterMs: 0 });
  await at.service.post(`/charges/${json.id}/refunds`, {});
  await at.service.runJobs();
  const failed = await read(json.id);
  assert.equal(failed.refunds.at(-1).status, 'FAILED');
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  await at.service.post(`/charges/${json.id}/refunds`, {});
  await at.service.runJobs();
  assert.equal((await read(json.id)).state, 'REFUNDED');
});

test('a return by the PSP is found and has an event', async () => {
  const { json } = await create();
  const { endToEndId } = await at.psp.pay({ emv: json.pix.emv });
  await look();
  at.service.clock.advanceMs(86_400_000);
  at.psp.medReturn({ endToEndId, natureza: 'MED_FRAUDE' });
  await look();
  const charge = await read(json.id);
  assert.equal(charge.state, 'REFUNDED');
  assert.deepEqual(
    charge.refunds.map(({ kind, status }: Record<string, unknown>) => `${kind} ${status}`),
    ['return DONE'],
  );
  // A row that was locked again shows another xmax.
  const lockOf = () => at.service.sql<{ xmax: string }>('select xmax::text from charges where id = $1', [json.id]);
  const locked = await lockOf();
  await look();
  assert.equal((await read(json.id)).refunds.length, 1, 'found again, counted once');
  assert.deepEqual(await lockOf(), locked, 'a recorded return is not recorded again');
});

test('a return that a look finds in progress is completed by a later look', async () => {
  const { json } = await create();
  const { endToEndId } = await at.psp.pay({ emv: json.pix.emv });
  await look();
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: null });
  const { json: refund } = await at.service.post(`/charges/${json.id}/refunds`, {});
  await look();
  await look();
  assert.equal((await read(json.id)).refunds[0].status, 'PENDING');
  // The job that carried it out looks again much later.
  await at.service.sql(`update pgboss.job set start_after = now() + interval '1 year' where name = 'charge.refund'`);
  at.psp.endRefund({ endToEndId, id: refund.id.replaceAll('-', ''), status: 'DEVOLVIDO' });
  at.psp.setRefunds({ status: 'DEVOLVIDO', afterMs: 0 });
  await look();
  assert.equal((await read(json.id)).refunds[0].status, 'DONE');
});

test('a refund that the PSP refused but shows as done is done', async () => {
  const { json } = await create();
  const { endToEndId } = await at.psp.pay({ emv: json.pix.emv });
  await look();
  // The reply is lost; then the PSP does not find the refund and refuses it, as one does that reads an old copy.
  at.psp.setFault({ kind: 'notify-drop' });
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'PUT', path: '/pix' }, count: 1 });
  at.psp.setFault({ kind: 'status', status: 404, on: { method: 'GET', path: `/pix/${endToEndId}/devolucao` } });
  at.psp.setFault({ kind: 'status', status: 400, on: { method: 'PUT', path: '/pix' } });
  await at.service.post(`/charges/${json.id}/refunds`, {});
  await at.service.runJobs();
  at.service.clock.advanceMs(30_000);
  await at.service.runJobs();
  assert.equal((await read(json.id)).refunds[0].status, 'FAILED');
  at.psp.clearFaults();
  await look();
  const charge = await read(json.id);
  assert.deepEqual([charge.state, charge.refunds.length, charge.refunds[0].status], ['REFUNDED', 1, 'DONE']);
  assert.equal(charge.refunds[0].reason, undefined);
  const again = await at.service.post(`/charges/${json.id}/refunds`, {});
  assert.equal(again.status, 409, 'nothing is left to refund');
});

test('a canceled charge is withdrawn at the PSP', async () => {
  const { json } = await create();
  await at.service.send(`/charges/${json.id}/cancel`, { method: 'POST' });
  await at.service.runJobs();
  await assert.rejects(at.psp.pay({ emv: json.pix.emv }), { code: 'removed' });
});

test('after a lost reply the PSP is asked, and the charge is created once', async () => {
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'PUT' }, count: 1 });
  const { json } = await create();
  assert.equal(json.pix.status, 'CREATING');
  await at.service.runJobs();
  const charge = await read(json.id);
  assert.equal(charge.pix.status, 'ACTIVE');
  await at.psp.pay({ emv: charge.pix.emv });
});

test('while the PSP is unavailable the charge has no code', async () => {
  const fault = at.psp.setFault({ kind: 'status', status: 503, on: { path: '/cob' }, retryAfterSeconds: 1 });
  const { json } = await create();
  assert.deepEqual([json.pix.status, json.pix.emv], ['CREATING', '']);
  at.psp.clearFaults(fault);
  at.service.clock.advanceMs(5_000);
  await at.service.runJobs();
  assert.equal((await read(json.id)).pix.status, 'ACTIVE');
});

test('money to the key that belongs to no charge waits for a person', async () => {
  const { endToEndId } = await at.psp.pay({ chave: at.psp.client.keys[0]!, valor: '12.34' });
  await look();
  const { json } = await at.service.get('/payments/unmatched');
  assert.deepEqual(
    json.payments.map(({ reference }: { reference: string }) => reference),
    [endToEndId],
  );
});

test('a payment that a person recorded can be refunded and returned', async () => {
  const { json } = await create();
  const { endToEndId } = await at.psp.pay({ chave: at.psp.client.keys[0]!, valor: '159.90' });
  await look();
  const recorded = await at.service.post(`/charges/${json.id}/payments`, {
    amountCents: 15_990,
    reference: endToEndId,
  });
  assert.equal(recorded.status, 201, recorded.text);
  await at.service.post(`/charges/${json.id}/refunds`, { amountCents: 990 });
  await at.service.runJobs();
  assert.equal((await read(json.id)).refunds[0].status, 'DONE');
  at.psp.medReturn({ endToEndId });
  await look();
  const charge = await read(json.id);
  assert.deepEqual(
    charge.refunds.map(({ kind, amountCents }: Record<string, unknown>) => [kind, amountCents]),
    [
      ['refund', 990],
      ['return', 15_000],
    ],
  );
  assert.equal(charge.state, 'REFUNDED');
});

test('a page of the list that fails does not stop the look at the pages after it', async t => {
  const own = await startServiceAtPsp({ rail: { quirks: { pageSize: 2 } } });
  t.after(() => own.stop());
  const ids: string[] = [];
  for (let count = 0; count < 5; count++) {
    const { json } = await own.service.post('/charges', chargeBody({ methods: ['pix'], customer }));
    await own.psp.pay({ txid: json.pix.txid });
    ids.push(json.id);
  }
  own.psp.setFault({ kind: 'status', status: 500, on: { method: 'GET', path: '/pix' }, skip: 1, count: 2 });
  own.service.clock.advanceMs(61_000);
  await own.service.runJobs();
  for (const id of ids) assert.equal((await own.service.get(`/charges/${id}`)).json.state, 'PAID');
});

// The last test, because it moves the clock far beyond the due days of the others.
test('a PSP that refuses to withdraw a charge is not asked forever', async () => {
  const { json } = await create();
  await at.service.send(`/charges/${json.id}/cancel`, { method: 'POST' });
  const refusal = at.psp.setFault({ kind: 'status', status: 503, on: { method: 'PATCH' }, retryAfterSeconds: 1 });
  const attempts = () => at.psp.requests().filter(({ method }) => method === 'PATCH').length;
  const before = attempts();
  at.service.clock.advanceMs(5_000);
  await at.service.runJobs();
  assert.ok(attempts() > before, 'it is asked');
  at.service.clock.advanceMs(120 * 86_400_000);
  await at.service.runJobs();
  const last = attempts();
  at.service.clock.advanceMs(3_600_000);
  await at.service.runJobs();
  assert.equal(attempts(), last, 'and then no more');
  at.psp.clearFaults(refusal);
});
