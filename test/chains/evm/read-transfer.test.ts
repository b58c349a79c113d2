// A transfer that is read from its transaction: any change by a node is noticed, since the hash covers all bytes.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { transferData } from '../../../src/chains/evm/contracts.ts';
import type { Provider } from '../../../src/chains/evm/provider.ts';
import { readTransferIn } from '../../../src/chains/evm/read-transfer.ts';
import { planOf } from '../../../src/chains/evm/settings.ts';
import { readTransaction, signTransaction } from '../../../src/chains/evm/transaction.ts';
import { keySigner } from '../../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../../src/chains/signer/recoverable.ts';

const PAYEE = '0x52908400098527886E0F7030069857D2E4169EE7';
const USDT = '0xdAC17F958D2ee523a2206206994597C13D831ec7';
const signer = keySigner(Buffer.alloc(32, 7));
const { evm: sender } = addressesOf(signer.publicKey);
const plan = planOf({ network: 'ethereum', providers: [], senders: [{ address: sender }] });
const hex = (value: bigint | number) => `0x${value.toString(16)}`;

let hash: string;
let answer: Record<string, unknown>;
before(async () => {
  ({ hash, answer } = await mined({ to: USDT, value: 0n, data: transferData(PAYEE, 5_000_000n) }));
});

/** A signed transaction, as a node shows it. */
async function mined(call: { readonly to: string; readonly value: bigint; readonly data: string }) {
  const fees = { gas: 60_000n, maxFeePerGas: 30n, maxPriorityFeePerGas: 2n };
  const signed = await signTransaction(signer, { chainId: 1, nonce: 9n, ...call, ...fees }, sender);
  assert.ok(signed.kind === 'signed');
  const read = readTransaction(signed.raw);
  assert.ok(read);
  const { fields, signature } = read;
  const number = (bytes: Uint8Array) => hex(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
  const answer = {
    type: '0x2',
    chainId: '0x1',
    nonce: hex(fields.nonce),
    to: fields.to.toLowerCase(),
    value: hex(fields.value),
    input: fields.data,
    gas: hex(fields.gas),
    maxFeePerGas: hex(fields.maxFeePerGas),
    maxPriorityFeePerGas: hex(fields.maxPriorityFeePerGas),
    accessList: [],
    r: number(signature.r),
    s: number(signature.s),
    yParity: hex(signature.yParity),
    blockNumber: '0x10',
    hash: signed.hash,
    from: PAYEE,
  };
  return { hash: signed.hash, answer };
}

function nodeThatSays(transaction: unknown): Provider {
  return {
    name: 'node',
    chainId: async () => 1n,
    trouble: () => undefined,
    ask: async (method, _, read) => {
      const block = { number: '0x10', hash: `0x${'cd'.repeat(32)}`, timestamp: '0x6560d380', baseFeePerGas: '0x1' };
      const value = read(method === 'eth_getTransactionByHash' ? transaction : block);
      return value === undefined ? { kind: 'silence', message: 'unreadable' } : { kind: 'value', value };
    },
  };
}

const reading = (...nodes: readonly unknown[]) => readTransferIn({ providers: nodes.map(nodeThatSays), plan }, hash);

test("sender, payee, asset and amount come from the bytes, not from other fields of the node's answer", async () => {
  const sent = await reading(answer);
  assert.ok(typeof sent === 'object');
  const { raw: _, ...rest } = sent;
  const sentAt = new Date(0x6560d380 * 1_000);
  assert.deepEqual(rest, { sender, symbol: 'usdt', units: 5_000_000n, to: PAYEE, nonce: 9n, hash, sentAt });
});

test('the coin is read as well', async () => {
  const coin = await mined({ to: PAYEE, value: 7n, data: '0x' });
  const sent = await readTransferIn({ providers: [nodeThatSays(coin.answer)], plan }, coin.hash);
  assert.ok(typeof sent === 'object');
  assert.deepEqual([sent.symbol, sent.units, sent.to], ['eth', 7n, PAYEE]);
});

test('a node that changes a field, or shows another transaction, is ignored', async () => {
  const changes: Record<string, unknown>[] = [
    { input: transferData(PAYEE, 6_000_000n) },
    { input: transferData(sender, 5_000_000n) },
    { to: PAYEE.toLowerCase() },
    { nonce: '0x8' },
    { value: '0x1' },
    { chainId: '0x2' },
    { s: '0x1' },
  ];
  for (const change of changes) {
    assert.equal(await reading({ ...answer, ...change }), undefined, JSON.stringify(change));
    assert.equal(typeof (await reading({ ...answer, ...change }, answer)), 'object', 'an honest node is used');
  }
});

test('a transaction that is no transfer, in no block or unknown gives nothing', async () => {
  assert.equal(await reading(null), 'absent');
  assert.equal(await reading({ ...answer, blockNumber: null }), 'absent');
  for (const call of [
    { to: PAYEE, value: 0n, data: transferData(PAYEE, 1n) },
    { to: USDT, value: 1n, data: transferData(PAYEE, 1n) },
    { to: USDT, value: 0n, data: `${transferData(PAYEE, 1n)}00` },
    { to: PAYEE, value: 0n, data: '0x' },
  ]) {
    const other = await mined(call);
    assert.equal(await readTransferIn({ providers: [nodeThatSays(other.answer)], plan }, other.hash), 'absent');
  }
});
