// Limits of an account and of a key, beside those of the asset; and the small default ones of live.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { NETWORKS_OF } from '../../src/chains/asset.ts';
import { SENT_SYMBOLS } from '../../src/chains/networks.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { ADDRESSES, CHARGE_PART } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** An order here is 100 usdt. */
const TRILHO_PAYOUTS = JSON.stringify({
  limits: [
    { symbol: 'usdt', accountId: '*', perDay: '200' },
    { symbol: 'usdt', accountId: 'large', perDay: '100000' },
    { symbol: 'usdt', keyId: '*', network: 'arbitrum', perDay: '150' },
    { symbol: 'usdt', keyId: '*', network: 'bsc', approvalAbove: '99' },
  ],
});
const { log, lines } = recordingLog();

let first: Service;
let service: Service;
let db: Database;
before(async () => {
  first = await startService({ mode: 'live', rails: sandboxRails });
  db = openDatabase({ connection: { connectionString: first.databaseUrl }, log: silentLog, maxConnections: 4 });
  service = await startService({
    beside: first,
    mode: 'live',
    rails: sandboxRails,
    chains: sandboxChains({ clock: first.clock, store: sandboxChainStore(db) }),
    prices: tablePrices({ reais: { usdt: '5.41' }, rates: {} }),
    env: { TRILHO_PAYOUTS },
    log,
  });
});
after(async () => {
  await service.stop();
  await db.close();
  await first.stop();
});

type Key = { readonly id: string; readonly text: string };
const bearer = (key: Key) => ({ authorization: `Bearer ${key.text}` });
const makeKey = (accountId: string) => service.makeKey(accountId);

let paidCount = 0;
async function paid(key: Key, accountId: string, network: string, cost = 541): Promise<Answer> {
  const wallet = { accountId, name: 'Treasury', network, address: ADDRESSES.evm };
  const walletId = (await service.post('/wallets', wallet, bearer(key))).json.id;
  const asset = { symbol: 'usdt', network, currency: 'BRL', cost, settlementSchedule: 'D0' };
  const order = await service.post(
    '/crypto/transactions',
    { accountId, walletId, ...asset, charge: CHARGE_PART },
    bearer(key),
  );
  assert.equal(order.status, 201, order.text);
  const reference = `E${String(++paidCount).padStart(31, '0')}`;
  const payment = { method: 'pix', amountCents: cost * 100, reference };
  const received = await service.post(`/charges/${order.json.charge.id}/payments`, payment, bearer(key));
  assert.equal(received.status, 201, received.text);
  await service.runJobs();
  return order;
}
async function heldFor(key: Key, order: Answer): Promise<[string | undefined, string | undefined]> {
  const { holdReason, lastError } = (await service.get(`/crypto/transactions/${order.json.transactionId}`, bearer(key)))
    .json;
  return [holdReason, lastError];
}

test('each account has its own 24 hours, and its own limit if it has an entry', async () => {
  const [small, other, large] = [await makeKey('small'), await makeKey('other'), await makeKey('large')];
  for (let count = 0; count < 2; count++) {
    assert.deepEqual(await heldFor(small, await paid(small, 'small', 'polygon')), [undefined, undefined]);
  }
  const [reason, message = ''] = await heldFor(small, await paid(small, 'small', 'polygon'));
  assert.equal(reason, 'over_day_limit');
  assert.match(message, /^200 usdt may leave of one account in 24 hours and 200 usdt has; it fits at /);
  assert.deepEqual(await heldFor(other, await paid(other, 'other', 'polygon')), [undefined, undefined]);
  for (let count = 0; count < 3; count++) {
    assert.deepEqual(await heldFor(large, await paid(large, 'large', 'polygon')), [undefined, undefined]);
  }
});

test('each key has its own 24 hours, independent of the other keys of its account', async () => {
  const [one, another] = [await makeKey('large'), await makeKey('large')];
  assert.deepEqual(await heldFor(one, await paid(one, 'large', 'arbitrum')), [undefined, undefined]);
  const [reason, message = ''] = await heldFor(one, await paid(one, 'large', 'arbitrum'));
  assert.equal(reason, 'over_day_limit');
  assert.match(message, /^150 usdt may leave of one key in 24 hours and 100 usdt has; /);
  assert.deepEqual(await heldFor(another, await paid(another, 'large', 'arbitrum')), [undefined, undefined]);
});

test('above the amount of a key an order waits for a second approver', async () => {
  const key = await makeKey('large');
  const held = await heldFor(key, await paid(key, 'large', 'bsc'));
  assert.deepEqual(held, ['approval_needed', '100 usdt is above 99 usdt: a second key approves it.']);
});

test('live has small limits for an asset without configured ones, and the start names them', async () => {
  const key = await makeKey('large');
  const order = await paid(key, 'large', 'polygon', 6_000);
  const [reason, message = ''] = await heldFor(key, order);
  assert.equal(reason, 'over_payout_limit');
  assert.match(message, /is above the limit of one payout: 1000 usdt\.$/);
  const said = lines.map(line => JSON.parse(line)).filter(({ msg }) => msg.startsWith('small limits hold'));
  const reasons = said.map(({ reason }) => reason);
  assert.equal(reasons.length, SENT_SYMBOLS.length);
  for (const line of [
    `usdt on ${NETWORKS_OF.usdt.join(', ')}: 1000 a payout, 5000 in 24 hours`,
    `usdc on ${NETWORKS_OF.usdc.join(', ')}: 1000 a payout, 5000 in 24 hours`,
    `eth on ${NETWORKS_OF.eth.join(', ')}: 0.3 a payout, 1.5 in 24 hours`,
    'pol on polygon: 3000 a payout, 15000 in 24 hours',
    'bnb on bsc: 1 a payout, 5 in 24 hours',
    'trx on tron: 3000 a payout, 15000 in 24 hours',
  ])
    assert.ok(reasons.includes(line), line);
});
