// Faults of nodes: silence, lost replies, lag, lies, quotas and forks. They are not evidence.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { keySigner } from '../../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../../src/chains/signer/recoverable.ts';
import { SignerSilent } from '../../../src/chains/signer/signer.ts';
import { openTronChain } from '../../../src/chains/tron/tron-chain.ts';
import { SENDER, SIGNER, signedAttempt, startTron, type TronSetup, USDT, usdtTransfer } from '../../harness/tron.ts';

let tron: TronSetup;
afterEach(() => tron.stop());

const transfer = usdtTransfer();

test('a broadcast whose reply is lost is found by the lookup, and the same bytes sent again pay once', async () => {
  tron = await startTron();
  const { chain, node, passBlocks } = tron;
  const attempt = await signedAttempt(tron, transfer);
  node.endpoints[0].setFault({ kind: 'lost_reply', on: 'wallet/broadcast', count: 1 });
  assert.equal((await chain.broadcast(attempt)).isSent, false);
  const again = await chain.broadcast(attempt);
  assert.equal(again.isSent, false, 'a duplicate does not mean accepted');
  assert.match(again.message ?? '', /DUP_TRANSACTION_ERROR: Transaction already exists/);
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'pending');
  passBlocks(1);
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'mined');
  assert.equal(node.transfers().length, 1);
});

test('a duplicate may mean that the node refused before: the transfer stays absent', async () => {
  tron = await startTron();
  const { chain, node, passBlocks } = tron;
  node.setBalance(SENDER, 0n);
  const attempt = await signedAttempt(tron, usdtTransfer(0n, { symbol: 'trx' }));
  assert.match((await chain.broadcast(attempt)).message ?? '', /BANDWITH_ERROR|CONTRACT_VALIDATE_ERROR/);
  assert.match((await chain.broadcast(attempt)).message ?? '', /DUP_TRANSACTION_ERROR/);
  passBlocks(2);
  assert.equal((await chain.lookup(usdtTransfer(0n, { symbol: 'trx' }), [attempt])).kind, 'absent');
});

test('a node that says SUCCESS and drops the transaction proves nothing', async () => {
  tron = await startTron();
  const { chain, node, passBlocks } = tron;
  node.endpoints[0].setFault({ kind: 'dropping' });
  const attempt = await signedAttempt(tron, transfer);
  assert.equal((await chain.broadcast(attempt)).isSent, true);
  passBlocks(5);
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'absent');
});

test('every node gets the bytes: one that drops them does not delay the transfer', async () => {
  tron = await startTron({ node: { endpoints: 2 } });
  const { chain, node, passBlocks } = tron;
  node.endpoints[0].setFault({ kind: 'dropping' });
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(1);
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'mined');
});

test('a fork undoes a transfer that is not solidified: reported only when another block is in its place', async () => {
  tron = await startTron({ node: { endpoints: 2 } });
  const { chain, node, passBlocks } = tron;
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(3);
  const mined = await chain.lookup(transfer, [attempt]);
  assert.ok(mined.kind === 'mined');
  // Nodes that merely do not show it are not believed.
  for (const endpoint of node.endpoints) endpoint.setFault({ kind: 'hiding' });
  assert.equal((await chain.lookup(transfer, [attempt], mined.block)).kind, 'unknown');
  for (const endpoint of node.endpoints) endpoint.clearFaults();
  for (const endpoint of node.endpoints) endpoint.setFault({ kind: 'lagging', blocks: 10 });
  passBlocks(1);
  assert.equal((await chain.lookup(transfer, [attempt], mined.block)).kind, 'unknown');
  for (const endpoint of node.endpoints) endpoint.clearFaults();

  node.fork(4, 'forgotten');
  passBlocks(1);
  assert.equal((await chain.lookup(transfer, [attempt], mined.block)).kind, 'absent');
  assert.deepEqual(node.transfers(), []);
});

test('a transfer that is pending again after a fork is mined once in another block', async () => {
  tron = await startTron();
  const { chain, node, passBlocks } = tron;
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(3);
  const before = await chain.lookup(transfer, [attempt]);
  node.fork(3, 'wait');
  passBlocks(1);
  const after = await chain.lookup(transfer, [attempt], before.kind === 'mined' ? before.block : undefined);
  assert.ok(before.kind === 'mined' && after.kind === 'mined');
  assert.notEqual(after.block.hash, before.block.hash);
  assert.equal(node.transfers().length, 1);
});

test('one node that forges a result is not believed against another', async () => {
  tron = await startTron({ node: { endpoints: 2 } });
  const { chain, node, passBlocks } = tron;
  const coin = usdtTransfer(0n, { symbol: 'trx' });
  const attempt = await signedAttempt(tron, coin);
  for (const endpoint of node.endpoints) endpoint.setFault({ kind: 'dropping', on: 'wallet/broadcast' });
  node.endpoints[0].setFault({ kind: 'forging' });
  await chain.broadcast(attempt);
  passBlocks(5);
  const sighting = await chain.lookup(coin, [attempt]);
  assert.ok(sighting.kind === 'unknown');
  assert.match(sighting.message ?? '', /does not show/);
});

test('final needs both nodes; one of them is enough for a transfer that is done', async () => {
  tron = await startTron({ node: { endpoints: 2 } });
  const { chain, node, passBlocks } = tron;
  const attempt = await signedAttempt(tron, transfer);
  await chain.broadcast(attempt);
  passBlocks(21);
  node.endpoints[1]?.setFault({ kind: 'cut' });
  const alone = await chain.lookup(transfer, [attempt]);
  assert.ok(alone.kind === 'mined' && !alone.isFinal && alone.confirmations >= chain.depth);
  node.endpoints[1]?.clearFaults();
  tron.clock.advanceMs(15_000);
  const both = await chain.lookup(transfer, [attempt]);
  assert.ok(both.kind === 'mined' && both.isFinal);
});

test('after 429 a node is paused for thirty seconds, and its message is kept without the key', async () => {
  const apiKey = 'secret-key-of-the-operator';
  tron = await startTron({ node: { apiKey } });
  const { chain, node, clock } = tron;
  const [endpoint] = node.endpoints;
  clock.advanceMs(2_000);
  endpoint.setFault({ kind: 'status', status: 429, text: `key ${apiKey} exceeds its quota` });
  const provider = async () => (await chain.health()).providers[0];
  assert.deepEqual(await provider(), {
    name: 'node-1',
    isAnswering: false,
    words: 'node-1 answered 429: key … exceeds its quota',
  });
  endpoint.clearFaults();
  const calls = endpoint.calls().length;
  clock.advanceMs(29_000);
  assert.match((await provider())?.words ?? '', /is not asked for 30 s/);
  assert.equal(endpoint.calls().length, calls, 'it was not asked');
  clock.advanceMs(2_000);
  assert.equal((await provider())?.isAnswering, true);
});

test('a node that fails three times is paused for ten seconds, and the other one is used', async () => {
  tron = await startTron({ node: { endpoints: 2 } });
  const { chain, node, clock } = tron;
  node.endpoints[0].setFault({ kind: 'cut' });
  for (let count = 0; count < 3; count++) assert.ok(await chain.funds(SENDER, 'usdt'));
  const calls = node.endpoints[0].calls().length;
  assert.ok(await chain.funds(SENDER, 'usdt'));
  assert.equal(node.endpoints[0].calls().length, calls);
  clock.advanceMs(10_000);
  await chain.funds(SENDER, 'usdt');
  assert.ok(node.endpoints[0].calls().length > calls);
});

test('silence is an answer: nothing throws', async () => {
  tron = await startTron();
  const { chain, node, clock } = tron;
  const attempt = await signedAttempt(tron, transfer);
  node.endpoints[0].setFault({ kind: 'status', status: 502, text: '<html>Bad Gateway</html>' });
  clock.advanceMs(2_000);
  assert.equal((await chain.lookup(transfer, [attempt])).kind, 'unknown');
  assert.equal((await chain.sign(transfer, [])).kind, 'unknown');
  assert.equal((await chain.check({ ...transfer, sender: SENDER })).kind, 'unknown');
  assert.equal(await chain.funds(SENDER, 'usdt'), undefined);
  assert.equal(await chain.isContract(USDT), undefined);
  assert.equal((await chain.broadcast(attempt)).isSent, false);
  assert.equal((await chain.health()).head, undefined);
});

test('a node that does not answer is waited for as long as its setting says', async () => {
  tron = await startTron({ timeoutSeconds: 1 });
  tron.node.endpoints[0].setFault({ kind: 'silent' });
  const signed = await tron.chain.sign(transfer, []);
  assert.ok(signed.kind === 'unknown');
  assert.match(signed.message ?? '', /did not answer in 1 s/);
});

test('a node whose newest block is far from our time is not signed against', async () => {
  tron = await startTron({ node: { blocks: 'manual' } });
  tron.clock.advanceMs(6 * 60_000);
  const signed = await tron.chain.sign(transfer, []);
  assert.ok(signed.kind === 'unknown');
  assert.match(signed.message ?? '', /away from our time/);
});

test('a signer that is silent or signs with another key yields no attempt', async () => {
  const { signDigest } = keySigner(new Uint8Array(32).fill(3));
  tron = await startTron({ chain: { senders: [{ address: SENDER, signer: { ...SIGNER, signDigest } }] } });
  assert.equal((await tron.chain.sign(transfer, [])).kind, 'refused');
  await tron.stop();
  const silent = { ...SIGNER, signDigest: () => Promise.reject(new SignerSilent()) };
  tron = await startTron({ chain: { senders: [{ address: SENDER, signer: silent }] } });
  assert.equal((await tron.chain.sign(transfer, [])).kind, 'unknown');
});

test('a former sender without its key is still looked up, and never signs', async () => {
  const former = keySigner(new Uint8Array(32).fill(4));
  const address = addressesOf(former.publicKey).tron;
  tron = await startTron({ chain: { senders: [{ address: SENDER, signer: SIGNER }, { address }] } });
  const slot = { network: 'tron', sender: address, nonce: 0n } as const;
  assert.equal((await tron.chain.sign({ ...transfer, slot }, [])).kind, 'refused');
  assert.deepEqual(tron.chain.senders, [SENDER, address]);
});

test('a node that requires another key does not answer, and its message says why', async () => {
  tron = await startTron({ node: { apiKey: 'a-key' } });
  const { url } = tron.node.endpoints[0];
  const settings = { providers: [{ name: 'grid', url }], senders: [{ address: SENDER }] } as const;
  const { chain } = await openTronChain(settings, { clock: tron.clock });
  const [provider] = (await chain.health()).providers;
  assert.match(provider?.words ?? '', /^grid .*answered 401: .*ApiKey not exists/);
});

test('the message of a node is shown without addresses, which may contain a key', async () => {
  tron = await startTron();
  const attempt = await signedAttempt(tron, transfer);
  const text = 'no upstream for https://grid.example/secret-key or /v2/secret-key today';
  tron.node.endpoints[0].setFault({ kind: 'status', status: 502, text });
  const { message = '' } = await tron.chain.broadcast(attempt);
  assert.match(message, /answered 502: no upstream for … or … today/);
  assert.doesNotMatch(message, /secret-key/);
});
