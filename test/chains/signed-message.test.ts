// Signatures of texts by independent signers: ethers for EVM wallets, tronweb for Tron.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { SigningKey, Wallet } from 'ethers';
import { TronWeb } from 'tronweb';
import type { Network } from '../../src/chains/asset.ts';
import { messageSigner } from '../../src/chains/signed-message.ts';

const KEY = '0x4c0883a69102937d6231471b5dbb6204fe5129617082792ae468d01a3f362318';
const TEXTS = ['', 'x', 'Olá, carteira — ação\nsegunda linha', 'a'.repeat(1_000), '\u{1f600}'.repeat(40)];

type Signer = { readonly network: Network; readonly address: string; sign(text: string): Promise<string> };

const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:1' });
const SIGNERS: Signer[] = [
  { network: 'polygon', address: new Wallet(KEY).address, sign: text => new Wallet(KEY).signMessage(text) },
  {
    network: 'tron',
    address: String(TronWeb.address.fromPrivateKey(KEY.slice(2))),
    sign: async text => tronWeb.trx.signMessageV2(text, KEY.slice(2)),
  },
];

for (const { network, address, sign } of SIGNERS) {
  test(`${network}: the signer of any text is found, with v as 27, 28, 0 or 1, with and without 0x`, async () => {
    for (const text of TEXTS) {
      const signature = await sign(text);
      const v = Number.parseInt(signature.slice(-2), 16);
      assert.ok(v === 27 || v === 28);
      const low = `${signature.slice(0, -2)}0${v - 27}`;
      for (const spelling of [signature, signature.slice(2), signature.toUpperCase().replace('0X', '0x'), low]) {
        assert.equal(messageSigner(network, text, spelling), address);
      }
    }
  });

  test(`${network}: a high s is accepted, as by ecrecover`, async () => {
    const text = 'a text';
    const signature = await sign(text);
    const s = BigInt(`0x${signature.slice(66, 130)}`);
    const high = (secp256k1.Point.Fn.ORDER - s).toString(16).padStart(64, '0');
    const flipped = signature.endsWith('1b') ? '1c' : '1b';
    assert.equal(messageSigner(network, text, `${signature.slice(0, 66)}${high}${flipped}`), address);
  });

  test(`${network}: another text, another parity and a changed byte do not lead to the signer`, async () => {
    const signature = await sign('a text');
    assert.notEqual(messageSigner(network, 'another text', signature), address);
    const flipped = signature.endsWith('1b') ? '1c' : '1b';
    assert.notEqual(messageSigner(network, 'a text', signature.slice(0, -2) + flipped), address);
    const changed = signature.slice(0, 10) + (signature[10] === '0' ? '1' : '0') + signature.slice(11);
    assert.notEqual(messageSigner(network, 'a text', changed), address);
  });

  test(`${network}: bytes that are not a signature have no signer`, async () => {
    const signature = await sign('a text');
    const none = [
      '',
      '0x',
      signature.slice(0, -2),
      `${signature}00`,
      `${signature.slice(0, -2)}1d`,
      `${signature.slice(0, -2)}02`,
      `0x${'0'.repeat(128)}1b`,
      `0x${'f'.repeat(128)}1b`,
      `0x${signature.slice(2).replace(/[0-9a-f]/, 'g')}`,
    ];
    for (const given of none) assert.equal(messageSigner(network, 'a text', given), undefined, given);
  });
}

test('a signature of one kind of wallet proves nothing of the other, though the key is the same', async () => {
  const [evm, tron] = SIGNERS;
  assert.ok(evm && tron);
  assert.notEqual(messageSigner('tron', 'a text', await evm.sign('a text')), tron.address);
  assert.notEqual(messageSigner('polygon', 'a text', await tron.sign('a text')), evm.address);
});

test('a digest of the text without the prefix is not accepted', async () => {
  const [evm] = SIGNERS;
  assert.ok(evm);
  const { keccak256, toUtf8Bytes } = await import('ethers');
  const { serialized } = new SigningKey(KEY).sign(keccak256(toUtf8Bytes('a text')));
  assert.notEqual(messageSigner('polygon', 'a text', serialized), evm.address);
});
