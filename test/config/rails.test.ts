// The section `rails` of the file of TRILHO_CONFIG: what it gives, and that every fault in it has its path and no secret.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from '../../src/config/config.ts';
import { readSettings } from '../../src/config/read.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { PROFILE_NAMES } from '../../src/rails/bacen/profiles.ts';
import type { BacenSettings } from '../../src/rails/bacen/settings.ts';
import { RAIL_KINDS } from '../../src/rails/kinds.ts';
import { faultsOf, readFrom } from '../harness/config-faults.ts';

const LIVE = { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' };
const RAIL = {
  name: 'efi:main',
  profile: 'efi',
  environment: 'production',
  pixKey: 'loja@example.com',
  clientId: 'Client_Id_1',
  clientSecretFile: 'secret',
  pkcs12File: 'efi.p12',
};

const filesOf = (rails: unknown) => ({ 'trilho.json': JSON.stringify({ rails }) });
const railsFrom = (rails: unknown) => readConfig(LIVE, readFrom(filesOf(rails))).rails as readonly BacenEntry[];
const faultsIn = (rails: unknown) => faultsOf(LIVE, filesOf(rails));

test('rails come from the file in its order; without it there are no rails', () => {
  const whole = {
    ...RAIL,
    name: 'custom',
    profile: 'custom',
    environment: 'test',
    baseUrl: 'https://psp.example/api',
    tokenUrl: 'https://psp.example/oauth/token?grant_type=client_credentials',
    accounts: ['acme'],
    former: true,
    perSecond: 0,
    locationPool: 20,
    quirks: { credentials: 'body', headers: { 'x-account': '{accountNumber}' }, paths: { cob: 'v3/cob' } },
    webhook: { url: 'https://hooks.example/pix/abc', clientCaFile: 'chain.crt', skipMtls: true },
  };
  const rails: readonly BacenSettings[] = railsFrom([RAIL, whole]);
  assert.deepEqual(rails, [RAIL, whole]);
  assert.deepEqual(readConfig({ TRILHO_MODE: 'live' }).rails, []);
});

test('a pix key is read as TRILHO_PIX_KEY is', () => {
  assert.equal(railsFrom([{ ...RAIL, pixKey: '529.982.247-25' }])[0]?.pixKey, '52998224725');
  const [fault] = faultsIn([{ ...RAIL, pixKey: '529.982.247-26' }]);
  assert.match(fault ?? '', /^TRILHO_CONFIG: rails\[0\]\.pixKey must be a pix key in one of five forms/);
});

test('every profile of the rail can be named, and no other', () => {
  const addresses = { baseUrl: 'https://psp.example/api', tokenUrl: 'https://psp.example/token' };
  for (const profile of PROFILE_NAMES)
    assert.equal(railsFrom([{ ...RAIL, ...addresses, profile }])[0]?.profile, profile);
  assert.deepEqual(faultsIn([{ ...RAIL, profile: 'nubank' }]), [
    `TRILHO_CONFIG: rails[0].profile must be one of ${RAIL_KINDS.flatMap(({ profiles = [] }) => profiles).join(', ')}.`,
  ]);
});

test('every fault is reported with its path and without its value', () => {
  const wrong = {
    name: 'Hunter2',
    profile: 'efi',
    environment: 'hunter2',
    baseUrl: 'http://hunter2.example',
    tokenUrl: 'https://u:hunter2@psp.example',
    pixKey: 5,
    clientSecret: 'hunter 2',
    timeoutSeconds: 0,
    locationPool: 1_001,
    accounts: [],
    former: false,
    password: 'hunter2',
    quirks: { headers: { 'hunter 2': 'x' }, paths: { cob: 'a b' }, credentials: 'hunter2' },
    webhook: { url: 'http://hunter2.example' },
  };
  const faults = faultsIn([wrong, 'hunter2']);
  const url = 'must be a URL with https, without user and password.';
  assert.deepEqual(
    faults.toSorted(),
    [
      'rails[0].accounts must not be empty.',
      `rails[0].baseUrl ${url}`,
      'rails[0].clientId is required.',
      'rails[0].clientSecret must be printable ASCII without spaces.',
      'rails[0].environment must be one of production, test.',
      'rails[0].former must be true.',
      'rails[0].locationPool must be at most 1000.',
      'rails[0].name must be a name such as efi or efi:main, and none of sandbox, pix-key, absent.',
      'rails[0].password is not a known field.',
      'rails[0].pixKey must be text.',
      'rails[0].quirks.credentials must be one of basic, body, id-only.',
      'rails[0].quirks.headers.hunter 2 is not a known field.',
      'rails[0].quirks.paths.cob must be a path such as v2/cob.',
      'rails[0].timeoutSeconds must be at least 1.',
      `rails[0].tokenUrl ${url}`,
      `rails[0].webhook.url ${url}`,
      'rails[1] must be an object.',
    ].map(fault => `TRILHO_CONFIG: ${fault}`),
  );
});

test('names are unique and different from the built-in ones; custom needs its addresses', () => {
  assert.deepEqual(faultsIn([RAIL, RAIL]), ['TRILHO_CONFIG: rails must name each rail differently.']);
  for (const name of ['sandbox', 'absent', 'pix-key', 'efi:', 'efi:a:b']) {
    assert.match(faultsIn([{ ...RAIL, name }])[0] ?? '', /rails\[0\]\.name must be a name/);
  }
  assert.deepEqual(faultsIn([{ ...RAIL, profile: 'custom', baseUrl: 'https://psp.example' }]), [
    'TRILHO_CONFIG: rails[0] must have baseUrl and tokenUrl, since the profile custom has no addresses.',
  ]);
});

test('rails are hidden by trilho config and refused by a sandbox', () => {
  const { effective } = readSettings(LIVE, readFrom(filesOf([{ ...RAIL, clientSecret: 'hunter2' }])));
  assert.equal(effective.find(({ setting }) => setting.name === 'TRILHO_RAILS')?.setting.isSecret, true);
  assert.deepEqual(faultsOf({ TRILHO_CONFIG: 'trilho.json' }, filesOf([RAIL])), [
    'TRILHO_CONFIG: rails: a sandbox has a simulated bank and takes no real one.',
  ]);
});
