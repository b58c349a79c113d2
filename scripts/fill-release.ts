// Fills the database of a sandbox that runs, of any release, through its HTTP API: every kind of object, ended and open. For
// test/fixtures/releases, as docs/development.md says.
// Use: node scripts/fill-release.ts http://127.0.0.1:3000
import { createServer } from 'node:http';

const [at = ''] = process.argv.slice(2);
const customer = { name: 'Maria da Silva', document: '529.982.247-25' };

// biome-ignore lint/suspicious/noExplicitAny: releases answer with more or less.
async function call(path: string, body?: unknown, headers: Record<string, string> = {}, method?: string): Promise<any> {
  const response = await fetch(at + path, {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return JSON.parse(text);
}

const post = (path: string) => call(path, undefined, {}, 'POST');
const advance = (length: string) => call('/sandbox/clock', { advance: length });
const pay = (id: string, more: object = {}) => call(`/sandbox/charges/${id}/pay`, { method: 'pix', ...more });

async function charge(externalId: string, more: object = {}): Promise<string> {
  const { now } = await call('/sandbox/clock');
  const dueAt = new Date(Date.parse(now) + 10 * 86_400_000).toISOString();
  const body = { accountId: 'acme', externalId, amountCents: 15_990, currency: 'BRL', methods: ['boleto', 'pix'] };
  const made = await call('/charges', { ...body, customer, dueAt, ...more }, { 'idempotency-key': externalId });
  return made.id;
}

/** Accepts events, and refuses some of them. */
let received = 0;
const receiver = createServer((request, response) => {
  request.resume();
  response.statusCode = received++ % 5 === 4 ? 500 : 204;
  response.end();
});
await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
const { port } = receiver.address() as { port: number };
const hook = await call('/webhooks', { accountId: 'acme', url: `http://127.0.0.1:${port}/events` });
const away = await call('/webhooks', { accountId: 'acme', url: 'http://127.0.0.1:9/nobody' });

const open = await charge('open');
const paid = await charge('paid');
await advance('PT1M');
await pay(paid);
await call(`/charges/${paid}/refunds`, { amountCents: 5_000 }, { 'idempotency-key': 'refund' });
await pay(await charge('less'), { amountCents: 1_000 });
const twice = await charge('twice');
await advance('PT1M');
await call(`/charges/${twice}/payments`, { amountCents: 15_990, reference: 'E9999999920261210130000000000001' });
await call(`/charges/${twice}/payments`, { amountCents: 15_990, reference: 'E9999999920261210130000000000002' });
await post(`/charges/${await charge('canceled')}/cancel`);
await charge('dollars', { currency: 'USD', sourceKey: 'shop' });

const wallet = async (network: string, address: string) =>
  (await call('/wallets', { accountId: 'acme', name: 'Treasury', network, address })).id;
const polygon = await wallet('polygon', '0x52908400098527886E0F7030069857D2E4169EE7');
const tron = await wallet('tron', 'TJUQsHBcRMgNzUU7vb6xMy3tHUDzWGb5hy');
await call('/crypto/quotes', { accountId: 'acme', symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541 });
async function order(externalId: string, more: object = {}): Promise<{ transactionId: string; chargeId: string }> {
  const fields = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541, walletId: polygon };
  const body = { accountId: 'acme', externalId, settlementSchedule: 'D0', ...fields, ...more };
  const { transactionId } = await call('/crypto/transactions', { ...body, charge: { customer, methods: ['pix'] } });
  await advance('PT1S');
  return call(`/crypto/transactions/${transactionId}`);
}
for (const [name, more] of [
  ['fulfilled', {}],
  ['fulfilled-tron', { network: 'tron', walletId: tron }],
] as const) {
  await pay((await order(name, more)).chargeId);
  await advance('PT1H');
}
await pay((await order('held')).chargeId, { amountCents: 100 });
await advance('PT1H');
await post(`/crypto/transactions/${(await order('canceled')).transactionId}/cancel`);
await order('expired');
await advance('P2D');
await call('/sandbox/chains/polygon', { fault: 'stalled' });
await pay((await order('on-its-way')).chargeId);
await advance('PT2M');
await pay((await order('waits-for-its-day', { settlementSchedule: 'D2' })).chargeId);
await order('open');
await call(`/webhooks/${hook.id}/rotate-secret`, undefined, {}, 'POST');
await post(`/webhooks/${hook.id}/ping`);
await advance('PT1M');
const { deliveries } = await call(`/webhooks/${away.id}/deliveries`);
process.stdout.write(
  `filled: charge ${open}, ${received} events received, ${deliveries.length} to a webhook that is away\n`,
);
receiver.close();
receiver.closeAllConnections();
