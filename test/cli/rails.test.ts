// trilho rails and trilho doctor against a PSP: the state of a rail for an operator, and faults with a way to fix them.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Psp } from '@trilho/psp';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { railsCommand } from '../../src/cli/rails.ts';
import { StartError } from '../../src/lib/errors.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { RAIL, railSettings } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

let psp: Psp;
let service: Service;
let receiverUrl: string;
before(async () => {
  // On the machine's clock, as the commands are.
  psp = await startTestPsp({ profile: 'efi', webhooks: { retryMs: [] } });
  service = await startService({ mode: 'live', env: environment(), now: new Date().toISOString() });
  receiverUrl = service.receiverUrl!.replace('127.0.0.1', 'localhost');
});
after(async () => {
  await service.stop();
  await psp.stop();
});

function environment(changes: Partial<BacenEntry> = {}): Record<string, string> {
  const { certificate: certificateFile, key: privateKeyFile } = psp.files.receiver;
  return {
    TRILHO_MODE: 'live',
    TRILHO_RAILS: JSON.stringify([railSettings(psp, { profile: 'efi', ...changes })]),
    TRILHO_RECEIVER: JSON.stringify({ port: 0, certificateFile, privateKeyFile }),
  };
}

const webhook = (changes: Partial<BacenEntry['webhook']> = {}) => ({
  webhook: { url: receiverUrl, clientCaFile: psp.files.webhookChain, ...changes },
});
const commandEnvironment = (changes: Partial<BacenEntry>) => ({
  ...environment({ ...webhook(), ...changes }),
  DATABASE_URL: service.databaseUrl,
});
const rails = (changes: Partial<BacenEntry> = {}, ...args: string[]) =>
  runCommand(railsCommand, commandEnvironment(changes), args);
const register = (changes: Partial<BacenEntry> = {}, name = RAIL) => rails(changes, 'register-webhook', name);
const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

/** The lines of the doctor about faults of the rail. */
async function wrongs(changes: Partial<BacenEntry> = {}, ...args: string[]): Promise<string[]> {
  const { code, said } = await runCommand(doctorCommand, commandEnvironment(changes), args);
  const lines = said.split('\n').filter(line => line.startsWith('wrong'));
  assert.equal(code, lines.length > 0 ? 1 : 0);
  return lines.map(line => line.replace(`wrong  rail ${RAIL}: `, ''));
}

test('before the webhook is registered, the list and the doctor say so', async () => {
  const { code, said } = await rails();
  assert.equal(code, 0);
  assert.match(said, /^efi:main {2}pix {2}efi \(production\)$/m);
  assert.match(said, /^ {2}charges +of every account without a rail of its own$/m);
  assert.match(said, /^ {2}seen until +2\d{3}-\S+Z$/m);
  assert.match(said, /^ {2}silent since +not silent$/m);
  assert.match(said, /^ {2}certificate +\d+ days left, until 2\S+Z$/m);
  assert.match(said, /^ {2}webhook +not registered; run trilho rails register-webhook$/m);
  assert.deepEqual(await wrongs(), ['webhook: No webhook is registered. Run trilho rails register-webhook.']);
});

test('a webhook is registered at webhook.url under the path of the rail, and its notifications arrive', async () => {
  const { code, said } = await register();
  assert.equal(code, 0);
  const [row] = await service.sql<{ path_token: string }>('select path_token from rails');
  const token = row!.path_token;
  assert.equal(said, `The PSP notifies of payments to ${RAIL} at ${receiverUrl}/${token.slice(0, 4)}…`);
  assert.deepEqual(
    psp.state().webhooks.map(shown => (shown as { webhookUrl: string }).webhookUrl),
    [`${receiverUrl}/${token}`],
  );
  assert.match((await rails()).said, /^ {2}webhook +registered$/m);
  const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
  const customer = { name: 'Maria da Silva', document: '529.982.247-25', address };
  const { json } = await service.post('/charges', chargeBody({ methods: ['pix'], customer }));
  await psp.pay({ emv: json.pix.emv });
  await psp.settled();
  assert.equal(psp.notifications().at(-1)?.status, 'delivered');
  assert.deepEqual(await wrongs(), []);
  assert.deepEqual(await wrongs({}, '--try-charge'), []);
});

test('a receiver that verifies no certificate is registered only with skipMtls', async () => {
  // A rail of its own service, since the path of this one requires a certificate.
  const open = await startService({
    mode: 'live',
    env: environment({ webhook: { url: 'https://localhost' } }),
    now: new Date().toISOString(),
  });
  try {
    const url = open.receiverUrl!.replace('127.0.0.1', 'localhost');
    const registerAt = (skipMtls: boolean) =>
      runCommand(railsCommand, { ...environment({ webhook: { url, skipMtls } }), DATABASE_URL: open.databaseUrl }, [
        'register-webhook',
        RAIL,
      ]);
    await assert.rejects(registerAt(false), refusal(/^The PSP refuses the webhook: 400/));
    assert.equal((await registerAt(true)).code, 0);
  } finally {
    await open.stop();
  }
});

test('without webhook.url, receiver or such a rail, nothing is registered and the setting is named', async () => {
  const { webhook: _, ...bare } = railSettings(psp, { profile: 'efi' });
  const env = commandEnvironment({});
  const run = (changes: Record<string, string>, ...args: string[]) =>
    runCommand(railsCommand, { ...env, ...changes }, args);
  const command = ['register-webhook', RAIL] as const;
  await assert.rejects(
    run({ TRILHO_RAILS: JSON.stringify([bare]) }, ...command),
    refusal(/^rails\[0\]\.webhook is missing/),
  );
  await assert.rejects(run({ TRILHO_RECEIVER: '' }, ...command), refusal(/^receiver is missing in TRILHO_CONFIG/));
  await assert.rejects(register({}, 'itau'), refusal(/has no "itau"; there is efi:main\.$/));
  await assert.rejects(
    register({ name: 'efi:other' }, 'efi:other'),
    refusal(/has not started with the rail efi:other yet/),
  );
  await assert.rejects(rails({}, 'register'), refusal(/"register" is not known; it takes register-webhook/));
  await assert.rejects(rails({}, 'register-webhook'), refusal(/<rail> is missing/));
  const sandbox = { TRILHO_MODE: 'sandbox', DATABASE_URL: service.databaseUrl };
  await assert.rejects(runCommand(railsCommand, sandbox, []), refusal(/A sandbox has a simulated bank/));
});

test('the doctor checks the path from the public address to the receiver', async () => {
  const wrongReceiver = async (url: string) =>
    (await wrongs(webhook({ url }))).find(line => line.startsWith('receiver'));
  assert.match(
    (await wrongReceiver(`${receiverUrl}/pix`)) ?? '',
    /does not know the path of the rail\. Remove the path from webhook\.url/,
  );
  assert.match(
    (await wrongReceiver('https://localhost:1')) ?? '',
    /cannot be reached \(ECONNREFUSED\)\. Start the service/,
  );
  const { said } = await runCommand(doctorCommand, { ...commandEnvironment({}), TRILHO_RECEIVER: '' }, []);
  assert.match(said, /^wrong .*: receiver: The rail has a webhook, but no receiver is configured\. Set receiver/m);
  assert.match(
    (await wrongs(webhook({ clientCaFile: psp.files.receiver.key }))).join('\n'),
    /^webhook authority: webhook\.clientCaFile holds no certificate/m,
  );
});

test('the doctor names a wrong certificate, key, secret, scope, pix key and address', async () => {
  const old = await psp.issueCertificate({ clientId: 'trilho', notAfter: new Date('2021-01-01T00:00:00Z') });
  const soon = await psp.issueCertificate({ clientId: 'trilho', notAfter: new Date(Date.now() + 5 * 86_400_000) });
  const foreign = await psp.issueCertificate({ clientId: 'trilho', foreign: true });
  const files = (made: typeof old) => ({ certificateFile: made.certificate, privateKeyFile: made.key });
  const cases: [Partial<BacenEntry>, RegExp][] = [
    [
      { certificateFile: '/nowhere.pem' },
      /^settings: certificateFile cannot be read \(ENOENT\)\. Correct certificateFile/,
    ],
    [{ privateKeyFile: foreign.key }, /^settings: privateKeyFile does not belong to certificateFile/],
    [files(old), /^certificate: It expired on 2021-01-01\. Ask the PSP for a new certificate/],
    [files(soon), /^certificate: It is valid until .* for [45] more days\. Ask the PSP/],
    [files(foreign), /^(connection|token): .*(certificate|connection failed)/m],
    [{ clientSecret: 'hunter2' }, /^token: No token: the PSP answered 401.* Check clientId, clientSecret/],
    [{ baseUrl: 'https://localhost:1/v2' }, /^connection: No answer: .*ECONNREFUSED.* Check baseUrl/],
  ];
  for (const [changes, message] of cases) {
    const said = await wrongs(changes);
    assert.match(said.join('\n'), message, JSON.stringify(changes));
    assert.doesNotMatch(said.join('\n'), /hunter2|nowhere/);
  }
  assert.match(
    (await wrongs({ pixKey: 'stranger@example.com' }, '--try-charge')).join('\n'),
    /^charge: The PSP does not accept/,
  );
  psp.setFault({ kind: 'narrow-token', scopes: ['cob.read', 'cob.write'] });
  assert.match((await wrongs()).join('\n'), /^scopes: The PSP does not grant .*pix\.read.* Enable them/m);
  psp.clearFaults();
  await assert.rejects(wrongs({}, '--charge'), refusal(/--charge is not an option/));
});

test('a PSP that does not answer is listed as silent', async () => {
  await service.sql(`update rails set silent_since = '2026-11-16T11:00:00Z' where name = $1`, [RAIL]);
  const { said } = await rails({ baseUrl: 'https://localhost:1/v2', tokenUrl: 'https://localhost:1/t', former: true });
  assert.match(said, /^ {2}silent since +2026-11-16T11:00:00\.000Z$/m);
  assert.match(said, /^ {2}webhook +not known: rails\[0\], connection: .*ECONNREFUSED.* Check baseUrl/m);
  const wrongSecret = await rails({ clientSecret: 'hunter2' });
  assert.match(wrongSecret.said, /^ {2}webhook +not known: rails\[0\], token: .* 401.* Check clientId, clientSecret/m);
  assert.doesNotMatch(wrongSecret.said, /hunter2/);
  assert.match(said, /^ {2}charges +former: no new ones$/m);
});
