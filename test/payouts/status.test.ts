// Payouts and networks for operators, through HTTP and the command line.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chainsCommand } from '../../src/cli/chains.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { sandboxSender } from '../../src/sandbox/chains/simulated-chain.ts';
import { runCommand } from '../harness/commands.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

let service: Service;
let orders: OrderDriver;
let done: Answer;
let open: Answer;
before(async () => {
  service = await startService();
  orders = orderDriver(service);
  const paid = async (network: string) => {
    const order = await orders.order({ network });
    await orders.pay(order);
    await service.runJobs();
    return order;
  };
  done = await paid('polygon');
  await orders.advance('PT1H');
  await orders.fault('bsc', { fault: 'stalled' });
  open = await paid('bsc');
});
after(() => service.stop());

const environment = () => ({ DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' });
const trilho = (...args: string[]) => runCommand(payoutsCommand, environment(), args);
const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

test('payouts are listed newest first, by network, state and account, and read by either id', async () => {
  const all = (await service.get('/payouts')).json;
  assert.deepEqual(
    all.payouts.map(({ transactionId }: { transactionId: string }) => transactionId),
    [open, done].map(order => order.json.transactionId),
  );
  assert.equal(all.total, 2);
  const [of] = (await service.get('/payouts?state=final&network=polygon&accountId=acme')).json.payouts;
  assert.equal(of.transactionId, done.json.transactionId);
  for (const filter of ['state=reverted', 'network=tron', 'accountId=other']) {
    assert.deepEqual((await service.get(`/payouts?${filter}`)).json.total, 0, filter);
  }
  const read = (await service.get(`/payouts/${of.id}`)).json;
  assert.deepEqual(read, of);
  assert.deepEqual((await service.get(`/payouts/${of.transactionId}`)).json, of);
  const { state, quantity, symbol, nonce, networkFee, block, attempts, hash } = read;
  assert.deepEqual([state, quantity, symbol, nonce, networkFee.coin], ['final', '100', 'usdt', '0', 'pol']);
  assert.ok(block.number > 0 && Number(networkFee.amount) > 0);
  assert.deepEqual([attempts.length, attempts[0].hash], [1, hash]);
  assert.ok(!JSON.stringify(read).includes('raw'));
  assert.equal((await service.get(`/payouts/${UNKNOWN_ID}`)).status, 404);
});

test('a key sees only payouts of its account', async () => {
  const live = await startService({ mode: 'live' });
  try {
    assert.equal((await live.get('/payouts?accountId=other')).status, 404);
    assert.deepEqual((await live.get('/payouts')).json.payouts, []);
    const key = await live.makeKey('acme', ['transactions:read']);
    const headers = { authorization: `Bearer ${key.text}` };
    for (const path of ['/payouts', '/chains']) assert.equal((await live.get(path, headers)).status, 403, path);
  } finally {
    await live.stop();
  }
});

test('the command lists and shows payouts', async () => {
  const { said } = await trilho('list', '--state', 'open');
  const [line = '', last] = said.split('\n');
  const { hash } = (await service.get(`/payouts/${open.json.transactionId}`)).json.attempts[0];
  assert.match(line, /^20\S+Z {2}open {2}bsc {2}100 usdt {2}0x\w{40} {2}/);
  assert.ok(line.endsWith(`  ${open.json.transactionId}  ${hash}`));
  assert.equal(last, 'Page 1 of 1, 1 payouts.');
  assert.equal((await trilho('list', '--state', 'mismatched')).said, 'There are no such payouts.');
  const shown = JSON.parse((await trilho('show', done.json.transactionId)).said);
  assert.deepEqual(shown, (await service.get(`/payouts/${done.json.transactionId}`)).json);
  await assert.rejects(trilho('show', UNKNOWN_ID), refusal(/There is no payout of 019a/));
  await assert.rejects(
    trilho('list', '--state', 'lost', '--page', '0'),
    refusal(/--state must be one of open.*--page must be/),
  );
});

test('networks show head, balances, nonces, open slots and faults', async () => {
  const { chains } = (await service.get('/chains')).json;
  assert.equal(chains.length, 6);
  const bsc = chains.find(({ network }: { network: string }) => network === 'bsc');
  assert.ok(Number(bsc.head) > 0);
  const [sender] = bsc.senders;
  assert.deepEqual(
    [sender.address, sender.takesSlots, sender.nextNonce, sender.openSlots, bsc.faults],
    [sandboxSender('bsc'), true, '1', 1, []],
  );
  assert.deepEqual(
    sender.balances.map(({ symbol }: { symbol: string }) => symbol),
    ['bnb', 'usdt', 'usdc'],
  );
  const { code, said } = await runCommand(chainsCommand, environment(), []);
  assert.equal(code, 0);
  assert.match(said, /^bsc {2}well {2}head \d+ {2}final /m);
  assert.match(
    said,
    new RegExp(
      `^ {2}sender {2}${sandboxSender('bsc')} {2}takes slots {2}next nonce 1 {2}open 1 of \\d+ {2}.* usdc$`,
      'm',
    ),
  );
});

test('a silent network and a halted sender are reported, with exit code 1', async () => {
  await orders.fault('tron', { fault: 'rpc_timeout' });
  await service.sql(`update chain_senders set halted_at = now() where network = 'polygon'`);
  const { chains } = (await service.get('/chains')).json;
  const faultsOf = (network: string) => chains.find((one: { network: string }) => one.network === network).faults;
  assert.deepEqual(faultsOf('tron'), ['no node answers']);
  assert.deepEqual(faultsOf('polygon'), [`${sandboxSender('polygon')} is halted`]);
  const { code, said } = await runCommand(chainsCommand, environment(), []);
  assert.equal(code, 1);
  assert.match(said, /^tron {2}WRONG: no node answers {2}head unknown/m);
  assert.match(said, /takes no slots/);
});
