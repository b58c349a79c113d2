// What an operator does with a rail: registers its webhook, takes locations, and runs a diagnosis.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { Psp } from '@trilho/psp';
import { uuidV7 } from '../../../src/lib/ids.ts';
import { diagnoseRail } from '../../../src/rails/bacen/diagnose.ts';
import { PROFILE_NAMES, PROFILES, profileOf } from '../../../src/rails/bacen/profiles.ts';
import type { BacenSettings } from '../../../src/rails/bacen/settings.ts';
import type { Check } from '../../../src/rails/bank-client/check.ts';
import { testClock } from '../../harness/clock.ts';
import { silentLog } from '../../harness/log.ts';
import { NOW, paymentRequest } from './scripted-psp.ts';
import { startSimulated } from './simulated-psp.ts';

/** A receiver that accepts calls with the PSP's certificate only. */
async function startReceiver(t: TestContext, psp: Psp, { checksClients = true } = {}): Promise<string> {
  const { certificate, key } = psp.files.receiver;
  const server = createServer(
    {
      cert: readFileSync(certificate),
      key: readFileSync(key),
      ca: readFileSync(psp.files.webhookChain),
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => {
      const isKnown = !checksClients || (request.socket as TLSSocket).authorized;
      response.writeHead(isKnown ? 200 : 403).end();
    },
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    return new Promise(resolve => server.close(resolve));
  });
  return `https://localhost:${(server.address() as AddressInfo).port}/rails/secret`;
}

for (const profile of PROFILE_NAMES) {
  test(`${profile}: a webhook is registered and read back`, async t => {
    const { psp, rail } = await startSimulated(t, profile);
    const url = await startReceiver(t, psp);
    assert.equal(await rail.readWebhook(), undefined);
    await rail.registerWebhook(url);
    assert.deepEqual(await rail.readWebhook(), { url });
    await assert.rejects(rail.registerWebhook('http://plain.example'), { code: 'wrong_state' });
  });

  test(`${profile}: a location is taken and used if the PSP has them`, async t => {
    const { psp, rail } = await startSimulated(t, profile);
    const { hasLocations } = profileOf(PROFILES, profile, 'production')!;
    assert.equal(rail.takeLocation !== undefined, hasLocations);
    if (!rail.takeLocation) return;
    const request = paymentRequest({ id: uuidV7(new Date(NOW)) });
    const location = await rail.takeLocation(rail.kindOf(request));
    const { reference, instrument } = rail.prepare(request, location);
    const outcome = await rail.submit(request, reference, location);
    assert.equal(outcome.kind, 'registered');
    // The code that was handed out earlier is the code of the charge.
    const paid = await psp.pay({ emv: instrument?.emv ?? '' });
    assert.equal(paid.txid, reference);
  });

  test(`${profile}: a diagnosis finds nothing wrong with good settings`, async t => {
    const { psp, rail, settings, clock } = await startSimulated(t, profile);
    const url = await startReceiver(t, psp);
    await rail.registerWebhook(url);
    // The date header has the machine's time.
    clock.set(new Date().toISOString());
    const checks = await diagnoseRail({ ...settings, webhook: { url } }, { clock, log: silentLog });
    assert.deepEqual(
      checks.filter(({ ok }) => !ok),
      [],
    );
    assert.deepEqual(
      checks.map(({ name }) => name),
      ['settings', 'certificate', 'key', 'connection', 'clock', 'token', 'scopes', 'receipts', 'pix key', 'webhook'],
    );
  });
}

test('efi: a receiver that checks no certificate is registered only with the header that skips the check', async t => {
  const { psp, rail } = await startSimulated(t, 'efi');
  const url = await startReceiver(t, psp, { checksClients: false });
  await assert.rejects(rail.registerWebhook(url), { code: 'wrong_state' });
  await rail.registerWebhook(url, { skipMtls: true });
  assert.deepEqual(await rail.readWebhook(), { url });
});

test('only a charge shows whether the key belongs to this client', async t => {
  const { psp, settings, clock } = await startSimulated(t, 'efi');
  clock.set(new Date().toISOString());
  const chargeOf = async (pixKey: string) => {
    const checks = await diagnoseRail({ ...settings, pixKey }, { clock, log: silentLog }, { triesCharge: true });
    return checks.find(({ name }) => name === 'charge');
  };
  assert.deepEqual(await chargeOf(settings.pixKey), {
    name: 'charge',
    ok: true,
    detail: 'The PSP accepted a charge of one cent and removed it.',
  });
  assert.match(
    (await chargeOf('stranger@example.com'))?.detail ?? '',
    /^The PSP does not accept a charge: it answered 4/,
  );
  const [charge, ...others] = psp.state().charges;
  assert.match(JSON.stringify(charge), /REMOVIDA_PELO_USUARIO_RECEBEDOR/);
  assert.deepEqual(others, []);
});

test('a diagnosis names the faults and how to fix them', async t => {
  const { psp, settings, clock } = await startSimulated(t, 'sicredi');
  clock.set(new Date().toISOString());
  const now = { clock, log: silentLog };
  const wrongOf = async (changes: Partial<BacenSettings>, deps = now): Promise<Check[]> => {
    const checks = await diagnoseRail({ ...settings, ...changes }, deps);
    return checks.filter(({ ok }) => !ok);
  };
  const namesOf = async (changes: Partial<BacenSettings>, deps = now) =>
    (await wrongOf(changes, deps)).map(({ name, detail }) => `${name}: ${detail}`);

  assert.deepEqual(await namesOf({}), []);
  assert.deepEqual(await namesOf({ privateKeyFile: psp.files.ca }), [
    'settings: privateKeyFile holds no private key in PEM; an encrypted one needs passwordFile.',
  ]);
  assert.deepEqual(await namesOf({ baseUrl: 'https://localhost:1/api' }), [
    'connection: No answer: the connection failed (ECONNREFUSED).',
  ]);
  const { caFile: _, ...withoutCa } = settings;
  const untrusted = await diagnoseRail(withoutCa, now);
  assert.deepEqual(
    untrusted.filter(({ ok }) => !ok).map(({ detail }) => detail),
    ['No answer: no trusted authority signed the certificate of the PSP; see caFile.'],
  );
  assert.deepEqual(await namesOf({ clientSecret: 'wrong-secret' }), [
    'token: No token: the PSP answered 401 invalid_client.',
  ]);
  assert.deepEqual(await namesOf({ webhook: { url: 'https://hooks.example/x' } }), [
    'webhook: No webhook is registered.',
  ]);

  const late = { clock: testClock(new Date(Date.now() + 60_000).toISOString()), log: silentLog };
  assert.match((await namesOf({}, late))[0] ?? '', /^clock: This clock is \d\d s ahead of the PSP's\.$/);

  const expired = await psp.issueCertificate({ clientId: 'trilho', notAfter: new Date('2021-01-01T00:00:00Z') });
  const [first] = await namesOf({ certificateFile: expired.certificate, privateKeyFile: expired.key });
  assert.equal(first, 'certificate: It expired on 2021-01-01.');

  psp.setFault({ kind: 'narrow-token', scopes: ['cob.read', 'cob.write', 'pix.read', 'webhook.read'] });
  const narrowed = await wrongOf({});
  assert.match(narrowed[0]?.detail ?? '', /^The PSP does not grant cobv\.read cobv\.write pix\.write/);
  assert.equal(narrowed[0]?.mend, 'Enable them for this client at the PSP.');
  const text = JSON.stringify([...narrowed, ...untrusted]);
  assert.ok(!text.includes('trilho-secret') && !text.includes(settings.pixKey));
});
