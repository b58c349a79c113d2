// Whether a wallet may be paid to is checked again before crypto is sent: in the line, by a retry and by a new price.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { walletsCommand } from '../../src/cli/wallets.ts';
import { runCommand } from '../harness/commands.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** The answer of the screening service; undefined for an unreadable one. */
let screened: string | undefined = 'clear';
const screening = createServer((request, reply) => {
  request.resume();
  request.on('end', () => {
    if (screened === undefined) reply.writeHead(500).end();
    else reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result: screened }));
  });
});

let service: Service;
let orders: OrderDriver;
before(async () => {
  await new Promise<void>(resolve => screening.listen(0, '127.0.0.1', resolve));
  const { port } = screening.address() as AddressInfo;
  service = await startService({
    env: { TRILHO_SCREENING_URL: `http://127.0.0.1:${port}/`, TRILHO_SCREENING_SECRET: 'word' },
  });
  orders = orderDriver(service);
});
after(async () => {
  await service.stop();
  screening.closeAllConnections();
  screening.close();
});

const trilho = (...args: string[]) =>
  runCommand(walletsCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, args);
const payoutsOf = (order: Answer) =>
  service.sql('select state from payouts where order_id = $1', [order.json.transactionId]);
const act = (order: Answer, verb: string) =>
  service.post(`/crypto/transactions/${order.json.transactionId}/${verb}`, {});

test('an address that was blocked after the order was created is not paid; unblocked, a retry sends it', async () => {
  const order = await orders.order({ network: 'polygon' });
  const wallet = await orders.wallet('polygon');
  assert.equal((await trilho('block', wallet)).code, 0);
  await orders.pay(order);
  await service.runJobs();
  const held = await orders.read(order);
  assert.deepEqual(
    [held.status, held.holdReason, held.lastError],
    ['pending_fulfillment', 'wallet_refused', 'The address of the wallet is blocked.'],
  );
  for (const verb of ['retry', 'reprice']) {
    const refused = await act(order, verb);
    assert.deepEqual([refused.status, refused.json.code], [422, 'wallet_blocked'], verb);
  }
  await orders.advance('PT30M');
  assert.deepEqual([(await orders.read(order)).holdReason, await payoutsOf(order)], ['wallet_refused', []]);
  await trilho('unblock', wallet);
  const sent = await act(order, 'retry');
  assert.equal(sent.status, 200, sent.text);
  await orders.advance('PT30M');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('a hit of the screening service holds the order; a new price checks again', async () => {
  const order = await orders.order({ network: 'bsc' });
  screened = 'hit';
  await orders.pay(order);
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'wallet_refused');
  screened = 'clear';
  assert.equal((await act(order, 'reprice')).status, 200);
  await orders.advance('PT30M');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('while the screening service does not answer the order waits, and those behind it continue', async () => {
  const order = await orders.order({ network: 'arbitrum' });
  await orders.pay(order);
  screened = undefined;
  await service.runJobs();
  const waiting = await orders.read(order);
  assert.deepEqual([waiting.status, waiting.holdReason], ['pending_fulfillment', undefined]);
  assert.match(waiting.lastError, /Screening by hook has no answer now/);
  assert.deepEqual(await payoutsOf(order), []);
  screened = 'clear';
  const behind = await orders.order({ network: 'arbitrum' });
  await orders.pay(behind);
  await service.runJobs();
  assert.equal((await payoutsOf(behind)).length, 1);
  assert.deepEqual(await payoutsOf(order), []);
  await orders.advance('PT1H');
  for (const one of [order, behind]) assert.equal((await orders.read(one)).status, 'fulfilled');
});
