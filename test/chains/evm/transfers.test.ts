// Transfers on a real EVM node, each on a node of its own: what is sent, what arrives, and what the lookup finds.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { deployDoor } from '../../harness/door.ts';
import { DEPTH, type EvmTest, minedOf, openEvmTest, PAYEE, SENDER, startFundedNode } from '../../harness/evm.ts';
import { type RpcProxy, startRpcProxy } from '../../harness/rpc-proxy.ts';

const OTHER = '0x52908400098527886E0F7030069857D2E4169EE7';
const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map(stop => stop())));

async function open(changes: Parameters<typeof openEvmTest>[1] = {}): Promise<EvmTest> {
  const funded = await startFundedNode();
  stops.push(() => funded.node.stop());
  return openEvmTest(funded, changes);
}

for (const symbol of ['usdt', 'usdc'] as const) {
  test(`a transfer of ${symbol} is pending, then mined, then final, and arrives once`, async () => {
    const evm = await open();
    const transfer = evm.transfer(symbol);
    assert.deepEqual(await evm.chain.check({ ...transfer, sender: SENDER }), { kind: 'ready' });
    assert.equal((await evm.look(transfer, [])).kind, 'absent');
    const attempts = await evm.send(transfer);
    assert.equal((await evm.look(transfer, attempts)).kind, 'pending');
    await evm.node.mine();
    const first = minedOf(await evm.look(transfer, attempts));
    assert.deepEqual(
      { outcome: first.outcome, left: first.leftUnits, confirmations: first.confirmations, isFinal: first.isFinal },
      { outcome: 'transferred', left: 10_000_000n, confirmations: 1, isFinal: false },
    );
    const receipt = await evm.node.rpc('eth_getTransactionReceipt', [first.hash]);
    assert.equal(first.feeUnits, BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice));
    assert.deepEqual(first.block, { number: Number(receipt.blockNumber), hash: receipt.blockHash });
    await evm.node.mine(DEPTH - 1);
    const last = minedOf(await evm.look(transfer, attempts));
    assert.deepEqual([last.confirmations, last.isFinal], [DEPTH, true]);
    assert.equal(await evm[symbol].balanceOf(PAYEE), 10_000_000n);
  });
}

test('the coin of the network is transferred by its value', async () => {
  const evm = await open();
  const transfer = evm.transfer('eth', 10n ** 18n);
  const attempts = await evm.send(transfer);
  await evm.node.mine();
  const { outcome, leftUnits } = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([outcome, leftUnits], ['transferred', 10n ** 18n]);
  assert.equal(BigInt(await evm.node.rpc('eth_getBalance', [PAYEE, 'latest'])), 10n ** 18n);
});

test('a token that keeps a part without a log is mismatched, with everything that left the sender', async () => {
  const evm = await open();
  await evm.usdt.setRates(0n, 100n);
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine();
  const { outcome, leftUnits } = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([outcome, leftUnits], ['mismatched', 10_000_000n]);
  assert.equal(await evm.usdt.balanceOf(PAYEE), 9_900_000n);
});

test('a success without a log proves no transfer', async () => {
  const evm = await open();
  await evm.usdt.setMute(true);
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine();
  assert.equal(minedOf(await evm.look(transfer, attempts)).outcome, 'mismatched');
});

test('a payee that is blocked after the signature reverts: nothing leaves, and the fee is paid', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const attempt = await evm.sign(transfer);
  await evm.usdt.setBlocked(PAYEE, true);
  await evm.chain.broadcast(attempt);
  await evm.node.mine();
  const { outcome, leftUnits, feeUnits } = minedOf(await evm.look(transfer, [attempt]));
  assert.deepEqual([outcome, leftUnits, feeUnits > 0n], ['reverted', 0n, true]);
});

test('a coin transfer to a contract that refuses it reverts', async () => {
  const evm = await open();
  const door = await deployDoor(evm.node);
  await door.setOpen(true);
  const transfer = evm.transfer('eth', 10n ** 18n, door.address);
  const attempt = await evm.sign(transfer);
  await door.setOpen(false);
  await evm.chain.broadcast(attempt);
  await evm.node.mine();
  const { outcome, leftUnits } = minedOf(await evm.look(transfer, [attempt]));
  assert.deepEqual([outcome, leftUnits], ['reverted', 0n]);
});

test('check refuses a payee that the issuer blocks, a transfer that reverts and a token that keeps a fee', async () => {
  const evm = await open();
  const intent = { ...evm.transfer(), sender: SENDER };
  await evm.usdt.setBlocked(PAYEE, true);
  assert.deepEqual(await evm.chain.check(intent), {
    kind: 'refused',
    reason: 'blocked',
    message: 'the issuer of usdt blocks the payee',
  });
  await evm.usdt.setBlocked(PAYEE, false);
  await evm.usdt.setBlocked(SENDER, true);
  assert.deepEqual(await evm.chain.check(intent), {
    kind: 'refused',
    reason: 'blocked',
    message: 'the issuer of usdt blocks the sender',
  });
  await evm.usdt.setBlocked(SENDER, false);
  await evm.usdt.setRates(10n, 0n);
  const kept = await evm.chain.check(intent);
  assert.deepEqual(kept, {
    kind: 'refused',
    reason: 'pays_less',
    message: 'usdt keeps 10 basis points of each transfer',
  });
  await evm.usdt.setRates(0n, 0n);
  const tooMuch = await evm.chain.check({ ...intent, units: 10n ** 31n });
  assert.deepEqual(tooMuch.kind === 'refused' && tooMuch.reason, 'no_funds');
  const door = await deployDoor(evm.node);
  const closed = await evm.chain.check({ ...intent, symbol: 'eth', to: door.address });
  assert.deepEqual(closed.kind === 'refused' && closed.reason, 'would_revert');
  assert.equal((await evm.chain.sign(evm.transfer('eth', 1n, door.address), [])).kind, 'refused');
  assert.deepEqual(await evm.chain.check(intent), { kind: 'ready' });
});

test("funds are the node's balances, with the highest fee of a transfer", async () => {
  const evm = await open();
  const funds = await evm.chain.funds(SENDER, 'usdt');
  assert.equal(funds?.asset, await evm.usdt.balanceOf(SENDER));
  assert.equal(funds?.coin, BigInt(await evm.node.rpc('eth_getBalance', [SENDER, 'latest'])));
  assert.ok(funds && funds.worstFee > 0n);
  const coin = await evm.chain.funds(SENDER, 'eth');
  assert.equal(coin?.asset, coin?.coin);
  assert.equal(await evm.chain.nextNonce(SENDER), 0n);
  assert.equal(await evm.chain.isContract(evm.usdt.address), true);
  assert.equal(await evm.chain.isContract(SENDER), false);
});

test('a delegated account is not a contract', async () => {
  const evm = await open();
  await evm.node.rpc('anvil_setCode', [PAYEE, `0xef0100${'22'.repeat(20)}`]);
  assert.equal(await evm.chain.isContract(PAYEE), false);
});

/** Code of a token that logs every transfer and moves nothing: every balance stays 2^40 units. */
const LOGS_ALONE =
  '0x60003560e01c63a9059cbb14601c57600160281b60005260206000f35b602435600052600435337fddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef60206000a300';

test('a token that logs a transfer and moves nothing is mismatched with nothing sent', async () => {
  const evm = await open();
  const transfer = evm.transfer();
  const attempt = await evm.sign(transfer);
  await evm.node.rpc('anvil_setCode', [evm.usdt.address, LOGS_ALONE]);
  await evm.node.mine();
  await evm.chain.broadcast(attempt);
  await evm.node.mine(DEPTH);
  const { outcome, leftUnits, isFinal } = minedOf(await evm.look(transfer, [attempt]));
  assert.deepEqual([outcome, leftUnits, isFinal], ['mismatched', 0n, true]);
});

test('several transfers of one block are each compared with what all of them moved', async () => {
  const evm = await open();
  const transfers = [evm.transfer(), evm.transfer(), evm.transfer('usdt', 5n, OTHER), evm.transfer('usdc', 7n)];
  const attempts = [];
  for (const transfer of transfers) attempts.push(...(await evm.send(transfer)));
  await evm.node.mine(DEPTH);
  for (const [index, transfer] of transfers.entries()) {
    const { outcome, leftUnits } = minedOf(await evm.look(transfer, attempts.slice(index, index + 1)));
    assert.deepEqual([outcome, leftUnits], ['transferred', transfer.units]);
  }
});

/** A chain with one provider, which a test controls. */
async function openAtOne(): Promise<EvmTest & { readonly proxy: RpcProxy }> {
  const funded = await startFundedNode();
  const proxy = await startRpcProxy(funded.node.url);
  stops.push(async () => {
    await proxy.stop();
    await funded.node.stop();
  });
  const providers = [{ name: 'proxy', url: proxy.url, timeoutSeconds: 20 }];
  return { ...(await openEvmTest(funded, { providers })), proxy };
}

test('status 0 that a node invents for a completed transfer is not believed: its blocks contradict it', async () => {
  const evm = await openAtOne();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine(DEPTH);
  evm.proxy.rule = async ({ method, pass }) => {
    if (method !== 'eth_getTransactionReceipt') return undefined;
    const { result } = await pass();
    return { result: { ...(result as object), status: '0x0', logs: [] } };
  };
  const sighting = await evm.look(transfer, attempts);
  assert.ok(sighting.kind === 'unknown' && sighting.isAnswered);
  evm.proxy.rule = () => undefined;
  evm.clock.advanceMs(1_000);
  assert.equal(minedOf(await evm.look(transfer, attempts)).outcome, 'transferred');
});

test('for a node without the balances of that block only the log counts; with a silent one the transfer waits', async () => {
  const evm = await openAtOne();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine(DEPTH);
  evm.proxy.rule = ({ method, params }) =>
    method === 'eth_call' && params[1] !== 'latest' ? { result: '0x' } : undefined;
  const waits = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([waits.confirmations, waits.isFinal], [DEPTH - 1, false]);
  evm.clock.advanceMs(1_000);
  evm.proxy.rule = ({ method, params }) =>
    method === 'eth_call' && params[1] !== 'latest'
      ? { error: { code: -32000, message: 'missing trie node' } }
      : undefined;
  const counts = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([counts.outcome, counts.confirmations, counts.isFinal], ['transferred', DEPTH, true]);
});

test('a provider that never shows the logs of a block delays a transfer only while it keeps balances', async () => {
  const evm = await openAtOne();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine(DEPTH);
  // Like a provider that refuses the method with a page of HTML or an HTTP status.
  evm.proxy.rule = ({ method }) => (method === 'eth_getLogs' ? { result: 'no' } : undefined);
  const waits = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([waits.outcome, waits.confirmations, waits.isFinal], ['transferred', DEPTH - 1, false]);
  await evm.node.mine(100);
  evm.clock.advanceMs(60_000);
  const counts = minedOf(await evm.look(transfer, attempts));
  assert.deepEqual([counts.outcome, counts.isFinal], ['transferred', true]);
});

test('the movement of a mined transfer is read once', async () => {
  const evm = await openAtOne();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine();
  const asked = () => evm.proxy.calls.filter(method => method === 'eth_call' || method === 'eth_getLogs').length;
  const before = asked();
  minedOf(await evm.look(transfer, attempts));
  assert.equal(asked() - before, 0, 'a reorganisation may still undo it');
  await evm.node.mine(DEPTH);
  minedOf(await evm.look(transfer, attempts));
  assert.equal(asked() - before, 5);
  assert.equal(minedOf(await evm.look(transfer, attempts)).isFinal, true);
  assert.equal(asked() - before, 5);
});

test('a provider that returns as a node of another network after a failure is not used', async () => {
  const evm = await openAtOne();
  const transfer = evm.transfer();
  const attempts = await evm.send(transfer);
  await evm.node.mine(DEPTH);
  minedOf(await evm.look(transfer, attempts));
  evm.proxy.status = 503;
  assert.equal((await evm.look(transfer, attempts)).kind, 'unknown');
  evm.proxy.status = 200;
  // A network on which the sender has sent nothing.
  evm.proxy.rule = ({ method }) => {
    if (method === 'eth_chainId') return { result: '0x1' };
    if (method === 'eth_getTransactionReceipt') return { result: null };
    return method === 'eth_getTransactionCount' ? { result: '0x0' } : undefined;
  };
  assert.deepEqual(await evm.look(transfer, attempts), { kind: 'unknown', message: 'no provider answers' });
  const { providers } = await evm.chain.health();
  assert.match(providers[0]?.words ?? '', /is a node of chain 1, not of/);
  evm.proxy.rule = () => undefined;
  evm.clock.advanceMs(30_000);
  minedOf(await evm.look(transfer, attempts));
});

test('a payee that spends everything between the estimate and the block is paid: filling an empty balance costs more', async () => {
  const evm = await open();
  const [earlier, transfer] = [evm.transfer(), evm.transfer()];
  const before = await evm.node.rpc('evm_snapshot', []);
  await evm.send(earlier);
  await evm.node.mine();
  // The payee has units when the gas is estimated, and none when the transfer is carried out.
  const attempt = await evm.sign({ ...transfer, slot: earlier.slot });
  await evm.node.rpc('evm_revert', [before]);
  assert.equal(await evm.usdt.balanceOf(PAYEE), 0n);
  assert.deepEqual(await evm.chain.broadcast(attempt), { isSent: true });
  await evm.node.mine(DEPTH);
  assert.equal(minedOf(await evm.look({ ...transfer, slot: earlier.slot }, [attempt])).outcome, 'transferred');
  assert.equal(await evm.usdt.balanceOf(PAYEE), transfer.units);
});
