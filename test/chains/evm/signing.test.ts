// The result of a signer is used only if it is exactly the requested transaction, signed by the sender.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { readTransaction, signTransaction, type Transaction } from '../../../src/chains/evm/transaction.ts';
import { keySigner } from '../../../src/chains/signer/key-signer.ts';
import { addressesOf } from '../../../src/chains/signer/recoverable.ts';
import { SignerRefused, SignerSilent, type TransactionSigner } from '../../../src/chains/signer/signer.ts';
import { PAYEE, PRIVATE_KEY, SENDER } from '../../harness/evm.ts';

const GWEI = 10n ** 9n;
const ASKED: Transaction = {
  chainId: 1,
  nonce: 0n,
  to: PAYEE,
  value: 5n,
  data: '0x',
  gas: 21_000n,
  maxFeePerGas: 2n * GWEI,
  maxPriorityFeePerGas: GWEI,
};
const digestSigner = keySigner(PRIVATE_KEY);

async function bytesOf(transaction: Transaction): Promise<string> {
  const signed = await signTransaction(digestSigner, transaction, SENDER);
  assert.ok(signed.kind === 'signed');
  return signed.raw;
}

const remote = (raw: () => Promise<string>): TransactionSigner => ({
  kind: 'transaction',
  address: SENDER,
  signTransaction: raw,
});

test('signed bytes read back as what was signed', async () => {
  for (const nonce of [0n, 1n, 127n, 128n, 2n ** 40n]) {
    const asked = { ...ASKED, nonce, data: '0xa9059cbb00' };
    assert.deepEqual(readTransaction(await bytesOf(asked))?.fields, asked);
  }
});

test('a high s is made low, and the bytes are the same', async () => {
  const high = {
    ...digestSigner,
    async signDigest(digest: Uint8Array) {
      const { r, s } = secp256k1.Signature.fromBytes(await digestSigner.signDigest(digest));
      return new secp256k1.Signature(r, secp256k1.Point.Fn.ORDER - s).toBytes();
    },
  };
  const signed = await signTransaction(high, ASKED, SENDER);
  assert.deepEqual(signed.kind === 'signed' && signed.raw, await bytesOf(ASKED));
});

test('a remote signer may sign the request, and not change any field', async () => {
  const right = await bytesOf(ASKED);
  const signed = await signTransaction(
    remote(async () => right),
    ASKED,
    SENDER,
  );
  assert.equal(signed.kind, 'signed');
  const others: readonly Partial<Transaction>[] = [
    { chainId: 5 },
    { nonce: 1n },
    { to: SENDER },
    { value: 6n },
    { data: '0x00' },
    { gas: 21_001n },
    { maxFeePerGas: 3n * GWEI },
    { maxPriorityFeePerGas: GWEI + 1n },
  ];
  for (const change of others) {
    const raw = await bytesOf({ ...ASKED, ...change });
    const answer = await signTransaction(
      remote(async () => raw),
      ASKED,
      SENDER,
    );
    assert.equal(answer.kind, 'refused', JSON.stringify(Object.keys(change)));
  }
});

test('bytes of another key, with trailing bytes, of another type, or no bytes are refused', async () => {
  const other = keySigner(new Uint8Array(32).fill(8));
  const foreign = await signTransaction(other, ASKED, addressesOf(other.publicKey).evm);
  assert.ok(foreign.kind === 'signed');
  const right = await bytesOf(ASKED);
  for (const raw of [foreign.raw, `${right}00`, right.slice(0, -2), `0x01${right.slice(4)}`, '0x', '', 'nonsense']) {
    const answer = await signTransaction(
      remote(async () => raw),
      ASKED,
      SENDER,
    );
    assert.equal(answer.kind, 'refused', raw);
  }
});

test('a digest signer that signs with another key than its own is refused', async () => {
  const other = keySigner(new Uint8Array(32).fill(8));
  const answer = await signTransaction({ ...digestSigner, signDigest: other.signDigest }, ASKED, SENDER);
  assert.equal(answer.kind, 'refused');
});

test('a signer of another address than the sender is refused', async () => {
  const answer = await signTransaction(keySigner(new Uint8Array(32).fill(8)), ASKED, SENDER);
  assert.equal(answer.kind, 'refused');
});

test('a silent signer is unknown and one that refuses is refused with its message', async () => {
  const throwing = (error: Error) => remote(() => Promise.reject(error));
  assert.equal((await signTransaction(throwing(new SignerSilent()), ASKED, SENDER)).kind, 'unknown');
  assert.deepEqual(await signTransaction(throwing(new SignerRefused('The key is locked.')), ASKED, SENDER), {
    kind: 'refused',
    message: 'The key is locked.',
  });
});
