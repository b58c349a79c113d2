// Checkouts in every state that a payer can meet, made through the front door of a sandbox.
import assert from 'node:assert/strict';
import { chargeBody } from './bodies.ts';
import { orderDriver } from './orders.ts';
import type { Service } from './service.ts';

type Maker = (service: Service) => Promise<string>;

/** The path of a charge's checkout. */
export async function pathOf(service: Service, id: string): Promise<string> {
  return new URL((await service.get(`/charges/${id}`)).json.checkoutUrl).pathname;
}

export async function newCharge(service: Service, changes: Record<string, unknown> = {}): Promise<string> {
  const { status, json, text } = await service.post('/charges', chargeBody(changes));
  assert.equal(status, 201, text);
  return json.id;
}

export async function openCharge(service: Service, changes: Record<string, unknown> = {}): Promise<string> {
  const id = await newCharge(service, changes);
  await service.runJobs();
  return id;
}

export async function pay(
  service: Service,
  id: string,
  body: Record<string, unknown> = { method: 'pix' },
): Promise<void> {
  const { status, text } = await service.post(`/sandbox/charges/${id}/pay`, body);
  assert.equal(status, 200, text);
}

const LATE = { dueAt: '2026-11-09T12:00:00Z', taxes: { fine: 2, interest: 1 } };

const paid =
  (body: Record<string, unknown>, changes: Record<string, unknown> = {}): Maker =>
  async service => {
    const id = await openCharge(service, changes);
    await pay(service, id, body);
    return id;
  };

async function refund(service: Service, id: string, body: Record<string, unknown>): Promise<string> {
  assert.equal((await service.post(`/charges/${id}/refunds`, body)).status, 201);
  await service.runJobs();
  return id;
}

/** By the names that tests use for them. */
export const CHECKOUTS: Readonly<Record<string, Maker>> = {
  creating: newCharge,
  open: service => openCharge(service, { description: 'Pedido 1050: pão e café' }),
  overdue: service => openCharge(service, LATE),
  'overdue without fees': service => openCharge(service, { dueAt: LATE.dueAt }),
  paid: paid({ method: 'pix' }),
  'paid by boleto': paid({ method: 'boleto' }),
  'paid late': paid({ method: 'pix' }, LATE),
  'paid in part': paid({ method: 'pix', amountCents: 10_000 }),
  'paid too much': paid({ method: 'pix', amountCents: 20_000 }),
  'paid twice': async service => {
    const id = await openCharge(service);
    await pay(service, id);
    await pay(service, id);
    return id;
  },
  'paid twice, once returned': async service => {
    const id = await openCharge(service);
    await pay(service, id);
    await pay(service, id);
    return refund(service, id, { amountCents: 15_990 });
  },
  expired: service => openCharge(service, { dueAt: '2026-09-01T12:00:00Z', expireAt: '2026-09-01T12:00:00Z' }),
  canceled: async service => {
    const id = await openCharge(service);
    await service.send(`/charges/${id}/cancel`, { method: 'POST' });
    return id;
  },
  'paid after its end': async service => {
    const id = await openCharge(service);
    await service.send(`/charges/${id}/cancel`, { method: 'POST' });
    await pay(service, id);
    return id;
  },
  refunded: async service => refund(service, await paid({ method: 'pix' })(service), {}),
  'refunded in part': async service => refund(service, await paid({ method: 'pix' })(service), { amountCents: 5_000 }),
  failed: service => openCharge(service, { amountCents: 19_001 }),
  'in dollars': service => openCharge(service, { currency: 'USD', methods: ['pix'] }),
  ordered: async service => {
    const { json } = await orderDriver(service).order();
    await service.runJobs();
    return (await service.get(`/crypto/transactions/${json.transactionId}`)).json.chargeId;
  },
  'order paid': async service => {
    const driver = orderDriver(service);
    const order = await driver.order();
    await driver.pay(order);
    await service.runJobs();
    return (await driver.read(order)).chargeId;
  },
  'order on hold': async service => {
    const driver = orderDriver(service);
    const order = await driver.order();
    await driver.fault('polygon', { fault: 'reverting' });
    await driver.pay(order);
    await service.runJobs();
    await driver.fault('polygon', { fault: 'none' });
    await driver.advance('PT10M');
    const { holdReason, chargeId } = await driver.read(order);
    assert.equal(holdReason, 'transfer_reverted');
    return chargeId;
  },
};
