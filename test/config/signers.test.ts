// The section `signers` of the file of TRILHO_CONFIG: what it gives, and that every fault in it has its path.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { readSettings } from '../../src/config/read.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';

const LIVE = { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' };
const ADDRESS = '0x008AeEda4D805471dF9b2A5B0f38A0C3bCBA786b';
const KEYSTORE = { name: 'hot', kind: 'keystore', file: 'hot.json', passwordFile: 'hot.password' };
const PKCS11 = { name: 'hsm', kind: 'pkcs11', module: '/lib/p11.so', token: 'payouts', key: 'hot', pinFile: 'pin' };
const REMOTE = { name: 'far', kind: 'remote', url: 'https://signer.example/', address: ADDRESS };

const filesOf = (signers: unknown) => ({ 'trilho.json': JSON.stringify({ signers }) });
const faultsIn = (signers: unknown) => faultsOf(LIVE, filesOf(signers));

test('signers of each kind come from the file in its order; without it there are no signers', () => {
  const signers = [
    { ...KEYSTORE, address: 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC' },
    { ...PKCS11, packageFolder: '/opt/pkcs11', address: ADDRESS },
    { ...REMOTE, certificateFile: 'client.pem', privateKeyFile: 'client.key', caFile: 'ca.pem' },
  ];
  assert.deepEqual(readConfig(LIVE, readFrom(filesOf(signers))).signers, signers);
  assert.deepEqual(readConfig({ TRILHO_MODE: 'live', TRILHO_SIGNERS: JSON.stringify(signers) }).signers, signers);
  assert.deepEqual(readConfig({ TRILHO_MODE: 'live' }).signers, []);
});

test('every fault is reported with its path, by the kind of the signer, and without its value', () => {
  const faults = faultsIn([
    { ...KEYSTORE, name: 'Hunter2', file: '', password: 'hunter2' },
    { name: 'a', kind: 'hunter2', file: 5 },
    { ...PKCS11, name: 'b', module: 5, token: 'hunter2'.repeat(5), keyId: 'hunter2' },
    { name: 'c', kind: 'pkcs11' },
    { ...REMOTE, url: 'http://hunter2.example', address: '0xhunter2', certificateFile: 'x' },
    { ...REMOTE, url: 'https://u:hunter2@signer.example' },
    { name: 'd' },
    'hunter2',
  ]);
  const url = 'must be a URL with https (http only to this machine), without user and password.';
  assert.deepEqual(
    faults.toSorted(),
    [
      'signers must name each signer differently.',
      'signers[0].file must not be empty.',
      'signers[0].name must be 1 to 40 small letters, digits or -.',
      'signers[0].password is not a known field.',
      'signers[1].kind must be one of keystore, pkcs11, remote.',
      'signers[2] must have key or keyId, and not both.',
      'signers[2].keyId must be 1 to 64 bytes as hexadecimal digits.',
      'signers[2].module must be text.',
      'signers[2].token must have 1 to 32 bytes.',
      'signers[3] must have key or keyId, and not both.',
      'signers[3].module is required.',
      'signers[3].pinFile is required.',
      'signers[3].token is required.',
      'signers[4] must have certificateFile and privateKeyFile, or neither.',
      'signers[4].address must be 0x and 40 hexadecimal digits.',
      `signers[4].url ${url}`,
      `signers[5].url ${url}`,
      'signers[6].kind is required.',
      'signers[7] must be an object.',
    ].map(fault => `TRILHO_CONFIG: ${fault}`),
  );
});

test('a remote signer may be plain http on this machine only', () => {
  for (const host of ['127.0.0.1:8545', 'localhost', '[::1]:9000']) {
    assert.deepEqual(faultsIn([{ ...REMOTE, url: `http://${host}` }]), [], host);
  }
  assert.match(faultsIn([{ ...REMOTE, url: 'http://10.0.0.5' }])[0] ?? '', /signers\[0\]\.url/);
});

test('signers are hidden by trilho config', () => {
  const { effective } = readSettings(LIVE, readFrom(filesOf([REMOTE])));
  assert.equal(effective.find(({ setting }) => setting.name === 'TRILHO_SIGNERS')?.setting.isSecret, true);
});
