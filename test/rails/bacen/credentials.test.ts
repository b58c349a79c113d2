// Certificates, keys and secrets: a fault stops the start and names the setting, and a renewal needs no restart.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFile, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { StartError } from '../../../src/lib/errors.ts';
import { giveMasterKeys, sealedText } from '../../../src/lib/settings/sealed-file.ts';
import { bacenRail, loadRail } from '../../../src/rails/bacen/rail.ts';
import type { BacenSettings } from '../../../src/rails/bacen/settings.ts';
import { testClock } from '../../harness/clock.ts';
import { recordingLog, silentLog } from '../../harness/log.ts';
import { CODE, NOW, paymentRequest, startScriptedPsp, TXID } from './scripted-psp.ts';

const request = paymentRequest();
const deps = { clock: testClock(NOW), log: silentLog };

function faultsOf(settings: BacenSettings): string[] {
  const loaded = loadRail(settings, deps);
  return 'faults' in loaded ? loaded.faults.map(({ path: at, message }) => `${at} ${message}`) : [];
}

async function startWithFiles(t: TestContext) {
  const psp = await startScriptedPsp(t);
  const file = async (name: string, content: string) => {
    const at = path.join(psp.keys.folder, name);
    await writeFile(at, content);
    return at;
  };
  const { certificateFile: _, privateKeyFile: __, ...withoutPem } = psp.settings;
  return { psp, file, withoutPem };
}

test('every wrong file, key, secret and profile is named', async t => {
  const { psp, file, withoutPem } = await startWithFiles(t);
  const { settings, client } = psp;
  const other = await psp.keys.clientFiles('other');
  const text = await file('text', 'hunter2');
  const empty = await file('empty', '\n');
  const password = await file('password', `${client.p12Password}\n`);
  const { clientSecret: _, ...withoutSecret } = settings;
  const inter = { ...settings, profile: 'inter' };
  const cases: [BacenSettings, string[]][] = [
    [settings, []],
    [{ ...withoutPem, pkcs12File: client.p12, passwordFile: password }, []],
    [{ ...withoutSecret, clientSecretFile: text }, []],
    [{ ...settings, profile: 'nubank' }, ['profile is not a known profile']],
    [withoutPem, ['certificateFile is required with privateKeyFile, or pkcs12File']],
    [{ ...withoutPem, certificateFile: client.certificate }, ['privateKeyFile is required with certificateFile']],
    [{ ...withoutPem, privateKeyFile: client.key }, ['certificateFile is required with privateKeyFile']],
    [
      { ...settings, pkcs12File: client.p12 },
      ['pkcs12File is given together with certificateFile or privateKeyFile; keep one'],
    ],
    [{ ...settings, certificateFile: `${text}x` }, ['certificateFile cannot be read (ENOENT)']],
    [{ ...settings, certificateFile: text }, ['certificateFile holds no certificate in PEM']],
    [
      { ...settings, privateKeyFile: text },
      ['privateKeyFile holds no private key in PEM; an encrypted one needs passwordFile'],
    ],
    [{ ...settings, privateKeyFile: other.key }, ['privateKeyFile does not belong to certificateFile']],
    [{ ...withoutPem, pkcs12File: text, passwordFile: password }, ['pkcs12File is not a PKCS#12 file']],
    [{ ...withoutPem, pkcs12File: client.p12, passwordFile: text }, ['passwordFile is not the password of pkcs12File']],
    [{ ...settings, caFile: text }, ['caFile holds no certificate in PEM']],
    [withoutSecret, ['clientSecret is required, or clientSecretFile']],
    [{ ...settings, clientSecretFile: text }, ['clientSecret is also given as clientSecretFile; keep one']],
    [{ ...withoutSecret, clientSecretFile: empty }, ['clientSecretFile is an empty file']],
    [inter, ['accountNumber is required for the profile inter']],
    [{ ...settings, profile: 'bb' }, ['appKey is required, or appKeyFile']],
    [
      { ...withoutSecret, caFile: text, certificateFile: `${text}x` },
      [
        'certificateFile cannot be read (ENOENT)',
        'clientSecret is required, or clientSecretFile',
        'caFile holds no certificate in PEM',
      ],
    ],
  ];
  for (const [given, faults] of cases) assert.deepEqual(faultsOf(given), faults);

  const { baseUrl: ___, ...withoutUrl } = settings;
  assert.deepEqual(faultsOf(withoutUrl), ['baseUrl is required for the profile custom']);
  assert.throws(
    () => bacenRail({ ...settings, privateKeyFile: other.key }, deps),
    (error: unknown) => {
      assert.ok(error instanceof StartError);
      return error.message === 'The rail custom:test: privateKeyFile does not belong to certificateFile.';
    },
  );
});

test('a secret and a key that are encrypted with the master key work like plain ones', async t => {
  const { psp, file } = await startWithFiles(t);
  const masterKey = randomBytes(32);
  giveMasterKeys([masterKey]);
  const { clientSecret = '', ...withoutSecret } = psp.settings;
  const clientSecretFile = await file('sealed-secret', sealedText(masterKey, Buffer.from(`${clientSecret}\n`)));
  const privateKeyFile = await file('sealed-key', sealedText(masterKey, await readFile(psp.client.key)));
  psp.answer({ body: { status: 'ATIVA', pixCopiaECola: CODE } });
  const rail = bacenRail({ ...withoutSecret, clientSecretFile, privateKeyFile }, deps);
  assert.equal((await rail.lookup(request, TXID)).kind, 'registered');
  const lost = await file('lost', sealedText(randomBytes(32), Buffer.from('hunter2')));
  assert.match(
    faultsOf({ ...withoutSecret, clientSecretFile: lost }).join(),
    /^clientSecretFile cannot be read \(sealed with the key \w{8}, which TRILHO_MASTER_KEY lacks\)/,
  );
});

test('PEM and PKCS#12 present the same certificate, also on the call for the token', async t => {
  const { psp, file, withoutPem } = await startWithFiles(t);
  const passwordFile = await file('password', psp.client.p12Password);
  psp.answer({ body: { status: 'ATIVA', pixCopiaECola: CODE } });
  for (const settings of [psp.settings, { ...withoutPem, pkcs12File: psp.client.p12, passwordFile }]) {
    assert.equal((await bacenRail(settings, deps).lookup(request, TXID)).kind, 'registered');
  }
  const serials = [...psp.calls, ...psp.tokenCalls].map(({ serial }) => serial);
  assert.deepEqual([serials.length, new Set(serials).size], [4, 1]);
});

test('a renewed certificate and secret are used within seconds, and calls in flight are not interrupted', async t => {
  const { psp, file } = await startWithFiles(t);
  const { clientSecret: _, ...withoutSecret } = psp.settings;
  const clientSecretFile = await file('secret', 'first\n');
  const clock = testClock(NOW);
  const { log, lines } = recordingLog();
  const { lookup } = bacenRail({ ...withoutSecret, clientSecretFile }, { clock, log });
  const renewed = await psp.keys.issue({ clientId: 'trilho' });
  psp.answer({ body: { status: 'ATIVA', pixCopiaECola: CODE } });
  await lookup(request, TXID);

  // A certificate without its key yet: the old pair stays in use.
  await copyFile(renewed.certificate, psp.client.certificate);
  clock.advanceMs(5_000);
  assert.equal((await lookup(request, TXID)).kind, 'registered');
  assert.match(lines.join(), /privateKeyFile does not belong to certificateFile/);

  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  let isHeld = true;
  psp.answer(async () => {
    if (isHeld) {
      isHeld = false;
      await held;
    }
    return { body: { status: 'ATIVA', pixCopiaECola: CODE } };
  });
  const underWay = lookup(request, TXID);
  await rename(renewed.key, psp.client.key);
  await writeFile(clientSecretFile, 'second\n');
  clock.advanceMs(4_999);
  await lookup(request, TXID);
  clock.advanceMs(1);
  await lookup(request, TXID);
  release();
  assert.equal((await underWay).kind, 'registered');

  const serials = psp.calls.map(({ serial }) => serial);
  assert.equal(new Set(serials.slice(0, 4)).size, 1);
  assert.notEqual(serials[4], serials[0]);
  const secrets = psp.tokenCalls.map(({ headers }) =>
    Buffer.from(headers.authorization?.split(' ')[1] ?? '', 'base64').toString(),
  );
  assert.deepEqual(secrets, ['trilho:first', 'trilho:second']);
});
