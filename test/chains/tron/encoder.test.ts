// The bytes of a transfer are those that tronweb makes. `npm run proof:tron` compares 10,000.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { addressOfPublicKey, recoverableSignature } from '../../../src/chains/tron/signature.ts';
import { proveEncoder } from '../../harness/tron-proof.ts';

const KEY = new Uint8Array(32).fill(7);
const OWNER = addressOfPublicKey(secp256k1.getPublicKey(KEY, false));
const DIGEST = new Uint8Array(32).fill(9);

test('500 random transfers are those of tronweb: raw data, id, signature, signed bytes', () => {
  const { coin, token } = proveEncoder(500, 20);
  assert.equal(coin + token, 500);
  assert.ok(coin > 200 && token > 200, 'both kinds are compared');
});

test('a signature with a high s is made low', () => {
  const low = secp256k1.Signature.fromBytes(secp256k1.sign(DIGEST, KEY, { prehash: false }), 'compact');
  const high = new secp256k1.Signature(low.r, secp256k1.Point.Fn.ORDER - low.s);
  const expected = recoverableSignature(DIGEST, low.toBytes('compact'), OWNER);
  assert.ok(expected);
  assert.deepEqual(recoverableSignature(DIGEST, high.toBytes('compact'), OWNER), expected);
});

test('a signature of another key or of other bytes is refused', () => {
  const other = secp256k1.sign(DIGEST, new Uint8Array(32).fill(8), { prehash: false });
  assert.equal(recoverableSignature(DIGEST, other, OWNER), undefined);
  assert.equal(recoverableSignature(DIGEST, new Uint8Array(64), OWNER), undefined);
  assert.equal(recoverableSignature(DIGEST, new Uint8Array(64).fill(0xff), OWNER), undefined);
  assert.equal(recoverableSignature(DIGEST, other.subarray(1), OWNER), undefined);
});
