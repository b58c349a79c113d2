// An order that is blocked, paused or refused after it took its slot: nothing more is signed for it, the order shows the reason,
// and the slot is given up so that those behind it continue.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import pg from 'pg';
import type { Chain, Check, Signed } from '../../src/chains/chain.ts';
import { walletsCommand } from '../../src/cli/wallets.ts';
import { runCommand } from '../harness/commands.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

/** Run once during the call of the screening service: after the block was read and before the sender is locked. */
let whileScreened: (() => Promise<unknown>) | undefined;
const screening = createServer((request, reply) => {
  request.resume();
  request.on('end', async () => {
    const run = whileScreened;
    whileScreened = undefined;
    await run?.();
    reply.writeHead(200, { 'content-type': 'application/json' }).end('{"result":"clear"}');
  });
});

/** Between the service and the simulated chain: answers that replace its own, and work before a signature. */
let changed: { sign?: Exclude<Signed, { kind: 'signed' }>; check?: Check; beforeSigning?: () => Promise<unknown> } = {};
const SILENT = { kind: 'unknown', message: 'the signer did not answer' } as const;
const DENIED = { kind: 'refused', message: 'execution reverted: denied' } as const;

let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;

function withChanges({ signVoid, ...chain }: Chain): Chain {
  return {
    ...chain,
    // As on Tron, where an unused slot blocks no other.
    ...(signVoid && chain.network !== 'tron' && { signVoid }),
    check: async intent => changed.check ?? chain.check(intent),
    sign: async (...asked) => {
      const run = changed.beforeSigning;
      if (run) changed = {};
      await run?.();
      return changed.sign ?? chain.sign(...asked);
    },
  };
}

before(async () => {
  await new Promise<void>(resolve => screening.listen(0, '127.0.0.1', resolve));
  const { port } = screening.address() as AddressInfo;
  const env = {
    TRILHO_SCREENING_URL: `http://127.0.0.1:${port}/`,
    TRILHO_SCREENING_SECRET: 'word',
    TRILHO_PAYOUTS: JSON.stringify({ alarms: { stuckMinutes: 30 } }),
  };
  sandbox = await startPayoutService(withChanges, undefined, env);
  ({ service, orders } = sandbox);
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  screening.closeAllConnections();
  screening.close();
  assert.deepEqual(wrong, []);
});
beforeEach(() => {
  changed = {};
});

const trilho = (...args: string[]) =>
  runCommand(walletsCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, args);
const pause = (body: object) => service.post('/payouts/pause', body);
const resume = (body: object) => service.post('/payouts/resume', body);
const refund = (order: Answer) => service.post(`/charges/${order.json.charge.id}/refunds`, {});

let made = 0;
/** With its own wallet, so that a block stops no other order. */
async function newWallet(network: string): Promise<string> {
  const address = `0x${(++made).toString(16).padStart(40, '12')}`;
  const { status, json, text } = await service.post('/wallets', { accountId: 'acme', name: 'Payee', network, address });
  assert.equal(status, 201, text);
  return json.id;
}

async function paidTo(network: string, walletId: string): Promise<Answer> {
  const order = await orders.order({ network, walletId });
  await orders.pay(order);
  await service.runJobs();
  return order;
}

async function standing(order: Answer): Promise<[string, string | undefined, string[]]> {
  const { status, holdReason } = await orders.read(order);
  const payouts = await sandbox.payouts(order);
  return [status, holdReason, payouts.map(({ state, attempts }) => `${state} ${attempts}`)];
}

type Shown = { reason: string; network: string; words: string };
const alarms = async (network: string): Promise<string[]> =>
  (await service.get('/payouts/alarms')).json.alarms
    .filter((one: Shown) => one.reason === 'slot_unsigned' && one.network === network)
    .map(({ words }: Shown) => words);

async function fulfilledOnce(order: Answer, payouts: readonly string[]): Promise<void> {
  assert.deepEqual(await standing(order), ['fulfilled', undefined, payouts]);
}

test('a wallet that is blocked during the check of the network gets no slot', async () => {
  const wallet = await newWallet('base');
  const order = await orders.order({ network: 'base', symbol: 'usdc', walletId: wallet });
  whileScreened = () => trilho('block', wallet);
  await orders.pay(order);
  await service.runJobs();
  assert.equal(whileScreened, undefined);
  assert.deepEqual(await standing(order), ['pending_fulfillment', 'wallet_refused', []]);
  assert.equal((await orders.read(order)).lastError, 'The address of the wallet is blocked.');
  await trilho('unblock', wallet);
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await orders.advance('PT30M');
  await fulfilledOnce(order, ['final 1']);
});

test('a block is confirmed only when earlier claims and first signatures have ended', async () => {
  const wallet = await newWallet('base');
  const claim = new pg.Client({ connectionString: service.databaseUrl });
  await claim.connect();
  let isAnswered = false;
  try {
    await claim.query('begin');
    await claim.query(`select from chain_senders where network = 'base' for key share`);
    const answer = trilho('block', wallet).then(({ code }) => {
      isAnswered = true;
      return code;
    });
    const waits = `select from pg_locks l join pg_stat_activity a using (pid)
                    where not l.granted and a.query like '%chain_senders%' and a.datname = current_database()`;
    while ((await service.sql(waits)).length === 0) assert.ok(!isAnswered, 'it waits for the claim');
    assert.equal(
      (await service.sql('select from wallets where id = $1 and blocked_at is not null', [wallet])).length,
      1,
    );
    await claim.query('commit');
    assert.equal(await answer, 0);
  } finally {
    await claim.end();
  }
});

for (const [name, act, reason] of [
  ['a block', (_: string, wallet: string) => trilho('block', wallet), 'wallet_refused'],
  ['a pause', (network: string) => pause({ network }), 'payouts_paused'],
] as const) {
  test(`${name} during the first signature: the signed transfer is neither saved nor sent`, async () => {
    const network = reason === 'wallet_refused' ? 'arbitrum' : 'ethereum';
    const before = await sandbox.transfers(network);
    const wallet = await newWallet(network);
    changed = { beforeSigning: () => act(network, wallet) };
    const order = await paidTo(network, wallet);
    assert.deepEqual([changed, await sandbox.transfers(network)], [{}, before]);
    await orders.advance('PT1M');
    const [status, hold] = await standing(order);
    assert.deepEqual([status, hold], ['fulfilling', reason]);
    await orders.advance('PT2H');
    assert.equal(await sandbox.transfers(network), before, 'nothing was sent');
    await trilho('unblock', wallet);
    await resume({ network });
    if (reason === 'wallet_refused') assert.equal((await sandbox.act(order, 'retry')).status, 200);
    await orders.advance('PT2H');
    await fulfilledOnce(order, ['voided 1', 'final 1']);
    assert.equal(await sandbox.transfers(network), before + 1);
  });
}

test('a slot without a signature is given up when its wallet is blocked; those behind it continue', async () => {
  changed = { sign: SILENT };
  const wallet = await newWallet('polygon');
  const order = await paidTo('polygon', wallet);
  const behind = await paidTo('polygon', await newWallet('polygon'));
  assert.deepEqual(await standing(order), ['fulfilling', undefined, ['open 0']]);
  const before = await sandbox.transfers('polygon');
  await trilho('block', wallet);
  await orders.advance('PT5S');
  assert.deepEqual(
    await standing(order),
    ['fulfilling', 'wallet_refused', ['open 1']],
    'a void is signed, no transfer',
  );
  const held = await orders.read(order);
  assert.equal(held.lastError, 'The address of the wallet is blocked.');
  assert.ok(held.transfer.voidRequestedAt);
  for (const verb of ['retry', 'reprice']) {
    const { status } = await sandbox.act(order, verb);
    assert.ok([409, 422].includes(status), `${verb}: its slot is not void yet`);
  }
  assert.equal((await refund(order)).status, 409, 'its money is committed until the slot is void');
  changed = {};
  await orders.advance('PT61S');
  await service.runJobs();
  await orders.advance('PT1H');
  await fulfilledOnce(behind, ['final 1']);
  assert.deepEqual(await standing(order), ['fulfilling', 'wallet_refused', ['voided 1']]);
  assert.equal(await sandbox.transfers('polygon'), before + 1, 'the one behind it');
  assert.equal((await sandbox.act(order, 'retry')).json.code, 'wallet_blocked');
  assert.equal((await refund(order)).status, 201);
  await service.runJobs();
  assert.equal((await orders.read(order)).endedAs, 'refunded');
});

test('an alarm names the slot, its order and the reason, until the slot is void', async () => {
  await orders.fault('bsc', { fault: 'stalled' });
  changed = { sign: SILENT };
  const order = await paidTo('bsc', await newWallet('bsc'));
  const [{ nonce, sender } = { nonce: -1, sender: '' }] = await sandbox.payouts(order);
  changed = {};
  await pause({ network: 'bsc', reason: 'keys' });
  await orders.advance('PT61S');
  await service.runJobs();
  assert.deepEqual(await alarms('bsc'), [
    `Slot ${nonce} of ${sender} has no transfer, for order ${order.json.transactionId}: payouts_paused. It is being given up.`,
  ]);
  await orders.fault('bsc', { fault: 'none' });
  await orders.advance('PT10M');
  await orders.advance('PT61S');
  await service.runJobs();
  assert.deepEqual(await alarms('bsc'), []);
  await resume({ network: 'bsc' });
  await orders.advance('PT10M');
  await fulfilledOnce(order, ['voided 1', 'final 1']);
});

test('after a pause the order waits in line without an operator, and can be refunded there', async () => {
  changed = { sign: SILENT };
  const order = await paidTo('polygon', await newWallet('polygon'));
  const other = await paidTo('polygon', await newWallet('polygon'));
  changed = {};
  await pause({ network: 'polygon' });
  await orders.advance('PT1H');
  for (const one of [order, other]) {
    assert.deepEqual(await standing(one), ['fulfilling', 'payouts_paused', ['voided 1']]);
    assert.ok((await orders.read(one)).waitingSince);
  }
  assert.equal((await refund(other)).status, 201);
  await service.runJobs();
  assert.equal((await orders.read(other)).endedAs, 'refunded');
  await resume({ network: 'polygon' });
  await orders.advance('PT1H');
  await fulfilledOnce(order, ['voided 1', 'final 1']);
  assert.equal(
    await orders.events(order),
    'pending_payment pending_fulfillment fulfilling held resumed fulfilled',
    'it has one event for the pause',
  );
});

test('a slot that another program used instead of its void frees the order only for a person, whatever gave it up', async () => {
  changed = { sign: SILENT };
  const order = await paidTo('arbitrum', await newWallet('arbitrum'));
  changed = {};
  await orders.fault('arbitrum', { fault: 'foreign_use' });
  await pause({ network: 'arbitrum' });
  await orders.advance('PT10S');
  await orders.fault('arbitrum', { fault: 'none' });
  await orders.advance('PT1H');
  await resume({ network: 'arbitrum' });
  await orders.advance('PT6H');
  assert.deepEqual(await standing(order), ['fulfilling', 'payout_voided', ['voided 1']]);
  const [{ network, sender }] = (await service.get('/payouts/senders/halted')).json.senders;
  assert.equal((await service.post('/payouts/senders/resume', { network, sender })).status, 200);
  assert.equal((await sandbox.act(order, 'retry')).status, 200);
  await orders.advance('PT1H');
  await fulfilledOnce(order, ['voided 1', 'final 1']);
});

test('an order whose block was lifted before its slot is void continues by itself', async () => {
  changed = { sign: SILENT };
  const wallet = await newWallet('polygon');
  const order = await paidTo('polygon', wallet);
  changed = {};
  await orders.fault('polygon', { fault: 'stalled' });
  await trilho('block', wallet);
  await orders.advance('PT1M');
  assert.deepEqual(await standing(order), ['fulfilling', 'wallet_refused', ['open 1']]);
  await trilho('unblock', wallet);
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT1H');
  await fulfilledOnce(order, ['voided 1', 'final 1']);
});

test('a signer that was unavailable during a block and its lifting signs, and no slot is given up', async () => {
  changed = { sign: SILENT };
  const wallet = await newWallet('polygon');
  const order = await paidTo('polygon', wallet);
  await trilho('block', wallet);
  await trilho('unblock', wallet);
  await orders.advance('PT1H');
  assert.deepEqual(await standing(order), ['fulfilling', undefined, ['open 0']]);
  changed = {};
  await orders.advance('PT2H');
  await fulfilledOnce(order, ['final 1']);
});

test('an order whose transfer the token denies after the claim is held at once and its slot given up; a retry takes another', async () => {
  changed = { sign: DENIED };
  const order = await paidTo('polygon', await newWallet('polygon'));
  const behind = await paidTo('polygon', await newWallet('polygon'));
  assert.deepEqual(await standing(order), ['fulfilling', undefined, ['open 0']], 'no node confirms that it would fail');
  changed = {};
  await orders.advance('PT1H');
  await fulfilledOnce(behind, ['final 1']);
  await fulfilledOnce(order, ['final 1']);

  changed = { sign: DENIED };
  const denied = await paidTo('polygon', await newWallet('polygon'));
  changed = {
    sign: DENIED,
    check: { kind: 'refused', reason: 'blocked', message: 'the issuer of usdt blocks the payee' },
  };
  await orders.advance('PT10S');
  assert.deepEqual(await standing(denied), ['fulfilling', 'transfer_refused', ['open 1']]);
  assert.equal((await orders.read(denied)).lastError, 'the issuer of usdt blocks the payee');
  assert.equal((await sandbox.act(denied, 'retry')).status, 409, 'its slot is not void yet');
  changed = {};
  await orders.advance('PT1H');
  assert.deepEqual(await standing(denied), ['fulfilling', 'transfer_refused', ['voided 1']]);
  assert.equal((await sandbox.act(denied, 'retry')).status, 200);
  await orders.advance('PT1H');
  await fulfilledOnce(denied, ['voided 1', 'final 1']);
});

test('a slot waits for a fee above the cap, an empty sender and a silent node or signer; a long wait raises the alarm', async () => {
  const order = await (async () => {
    changed = { sign: SILENT };
    return paidTo('arbitrum', await newWallet('arbitrum'));
  })();
  for (const reason of ['fee_too_high', 'no_funds'] as const) {
    changed = { sign: DENIED, check: { kind: 'refused', reason, message: reason } };
    await orders.advance('PT5M');
    assert.deepEqual(await standing(order), ['fulfilling', undefined, ['open 0']], reason);
  }
  changed = { sign: DENIED, check: { kind: 'unknown' } };
  await orders.advance('PT15M');
  await service.runJobs();
  assert.deepEqual([await standing(order), await alarms('arbitrum')], [['fulfilling', undefined, ['open 0']], []]);
  await orders.advance('PT6M');
  await service.runJobs();
  const [words = ''] = await alarms('arbitrum');
  assert.match(
    words,
    new RegExp(`^Slot \\d+ of 0x\\w+ has had no signature for 31 minutes, for order ${order.json.transactionId}: `),
  );
  changed = {};
  await orders.advance('PT2H');
  await service.runJobs();
  await fulfilledOnce(order, ['final 1']);
  assert.deepEqual(await alarms('arbitrum'), []);
});

test('on a chain whose unused slots block no others the slot is closed without a transaction', async () => {
  changed = { sign: SILENT };
  const order = await sandbox.paid({ network: 'tron' });
  assert.deepEqual(await standing(order), ['fulfilling', undefined, ['open 0']]);
  await pause({ network: 'tron' });
  await orders.advance('PT5M');
  assert.deepEqual(await standing(order), ['fulfilling', 'payouts_paused', ['voided 0']]);
  changed = {};
  await resume({ network: 'tron' });
  await orders.advance('PT2H');
  await fulfilledOnce(order, ['voided 0', 'final 1']);
});

test('a payout with signed bytes continues under a block and a pause', async () => {
  await orders.fault('polygon', { fault: 'stalled' });
  const wallet = await newWallet('polygon');
  const order = await paidTo('polygon', wallet);
  await trilho('block', wallet);
  await pause({ network: 'polygon' });
  await orders.advance('PT20M');
  const [{ attempts } = { attempts: 0 }] = await sandbox.payouts(order);
  assert.ok(attempts > 1, 'a higher bid was made');
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT1H');
  const [status, , payouts] = await standing(order);
  assert.deepEqual([status, payouts.length], ['fulfilled', 1]);
  await resume({ network: 'polygon' });
});

test('with the setting hold the slot is kept, and signed once the pause ends; an operator may give it up', async () => {
  const env = { TRILHO_PAYOUTS: JSON.stringify({ unsignedSlots: 'hold' }) };
  const holding = await startPayoutService(withChanges, undefined, env);
  try {
    const { service: there, orders: driver } = holding;
    const see = async (order: Answer) => {
      const { status, holdReason } = await driver.read(order);
      return [status, holdReason, (await holding.payouts(order)).map(({ state, attempts }) => `${state} ${attempts}`)];
    };
    changed = { sign: SILENT };
    const order = await holding.paid();
    const given = await holding.paid();
    changed = {};
    await there.post('/payouts/pause', { network: 'polygon' });
    await driver.advance('PT3H');
    for (const one of [order, given]) assert.deepEqual(await see(one), ['fulfilling', 'payouts_paused', ['open 0']]);
    assert.equal((await holding.act(given, 'void')).status, 200);
    await there.post('/payouts/resume', { network: 'polygon' });
    await driver.advance('PT30M');
    assert.deepEqual(await see(order), ['fulfilled', undefined, ['final 1']]);
    assert.deepEqual(await see(given), ['fulfilling', 'payout_voided', ['voided 1']]);
    assert.equal(await driver.events(order), 'pending_payment pending_fulfillment fulfilling held resumed fulfilled');
  } finally {
    assert.deepEqual(await holding.differences(), []);
    await holding.stop();
  }
});
