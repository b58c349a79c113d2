// Keystore files: published vectors are read, ethers reads our files and we read its files, and a fault of a
// file is named.
import assert from 'node:assert/strict';
import { scryptSync } from 'node:crypto';
import { test } from 'node:test';
import { decryptKeystoreJson, encryptKeystoreJson, getBytes, hexlify, scrypt, Wallet } from 'ethers';
import { createPrivateKey } from '../../../src/chains/signer/key-signer.ts';
import { decryptKeystore, encryptKeystore, parseKeystore } from '../../../src/chains/signer/keystore.ts';
import { PBKDF2_VECTOR, SCRYPT_VECTOR, SHORT_KEY_VECTOR, VECTOR_ADDRESS } from './vectors.ts';

// In JavaScript, 2^18 rounds take ethers many seconds. The published vectors prove scrypt itself.
scrypt.register(async (password, salt, N, r, p, length) =>
  hexlify(scryptSync(getBytes(password), getBytes(salt), length, { N, r, p, maxmem: 2 ** 30 })),
);

async function open(text: string, password: string): Promise<string> {
  const parsed = parseKeystore(text);
  if ('fault' in parsed) return parsed.fault;
  const opened = await decryptKeystore(parsed.keystore, password);
  return 'fault' in opened ? opened.fault : Buffer.from(opened.privateKey).toString('hex');
}

for (const [name, vector] of Object.entries({ SCRYPT_VECTOR, PBKDF2_VECTOR, SHORT_KEY_VECTOR })) {
  test(`the published ${name} is read`, async () => {
    assert.equal(await open(JSON.stringify(vector.keystore), vector.password), vector.privateKey);
  });
}

test('ethers reads a keystore that is written here', async () => {
  const privateKey = Buffer.from(createPrivateKey());
  const text = await encryptKeystore(privateKey, 'sal e pimenta, ção');
  const { kdf, kdfparams } = JSON.parse(text).crypto;
  assert.deepEqual([kdf, kdfparams.n, kdfparams.r, kdfparams.p], ['scrypt', 2 ** 18, 8, 1]);
  const read = await decryptKeystoreJson(text, 'sal e pimenta, ção');
  assert.equal(read.privateKey, `0x${privateKey.toString('hex')}`);
  assert.equal(read.address, new Wallet(read.privateKey).address);
  assert.equal(await open(text, 'sal e pimenta, ção'), privateKey.toString('hex'));
  assert.ok(!text.includes(privateKey.toString('hex')));
});

test('a keystore that ethers writes is read', async () => {
  const wallet = new Wallet(`0x${SCRYPT_VECTOR.privateKey}`);
  const text = await encryptKeystoreJson(wallet, 'abc', { scrypt: { N: 4096, r: 8, p: 1 } });
  assert.equal(await open(text, 'abc'), SCRYPT_VECTOR.privateKey);
  const parsed = parseKeystore(text);
  assert.equal('keystore' in parsed && parsed.keystore.addresses?.evm, VECTOR_ADDRESS);
});

test('a wrong password and the address of another key have different errors', async () => {
  const { keystore, password } = SHORT_KEY_VECTOR;
  assert.equal(await open(JSON.stringify(keystore), 'bar'), 'password');
  const address = VECTOR_ADDRESS.slice(2);
  assert.equal(await open(JSON.stringify({ ...keystore, address }), password), 'address');
});

test('the error of an incomplete keystore of version 3 names what is missing', async () => {
  const whole = JSON.stringify(SHORT_KEY_VECTOR.keystore);
  const wrong: [from: string | RegExp, to: string, fault: string][] = [
    [/^/, 'x', 'is not a keystore file'],
    ['"version":3', '"version":1', 'is not a keystore of version 3'],
    ['aes-128-ctr', 'aes-128-cbc', 'has another cipher than aes-128-ctr'],
    ['"scrypt"', '"argon2"', 'has another kdf than scrypt and pbkdf2'],
    ['"scrypt"', '"pbkdf2"', 'has parameters of pbkdf2 that are wrong or too large'],
    ['"n":2', '"n":3', 'has parameters of scrypt that are wrong or too large'],
    ['"n":2', '"n":2097152', 'has parameters of scrypt that are wrong or too large'],
    ['"p":1', '"p":1000', 'has parameters of scrypt that are wrong or too large'],
    ['"dklen":32', '"dklen":16', 'has parameters of scrypt that are wrong or too large'],
    [/"salt":"../, '"salt":"zz', 'has parameters of scrypt that are wrong or too large'],
    [/"mac":"../, '"mac":"', 'has an incomplete crypto section'],
    [/"iv":"../, '"iv":"', 'has an incomplete crypto section'],
    [/"ciphertext":"/, '"ciphertext":"0000', 'has an incomplete crypto section'],
    ['"version"', '"address":"0102","version"', 'has an address that is not 20 bytes long'],
  ];
  for (const [from, to, fault] of wrong) {
    const text = whole.replace(from, to);
    assert.notEqual(text, whole);
    assert.equal(await open(text, SHORT_KEY_VECTOR.password), fault, to);
  }
});
