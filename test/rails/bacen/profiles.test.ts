// Profiles as data: each has what a call needs, and the differences of test environments and settings.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROFILE_NAMES, PROFILES, profileOf } from '../../../src/rails/bacen/profiles.ts';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import { ENVIRONMENTS } from '../../../src/rails/bank-client/settings.ts';
import { testClock } from '../../harness/clock.ts';
import { silentLog } from '../../harness/log.ts';
import { CODE, NOW, paymentRequest, startScriptedPsp, TXID } from './scripted-psp.ts';

const deps = { clock: testClock(NOW), log: silentLog };
const ANSWER = { body: { status: 'ATIVA', pixCopiaECola: CODE } };

test('every profile but custom has addresses with https for both environments', () => {
  for (const name of PROFILE_NAMES) {
    for (const environment of ENVIRONMENTS) {
      const { baseUrl, tokenUrl } = profileOf(PROFILES, name, environment)!;
      for (const url of [baseUrl, tokenUrl]) {
        if (name === 'custom') assert.equal(url, undefined);
        else assert.match(url ?? '', /^https:\/\/[a-z0-9.-]+\/[\w./-]*[\w]$/, `${name} ${environment}`);
      }
    }
    if (name === 'custom') continue;
    assert.notEqual(profileOf(PROFILES, name, 'test')?.baseUrl, profileOf(PROFILES, name, 'production')?.baseUrl);
  }
});

test("Itaú's test environment wants the token in a header of its own, and no certificate", async t => {
  const psp = await startScriptedPsp(t);
  psp.answer(ANSWER);
  const { lookup } = bacenRail({ ...psp.settings, profile: 'itau', environment: 'test' }, deps);
  await lookup(paymentRequest(), TXID);
  assert.equal(psp.calls[0]?.headers['x-sandbox-token'], 'token-1');
  assert.match(String(psp.calls[0]?.headers['x-correlationid']), /^[0-9a-f-]{36}$/);
  const { certificateFile: _, privateKeyFile: __, ...withoutCertificate } = psp.settings;
  bacenRail({ ...withoutCertificate, profile: 'itau', environment: 'test' }, deps);
});

test("Sicoob's test environment has a fixed token", async t => {
  const psp = await startScriptedPsp(t);
  psp.answer(ANSWER);
  const settings = { ...psp.settings, profile: 'sicoob', environment: 'test' } as const;
  assert.throws(() => bacenRail(settings, deps), /accessToken is required, or accessTokenFile/);
  await bacenRail({ ...settings, accessToken: 'fixed' }, deps).lookup(paymentRequest(), TXID);
  assert.deepEqual(psp.tokenCalls, []);
  assert.equal(psp.calls[0]?.headers.authorization, 'Bearer fixed');
  assert.equal(psp.calls[0]?.headers['client_id'], 'trilho');
});

test('a setting overrides the profile', async t => {
  const psp = await startScriptedPsp(t);
  psp.answer(ANSWER);
  const quirks = {
    paths: { cobv: 'v3/cobv' },
    patchPaths: { cobv: '../other/cobv' },
    headers: { 'x-account': '{accountNumber}' },
    query: { key: '{appKey}' },
  };
  const values = { accountNumber: '12345', appKey: 'app key' };
  const rail = bacenRail({ ...psp.settings, ...values, quirks }, deps);
  await rail.submit(paymentRequest(), TXID);
  await rail.cancel(paymentRequest(), TXID);
  assert.deepEqual(
    psp.calls.map(({ method, path }) => [method, path]),
    [
      ['PUT', `/api/v3/cobv/${TXID}`],
      ['PATCH', `/other/cobv/${TXID}`],
    ],
  );
  assert.deepEqual([psp.calls[0]?.headers['x-account'], psp.calls[0]?.query.get('key')], ['12345', 'app key']);
});
