// Transfers on Tron, against a simulated node that decodes the bytes and applies the rules of java-tron.
import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import {
  OTHER_PAYEE,
  PAYEE,
  SENDER,
  signedAttempt,
  startTron,
  type TronSetup,
  USDT,
  usdtTransfer,
} from '../../harness/tron.ts';

let tron: TronSetup;
beforeEach(async () => {
  tron = await startTron();
});
afterEach(() => tron.stop());

test('a transfer of USDT is mined, then solidified, and arrives once', async () => {
  const { chain, node, passBlocks } = tron;
  const transfer = usdtTransfer();
  assert.deepEqual(await chain.check({ ...transfer, sender: SENDER }), { kind: 'ready' });
  const attempt = await signedAttempt(tron, transfer);
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'absent');
  assert.deepEqual(await chain.broadcast(attempt), { isSent: true });
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'pending');

  passBlocks(1);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  assert.equal(mined.hash, attempt.hash);
  assert.equal(mined.confirmations, 1);
  assert.equal(mined.isFinal, false);
  assert.equal(mined.outcome, 'transferred');
  assert.equal(mined.leftUnits, 25_000_000n);
  // 130,285 energy at 100 sun; the first 600 bytes of a day are free.
  assert.equal(mined.feeUnits, 13_028_500n);

  passBlocks(18);
  const waiting = await chain.lookup(transfer, [attempt]);
  assert.ok(waiting.kind === 'mined' && waiting.confirmations < chain.depth, 'done only when it is solidified');
  passBlocks(1);
  const final = await chain.lookup(transfer, [attempt]);
  assert.ok(final.kind === 'mined' && final.isFinal && final.confirmations >= chain.depth);
  assert.deepEqual(
    node.transfers().map(({ to, units, token }) => ({ to, units, token })),
    [{ to: PAYEE, units: 25_000_000n, token: USDT }],
  );
});

test('a transfer of TRX to a new account is mined, with its cost', async () => {
  const { chain, node, passBlocks } = tron;
  const transfer = usdtTransfer(0n, { symbol: 'trx', units: 5_000_000n });
  const funds = await chain.funds(SENDER, 'trx');
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(21);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined' && mined.isFinal);
  assert.equal(mined.outcome, 'transferred');
  assert.equal(mined.leftUnits, 5_000_000n);
  assert.equal(mined.feeUnits, 1_100_000n);
  assert.ok(funds && funds.worstFee >= mined.feeUnits);
  assert.equal(node.balance(PAYEE), 5_000_000n);
});

test('equal transfers of two slots are two transactions, also at the same block', async () => {
  const { chain, node, passBlocks } = tron;
  const [first, second] = [await signedAttempt(tron, usdtTransfer(0n)), await signedAttempt(tron, usdtTransfer(1n))];
  assert.notEqual(first.hash, second.hash);
  await chain.broadcast(first);
  await chain.broadcast(second);
  passBlocks(1);
  assert.equal(node.transfers().length, 2);
});

test('a token that keeps a share is mismatched, with the amount that left', async () => {
  const { chain, node, passBlocks } = tron;
  node.setToken(USDT, { behaviour: 'keeping' });
  const transfer = usdtTransfer();
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(1);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  assert.equal(mined.outcome, 'mismatched');
  assert.equal(mined.leftUnits, 25_000_000n);
});

test('a call that succeeds without a log is mismatched, never transferred', async () => {
  const { chain, node, passBlocks } = tron;
  node.setToken(USDT, { behaviour: 'unmoved' });
  const transfer = usdtTransfer();
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(1);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  assert.deepEqual([mined.outcome, mined.leftUnits], ['mismatched', 0n]);
});

test('a call that reverts in its block is reverted, with its fee', async () => {
  const { chain, node, passBlocks } = tron;
  node.setToken(USDT, { behaviour: 'reverting_in_blocks' });
  const transfer = usdtTransfer();
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(1);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  assert.deepEqual([mined.outcome, mined.leftUnits], ['reverted', 0n]);
  assert.ok(mined.feeUnits > 0n);
  assert.deepEqual(node.transfers(), []);
});

test('a call that needs more than its fee limit is reverted at that cost', async () => {
  const { chain, node, passBlocks } = tron;
  const transfer = usdtTransfer();
  const attempt = await signedAttempt(tron, transfer);
  node.setToken(USDT, { energy: { toHolder: 500_000n, toOthers: 500_000n } });
  await chain.broadcast(attempt);
  passBlocks(1);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  assert.equal(mined.outcome, 'reverted');
  // 130,285 energy and 30 % more, whole units at 100 sun.
  assert.equal(mined.feeUnits, 169_370n * 100n);
});

test('a transfer that would fail, is blocked or costs too much is refused before it has a slot', async () => {
  const { chain, node } = tron;
  const intent = { sender: SENDER, symbol: 'usdt', units: 25_000_000n, to: PAYEE } as const;
  const refusedFor = async () => {
    const check = await chain.check(intent);
    return check.kind === 'refused' ? check.reason : check.kind;
  };
  node.setToken(USDT, { blocked: [PAYEE] });
  assert.equal(await refusedFor(), 'blocked');
  node.setToken(USDT, { blocked: [SENDER] });
  assert.equal(await refusedFor(), 'blocked');
  node.setToken(USDT, { blocked: [], behaviour: 'reverting' });
  assert.equal(await refusedFor(), 'would_revert');
  assert.equal((await chain.sign(usdtTransfer(), [])).kind, 'refused');
  node.setToken(USDT, { behaviour: 'normal', energy: { toHolder: 400_000n, toOthers: 400_000n } });
  assert.equal(await refusedFor(), 'fee_too_high');
  node.setToken(USDT, { energy: { toHolder: 64_285n, toOthers: 290_000n } });
  assert.equal(await refusedFor(), 'ready');
});

test('TRX to a contract is refused; a contract is distinguished from a wallet', async () => {
  const { chain } = tron;
  const check = await chain.check({ sender: SENDER, symbol: 'trx', units: 1n, to: USDT });
  assert.ok(check.kind === 'refused' && check.reason === 'would_revert');
  assert.equal(await chain.isContract(USDT), true);
  assert.equal(await chain.isContract(SENDER), false);
  assert.equal(await chain.isContract(OTHER_PAYEE), false);
});

test("funds are exactly the node's balances", async () => {
  const { chain, node } = tron;
  const units = 2n ** 60n + 1n;
  node.setToken(USDT, { balances: { [SENDER]: units } });
  const funds = await chain.funds(SENDER, 'usdt');
  assert.deepEqual([funds?.asset, funds?.coin], [units, 1_000_000_000n]);
  // 131,000 energy and 30 %, and 360 bytes.
  assert.equal(funds?.worstFee, 17_030_000n + 360_000n);
});

test('a payee that spends everything between the estimate and the block is paid: filling an empty balance costs more', async () => {
  const { chain, node, passBlocks } = tron;
  node.setToken(USDT, { balances: { [PAYEE]: 1n } });
  const transfer = usdtTransfer();
  const attempt = await signedAttempt(tron, transfer);
  node.setToken(USDT, { balances: { [PAYEE]: 0n } });
  await chain.broadcast(attempt);
  passBlocks(1);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  assert.deepEqual([mined.outcome, mined.feeUnits], ['transferred', 13_028_500n]);
  const funds = await chain.funds(SENDER, 'usdt');
  assert.ok(funds && funds.worstFee >= mined.feeUnits);
});
