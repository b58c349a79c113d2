// The bytes of a transfer equal those of tronweb. `npm run conformance -- tron` compares 10,000.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proveEncoder } from '../../harness/tron-proof.ts';

test('300 random transfers equal those of tronweb: raw data, id, signature, signed bytes', async () => {
  const { coin, token } = await proveEncoder(300, 20);
  assert.equal(coin + token, 300);
  assert.ok(coin > 100 && token > 100, 'both kinds are compared');
});
