// Signatures as chains accept them: low s, the right parity, and only of the signer's own key.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { recoverAddress, Signature, Wallet } from 'ethers';
import { utils as tron } from 'tronweb';
import { createPrivateKey, keySigner } from '../../../src/chains/signer/key-signer.ts';
import { addressesOf, signRecoverable } from '../../../src/chains/signer/recoverable.ts';
import { type DigestSigner, SignerRefused } from '../../../src/chains/signer/signer.ts';

const ORDER = secp256k1.Point.Fn.ORDER;
const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}`;

/** As an HSM may answer: the other s of the same signature. */
function withHighS(signer: DigestSigner): DigestSigner {
  return {
    ...signer,
    signDigest: async digest => {
      const { r, s } = secp256k1.Signature.fromBytes(await signer.signDigest(digest), 'compact');
      return new secp256k1.Signature(r, ORDER - s).toBytes('compact');
    },
  };
}

test('every signature has a low s and the parity from which others recover the address', async () => {
  const signer = keySigner(createPrivateKey());
  const { evm } = addressesOf(signer.publicKey);
  const parities = new Set<number>();
  for (let count = 0; count < 40; count++) {
    const digest = randomBytes(32);
    const found = await signRecoverable(count % 2 === 0 ? signer : withHighS(signer), digest);
    assert.ok(BigInt(hex(found.s)) <= ORDER / 2n);
    const signature = Signature.from({ r: hex(found.r), s: hex(found.s), yParity: found.yParity });
    assert.equal(recoverAddress(digest, signature), evm);
    parities.add(found.yParity);
  }
  assert.deepEqual([...parities].sort(), [0, 1]);
});

test('a signature of another key or digest, or no signature, is refused', async () => {
  const signer = keySigner(createPrivateKey());
  const other = keySigner(createPrivateKey());
  const answers: DigestSigner['signDigest'][] = [
    other.signDigest,
    () => signer.signDigest(randomBytes(32)),
    async () => new Uint8Array(64),
    async () => new Uint8Array(64).fill(0xff),
    async digest => (await signer.signDigest(digest)).subarray(1),
    async () => randomBytes(64),
  ];
  for (const signDigest of answers) {
    await assert.rejects(signRecoverable({ ...signer, signDigest }, randomBytes(32)), SignerRefused);
  }
  await assert.rejects(signRecoverable(signer, randomBytes(31)), RangeError);
});

test('the addresses of a key equal those of ethers and tronweb', () => {
  for (let count = 0; count < 20; count++) {
    const privateKey = createPrivateKey();
    const { evm, tron: tronAddress } = addressesOf(keySigner(privateKey).publicKey);
    assert.equal(evm, new Wallet(hex(privateKey)).address);
    assert.equal(tronAddress, tron.address.fromPrivateKey(hex(privateKey).slice(2)));
  }
});
