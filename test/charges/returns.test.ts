// A bank takes money back without a refund having been requested.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function paidCharge(): Promise<string> {
  const { json } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
  await service.runJobs();
  await service.post(`/sandbox/charges/${json.id}/pay`, { method: 'pix' });
  return json.id;
}

const takeBack = (id: string, body: unknown = {}) => service.post(`/sandbox/charges/${id}/return`, body);

test('a return of the whole payment refunds the charge and has one event', async () => {
  const id = await paidCharge();
  const { json } = await takeBack(id);
  assert.equal(`${json.state} ${json.pix.status}`, 'REFUNDED REFUNDED');
  assert.deepEqual(
    json.refunds.map(({ kind, status, amountCents }: Record<string, unknown>) => ({ kind, status, amountCents })),
    [{ kind: 'return', status: 'DONE', amountCents: 15_990 }],
  );
  const { json: feed } = await service.get('/events');
  const announced = feed.events.filter((event: { objectId: string }) => event.objectId === id);
  assert.deepEqual(announced.at(-1).type, 'charge.returned');
});

test('a part that was taken back cannot be refunded again', async () => {
  const id = await paidCharge();
  assert.equal((await takeBack(id, { amountCents: 10_000 })).json.state, 'PARTIALLY_REFUNDED');
  const refused = await service.post(`/charges/${id}/refunds`, { amountCents: 6_000 });
  assert.equal(refused.json.errors[0].code, 'above_refundable');
  const { json: refund } = await service.post(`/charges/${id}/refunds`, {});
  assert.equal(refund.amountCents, 5_990);
  assert.equal(refund.kind, 'refund');
});

test('the sandbox takes back no more than was paid', async () => {
  const { json: unpaid } = await service.post('/charges', chargeBody({ methods: ['pix'] }));
  assert.equal((await takeBack(unpaid.id)).status, 409);
  const id = await paidCharge();
  assert.equal((await takeBack(id, { amountCents: 15_991 })).json.errors[0].path, 'amountCents');
  await takeBack(id);
  assert.equal((await takeBack(id)).status, 409);
});

test('the sandbox takes a payment back once, however many requests come at once', async () => {
  const id = await paidCharge();
  const answers = await Promise.all([1, 2, 3].map(() => takeBack(id)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409]);
  const { json } = await service.get(`/charges/${id}`);
  assert.equal(json.refunds.length, 1);
});
