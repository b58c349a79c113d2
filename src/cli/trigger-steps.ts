// The steps of recipes that cause events: charges, orders, customers, plans and what happens to them, by ordinary requests to a sandbox.
import { setTimeout as wait } from 'node:timers/promises';
import { StartError } from '../lib/errors.ts';
import type { SandboxApi as Api } from './sandbox-api.ts';

const ACCOUNT = 'trigger';
const LOOK_EVERY_MS = 200;
const MAX_LOOKS = 150;

/** Has rules, so that charges of the other account remind their payers of nothing. */
const REMINDING_ACCOUNT = 'trigger-reminders';

export async function reminded(api: Api): Promise<string> {
  const accountId = REMINDING_ACCOUNT;
  const chargeId = await charge(api, { accountId });
  await api.patch(`/accounts/${accountId}/reminder-settings`, { quietHours: null });
  const { rules } = (await api.get(`/reminders/rules?accountId=${accountId}`)) as { rules: object[] };
  if (rules.length === 0) await api.post('/reminders/rules', { accountId, when: 'paid', channels: ['event'] });
  await paid(api, chargeId);
  return until(`Charge ${chargeId} has no reminder.`, async () => {
    const { reminders } = (await api.get(`/charges/${chargeId}/reminders`)) as { reminders: { id: string }[] };
    return reminders[0]?.id;
  });
}

const ALARM_NETWORK = 'bsc';

/** Empties a sender until its alarm is raised. Alarms are judged once a minute, by the clock. */
export async function lowFunds(api: Api): Promise<string> {
  await api.post(`/sandbox/chains/${ALARM_NETWORK}`, { fault: 'empty' });
  await api.post('/sandbox/clock', { advance: 'PT2M' });
  try {
    return await until('No alarm was raised.', async () => {
      const { alarms } = (await api.get('/payouts/alarms')) as { alarms: { id: string; network: string }[] };
      return alarms.find(({ network }) => network === ALARM_NETWORK)?.id;
    });
  } finally {
    await api.post(`/sandbox/chains/${ALARM_NETWORK}`, { fault: 'none' });
  }
}

export const PAYER = { customer: { name: 'Maria da Silva', document: '529.982.247-25' }, methods: ['pix'] };
export const ORDER_CENTS = 54_100;
export const TOO_LITTLE = { amountCents: 10_000 };
/** The addresses of published examples (EIP-55), which belong to no user. */
const WALLET = { name: 'Trigger', network: 'arbitrum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
export const REMOVED_WALLET = { name: 'Trigger, removed', address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359' };

type Ordered = { readonly id: string; readonly chargeId: string };

export async function order(api: Api, changes: Record<string, unknown> = {}): Promise<Ordered> {
  const { id: walletId } = await api.post('/wallets', { accountId: ACCOUNT, ...WALLET });
  const { transactionId, chargeId } = await api.post('/crypto/transactions', {
    accountId: ACCOUNT,
    symbol: 'usdt',
    network: WALLET.network,
    currency: 'BRL',
    cost: ORDER_CENTS / 100,
    walletId,
    settlementSchedule: 'D0',
    charge: PAYER,
    ...changes,
  });
  await registered(api, chargeId);
  return { id: transactionId, chargeId };
}

export async function paidOrder(
  api: Api,
  { id, chargeId }: Ordered,
  how: Record<string, unknown> = {},
): Promise<string> {
  await paid(api, chargeId, { method: 'pix', ...how });
  return id;
}

export async function charge(api: Api, changes: Record<string, unknown> = {}): Promise<string> {
  const { id } = await api.post('/charges', {
    accountId: ACCOUNT,
    amountCents: 15_990,
    currency: 'BRL',
    methods: ['boleto', 'pix'],
    customer: { name: 'Maria da Silva', document: '529.982.247-25' },
    dueAt: api.day(10),
    ...changes,
  });
  return registered(api, id);
}

/** A new customer each time, so that each has its own events. */
export async function customer(api: Api): Promise<string> {
  const { id } = await api.post('/customers', { accountId: ACCOUNT, ...PAYER.customer, separate: true });
  return id;
}

export async function instalments(api: Api): Promise<{ readonly id: string; readonly chargeIds: readonly string[] }> {
  const { id, charges } = await api.post('/instalments', {
    accountId: ACCOUNT,
    ...PAYER,
    amountCents: 20_001,
    currency: 'BRL',
    count: 2,
    firstDueDay: api.day(10).slice(0, 'YYYY-MM-DD'.length),
  });
  return { id, chargeIds: charges.map((one: { id: string }) => one.id) };
}

export async function plan(api: Api, changes: Record<string, unknown> = {}): Promise<string> {
  const terms = { name: 'Gold', amountCents: 9_900, interval: 'monthly', methods: ['pix'], ...changes };
  const { id } = await api.post('/plans', { accountId: ACCOUNT, ...terms });
  return id;
}

export async function subscription(api: Api, changes: Record<string, unknown> = {}): Promise<string> {
  const { planId = await plan(api), ...rest } = changes;
  const body = { accountId: ACCOUNT, planId, customerId: await customer(api) };
  const { id } = await api.post('/subscriptions', { ...body, startDay: api.day(20).slice(0, 10), ...rest });
  return id;
}

/** A plan that buys crypto, and the wallet that it goes to. */
export async function inCrypto(api: Api, wallet: Record<string, unknown> = WALLET) {
  const network = 'polygon';
  const { id: walletId } = await api.post('/wallets', { accountId: ACCOUNT, ...wallet, network });
  const crypto = { symbol: 'usdt', network, settlementSchedule: 'D0' };
  return { planId: await plan(api, { amountCents: ORDER_CENTS, crypto }), walletId: String(walletId) };
}

/** Its first cycle is charged at once. */
export function soon(api: Api) {
  return { startDay: api.day(1).slice(0, 10) };
}

export async function chargedSubscription(api: Api, changes: Record<string, unknown> = {}) {
  const id = await subscription(api, { ...soon(api), ...changes });
  const { object } = JSON.parse(await eventOf(api, 'subscription.charged', id));
  return { id, chargeId: await registered(api, object.cycle.chargeId) };
}

export async function paidSubscription(api: Api, changes: Record<string, unknown> = {}) {
  const { id, chargeId } = await chargedSubscription(api, changes);
  await paid(api, chargeId);
  await eventOf(api, 'subscription.paid', id);
  return { id, chargeId };
}

export async function pausedSubscription(api: Api): Promise<string> {
  const id = await subscription(api);
  await api.post(`/subscriptions/${id}/pause`);
  return id;
}

/** Waits until the bank has decided about each method, so that what a recipe does next always comes after that. */
export async function registered(api: Api, id: string): Promise<string> {
  return until(`The methods of charge ${id} were not registered.`, async () => {
    const charge = (await api.get(`/charges/${id}`)) as { boleto?: { status: string }; pix?: { status: string } };
    return [charge.boleto?.status, charge.pix?.status].includes('CREATING') ? undefined : id;
  });
}

export async function paid(api: Api, id: string, how: Record<string, unknown> = { method: 'pix' }): Promise<string> {
  await api.post(`/sandbox/charges/${id}/pay`, how);
  return id;
}

export async function refunded(api: Api, how: Record<string, unknown> = {}): Promise<string> {
  const id = await paid(api, await charge(api));
  await api.post(`/charges/${id}/refunds`, how);
  return id;
}

export async function disputed(api: Api): Promise<{ readonly id: string }> {
  const chargeId = await paid(api, await charge(api));
  const { refunds } = await api.post(`/sandbox/charges/${chargeId}/return`, { cause: 'fraud' });
  return { id: refunds[0].disputeId };
}

export async function dueChanged(api: Api, how: Record<string, unknown> = {}): Promise<string> {
  const id = await charge(api, { methods: ['boleto'], ...how });
  await eventOf(api, 'charge.active', id);
  await api.post(`/charges/${id}/due-date`, { dueAt: api.day(20) });
  return id;
}

export async function eventOf(api: Api, type: string, objectId: string): Promise<string> {
  return until(`${type} did not happen to ${objectId}.`, async () => {
    const { events } = (await api.get(`/events?objectId=${objectId}&type=${type}`)) as { events: object[] };
    return events[0] && JSON.stringify(events[0], null, 2);
  });
}

/** Looks again until something is found; gives up after half a minute with the message. */
async function until(message: string, find: () => Promise<string | undefined>): Promise<string> {
  for (let look = 0; look < MAX_LOOKS; look++) {
    const found = await find();
    if (found !== undefined) return found;
    await wait(LOOK_EVERY_MS);
  }
  throw new StartError(message);
}
