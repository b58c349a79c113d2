// What the simulated node refuses, with the codes of java-tron, and what it includes in a block at a cost.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keySigner } from '../../../src/chains/signer/key-signer.ts';
import { signRecoverable } from '../../../src/chains/signer/recoverable.ts';
import { signedTransaction, type TronTransfer, unsignedTransaction } from '../../../src/chains/tron/transaction.ts';
import { PAYEE, SENDER, SIGNER, startTron, type TronSetup, USDT } from '../../harness/tron.ts';

let tron: TronSetup;
before(async () => {
  tron = await startTron();
});
after(() => tron.stop());

async function ask(path: string, body: unknown) {
  const answer = await fetch(`${tron.node.endpoints[0].url}/${path}`, { method: 'POST', body: JSON.stringify(body) });
  return JSON.parse(await answer.text());
}

let made = 0;

async function send(changes: Partial<TronTransfer>, signer = SIGNER): Promise<string> {
  const { blockID: id, block_header: header } = await ask('walletsolidity/getblock', {});
  const { number, timestamp } = header.raw_data;
  const unsigned = unsignedTransaction({
    owner: SENDER,
    to: PAYEE,
    units: 1_000_000n,
    reference: { number, id },
    expirationMs: timestamp + 10 * 60_000,
    timestampMs: ++made,
    ...changes,
  });
  const bytes = signedTransaction(unsigned, await signRecoverable(signer, unsigned.id));
  const { code } = await ask('wallet/broadcasthex', { transaction: Buffer.from(bytes).toString('hex') });
  return code;
}

test('a transaction that java-tron refuses is refused with its code', async () => {
  const nowMs = tron.clock.now().getTime();
  assert.equal(await send({}), 'SUCCESS');
  assert.equal(await send({}, keySigner(new Uint8Array(32).fill(9))), 'SIGERROR');
  assert.equal(await send({ reference: { number: 1, id: 'ab'.repeat(32) } }), 'TAPOS_ERROR');
  assert.equal(await send({ expirationMs: nowMs - 60_000 }), 'TRANSACTION_EXPIRATION_ERROR');
  assert.equal(await send({ expirationMs: nowMs + 25 * 3_600_000 }), 'TRANSACTION_EXPIRATION_ERROR');
  assert.equal(await send({ to: SENDER }), 'CONTRACT_VALIDATE_ERROR');
  assert.equal(await send({ to: USDT }), 'CONTRACT_VALIDATE_ERROR');
  assert.equal(await send({ units: 10n ** 15n }), 'CONTRACT_VALIDATE_ERROR');
  assert.equal(await send({ token: { contract: PAYEE, feeLimit: 1n } }), 'CONTRACT_VALIDATE_ERROR');
  assert.equal(await send({ token: { contract: USDT, feeLimit: 15_000_000_001n } }), 'CONTRACT_VALIDATE_ERROR');
});

test('a call with too low a fee limit is included, fails in its block, and costs the limit', async () => {
  const { node, passBlocks } = tron;
  assert.equal(await send({ token: { contract: USDT, feeLimit: 1_000_000n } }), 'SUCCESS');
  passBlocks(1);
  node.headNumber();
  const last = node.transactions().at(-1);
  assert.equal(last?.result, 'OUT_OF_ENERGY');
  assert.ok(last.fee >= 1_000_000n);
  assert.equal(node.tokenBalance(USDT, PAYEE), 0n);
});

test('unreadable bytes are an error with status 200', async () => {
  assert.match((await ask('wallet/broadcasthex', { transaction: '0a7f' })).Error, /ends inside a field/);
  assert.match((await ask('wallet/getaccount', { address: PAYEE })).Error, /INVALID address/);
  assert.equal((await ask('wallet/getaccount', { address: SENDER, visible: true })).address, SENDER);
});
