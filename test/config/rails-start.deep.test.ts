// A wrong certificate, key, scope, profile or address of a rail or of the receiver stops the start or the command, with one
// sentence that names the setting and repeats no value.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import { railsCommand } from '../../src/cli/rails.ts';
import { reconcileCommand } from '../../src/cli/reconcile.ts';
import { StartError } from '../../src/lib/errors.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { runCommand } from '../harness/commands.ts';
import { folderWithDatabase, PROJECT, refusalOf, runToEnd } from '../harness/process.ts';
import { RAIL, railSettings } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

let psp: Psp;
let service: Service;
let files: Record<'certificateFile' | 'privateKeyFile', string>;
before(async () => {
  psp = await startTestPsp({ webhooks: { retryMs: [] } });
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  files = { certificateFile, privateKeyFile };
  service = await startService({ mode: 'live', env: environment(), now: new Date().toISOString() });
});
after(async () => {
  await service.stop();
  await psp.stop();
});

const environment = (rail: Partial<BacenEntry> = {}, receiver: Record<string, unknown> = {}) => ({
  TRILHO_RAILS: JSON.stringify([railSettings(psp, rail)]),
  TRILHO_RECEIVER: JSON.stringify({ port: 0, ...files, ...receiver }),
});
const refusal = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StartError, String(error));
  assert.match(error.message, pattern);
  assert.doesNotMatch(error.message, /\n|hunter2|nowhere/);
  return true;
};
/** A second node of the same service, which must not start. */
async function start(env: Record<string, string>): Promise<void> {
  const started = await startService({ mode: 'live', beside: service, env });
  await started.stop();
}

test('a wrong file of a rail stops the start', async () => {
  const foreign = await psp.issueCertificate({ clientId: 'trilho', foreign: true });
  const { ca } = psp.files;
  const cases: [Partial<BacenEntry>, RegExp][] = [
    [{ certificateFile: '/nowhere' }, /^rails\[0\]\.certificateFile cannot be read \(ENOENT\)\.$/],
    [{ certificateFile: psp.client.certificate.key }, /^rails\[0\]\.certificateFile holds no certificate in PEM\.$/],
    [{ privateKeyFile: ca }, /^rails\[0\]\.privateKeyFile holds no private key/],
    [{ privateKeyFile: foreign.key }, /^rails\[0\]\.privateKeyFile does not belong to certificateFile\.$/],
    [{ pkcs12File: foreign.p12 }, /^rails\[0\]\.pkcs12File is given together with certificateFile/],
    [{ caFile: foreign.key }, /^rails\[0\]\.caFile holds no certificate in PEM\.$/],
    [{ clientSecretFile: '/nowhere' }, /^rails\[0\]\.clientSecretFile cannot be read/],
    [{ profile: 'inter' }, /^rails\[0\]\.accountNumber is required for the profile inter\.$/],
    [{ profile: 'bb' }, /^rails\[0\]\.appKey is required/],
    [
      { webhook: { url: 'https://localhost', clientCaFile: '/nowhere' } },
      /^rails\[0\]\.webhook\.clientCaFile cannot be read\.$/,
    ],
    [
      { webhook: { url: 'https://localhost', clientCaFile: foreign.key } },
      /^rails\[0\]\.webhook\.clientCaFile holds no certificate in PEM\.$/,
    ],
  ];
  for (const [changes, message] of cases) {
    const settings = { ...changes };
    if (changes.clientSecretFile !== undefined) Object.assign(settings, { clientSecret: undefined });
    await assert.rejects(start(environment(settings)), refusal(message));
  }
});

test('a wrong file, port or host of the receiver stops the start', async t => {
  const taken = createServer();
  await new Promise<void>(resolve => taken.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise(resolve => taken.close(resolve)));
  const { port } = taken.address() as { port: number };
  const cases: [Record<string, unknown>, RegExp][] = [
    [{ certificateFile: '/nowhere' }, /^receiver\.certificateFile cannot be read\.$/],
    [{ certificateFile: files.privateKeyFile }, /^receiver\.certificateFile holds no certificate in PEM\.$/],
    [{ privateKeyFile: files.certificateFile }, /^receiver\.privateKeyFile holds no private key in PEM/],
    [{ privateKeyFile: psp.client.certificate.key }, /^receiver\.privateKeyFile does not belong to receiver\.certi/],
    [{ port }, /^receiver\.port \d+ on 127\.0\.0\.1 is in use; set another\.$/],
    [{ host: '192.0.2.1' }, /^receiver\.host 192\.0\.2\.1 is not an address of this machine\.$/],
  ];
  for (const [changes, message] of cases) await assert.rejects(start(environment({}, changes)), refusal(message));
});

test('a rail that still has charges and is no longer configured stops the start', async () => {
  const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
  const body = {
    accountId: 'acme',
    amountCents: 100,
    currency: 'BRL',
    methods: ['pix'],
    customer: { name: 'Maria da Silva', document: '529.982.247-25', address },
    dueAt: '2199-12-10T23:59:59-03:00',
  };
  assert.equal((await service.post('/charges', body)).status, 201);
  await assert.rejects(
    start(environment({ name: 'efi:other' })),
    refusal(/not configured: efi:main \(pix\)\. .*former/),
  );
});

test('a command without an answer from the PSP names the wrong setting', async () => {
  const env = (changes: Partial<BacenEntry>) => ({
    TRILHO_MODE: 'live',
    DATABASE_URL: service.databaseUrl,
    ...environment(changes),
  });
  const register = (changes: Partial<BacenEntry>) => runCommand(railsCommand, env(changes), ['register-webhook', RAIL]);
  const { certificate: other } = await psp.addClient({ clientId: 'another', clientSecret: 'x', keys: [] });
  const compare = (changes: Partial<BacenEntry>) => runCommand(reconcileCommand, env(changes), ['--day', '2020-01-01']);
  for (const command of [register, compare]) {
    await assert.rejects(
      command({ clientSecret: 'hunter2' }),
      refusal(/^rails\[0\], token: .* Check clientId, clientSecret/),
    );
    await assert.rejects(
      command({ baseUrl: 'https://localhost:1/api' }),
      refusal(/^rails\[0\], connection: .* Check baseUrl/),
    );
    await assert.rejects(command({ tokenUrl: 'https://localhost:1/t' }), refusal(/^rails\[0\], token: .*tokenUrl/));
    // A path at which the PSP has nothing.
    psp.setFault({ kind: 'status', status: 404, on: { path: '/' } });
    await assert.rejects(command({}), refusal(/404.* Check (rails\[0\]\.)?baseUrl/));
    psp.clearFaults();
    await assert.rejects(command({ profile: 'efi' }), refusal(/^rails\[0\], token: .*profile/));
    await assert.rejects(
      command({ certificateFile: other.certificate, privateKeyFile: other.key }),
      refusal(/^rails\[0\], token: .*certificateFile/),
    );
    psp.setFault({ kind: 'narrow-token', scopes: ['cob.read'] });
    await assert.rejects(command({}), refusal(/^rails\[0\], scopes: The PSP does not grant .*pix\.read/));
    psp.clearFaults();
  }
  await assert.rejects(register({ pixKey: 'stranger@example.com' }), refusal(/pixKey/));
});

test('the command line prints only the sentence and exits with code 2', async t => {
  const folder = await folderWithDatabase(t);
  const run = (rail: Record<string, unknown>, ...args: string[]) =>
    writeFile(path.join(folder, 'trilho.json'), JSON.stringify({ rails: [rail] })).then(() =>
      runToEnd({
        folder,
        env: { TRILHO_MODE: 'live', TRILHO_CONFIG: 'trilho.json' },
        command: [process.execPath, path.join(PROJECT, 'bin/trilho.js'), ...args],
      }),
    );
  const good = railSettings(psp);
  assert.match(
    refusalOf(await run({ ...good, profile: 'nubank' }, 'rails')),
    /^TRILHO_CONFIG: rails\[0\]\.profile must be one of efi, /,
  );
  assert.match(
    refusalOf(await run({ ...good, baseUrl: 'http://localhost' }, 'doctor')),
    /^TRILHO_CONFIG: rails\[0\]\.baseUrl must be a URL with https/,
  );
  assert.match(
    refusalOf(await run({ ...good, caFile: '/nowhere' }, 'rails')),
    /^rails\[0\]\.caFile cannot be read \(ENOENT\)\.$/,
  );
});
