// trilho rails, doctor and reconcile with banks that register boletos by their APIs, and faults of their settings.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { railsCommand } from '../../src/cli/rails.ts';
import { reconcileCommand } from '../../src/cli/reconcile.ts';
import { civilDay } from '../../src/lib/civil-days.ts';
import { StartError } from '../../src/lib/errors.ts';
import {
  type ApiChanges,
  apiEntry,
  BOLETO_RAIL,
  pixEntry,
  type ServiceAtBank,
  startServiceAtBank,
} from '../harness/boleto-bank.ts';
import { runCommand } from '../harness/commands.ts';

const now = () => new Date().toISOString();
const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

function environment(at: ServiceAtBank, changes: ApiChanges = {}): Record<string, string> {
  const { certificate: certificateFile, key: privateKeyFile } = at.psp.files.receiver;
  return {
    TRILHO_MODE: 'live',
    DATABASE_URL: at.service.databaseUrl,
    TRILHO_BOLETOS: JSON.stringify([apiEntry(at.psp, changes)]),
    TRILHO_RECEIVER: JSON.stringify({ port: 0, certificateFile, privateKeyFile }),
  };
}

async function wrongs(at: ServiceAtBank, changes: ApiChanges = {}): Promise<string[]> {
  const { said } = await runCommand(doctorCommand, environment(at, changes), []);
  const lines = said.split('\n').filter(line => line.startsWith(`wrong  rail ${BOLETO_RAIL}: `));
  return lines.map(line => line.replace(`wrong  rail ${BOLETO_RAIL}: `, ''));
}

describe('sicoob', () => {
  let at: ServiceAtBank;
  before(async () => {
    at = await startServiceAtBank('sicoob', { now: now() });
  });
  after(() => at.stop());

  test('the doctor finds nothing wrong, and names the numbers of the agreement', async () => {
    assert.deepEqual(await wrongs(at), []);
    const { said } = await runCommand(doctorCommand, environment(at), []);
    assert.match(said, /agreement: The bank knows the agreement\. Its free numbers are 1 to 8999999\./);
  });

  test('a wrong agreement, client, certificate or scope is reported with its setting', async () => {
    const { certificate, key } = await at.psp.issueCertificate({ clientId: 'trilho', foreign: true });
    const cases: readonly [ApiChanges, RegExp][] = [
      [
        { entry: { beneficiaryCode: '7' } },
        /^agreement: .*answered 400.* Check beneficiaryCode, modality and clientId\.$/,
      ],
      [{ api: { clientId: 'nobody' } }, /^token: .* Check clientId, /],
      [{ api: { scopes: ['boletos_tudo'] } }, /^token: .*invalid_scope.*scope\.$/],
      [{ api: { certificateFile: certificate, privateKeyFile: key } }, /^(connection|token): .*certificate/],
      [{ api: { baseUrl: 'https://localhost:1/x' } }, /^connection: .* Check baseUrl, /],
    ];
    for (const [changes, message] of cases) {
      const [first = ''] = await wrongs(at, changes);
      assert.match(first, message);
    }
  });

  test('a setting that cannot be used stops the start in a sentence that names it', async () => {
    const { key } = at.psp.files.receiver;
    const cases: readonly [ApiChanges, RegExp][] = [
      [{ entry: { bank: '001' } }, /^boletos\[0\]\.bank must be 756 for the profile sicoob\.$/],
      [{ entry: { modality: '1' } }, /^boletos\[0\]\.modality must be 2 digits\.$/],
      [{ entry: { lastNumber: '99999999' } }, /^boletos\[0\]\.lastNumber must have at most 7 digits\.$/],
      [{ api: { privateKeyFile: key } }, /^boletos\[0\]\.api\.privateKeyFile does not belong to certificateFile\.$/],
      [{ api: { certificateFile: '/nowhere' } }, /^boletos\[0\]\.api\.certificateFile cannot be read \(ENOENT\)\.$/],
      [{ api: { webhook: { url: 'https://a.example' } } }, /^boletos\[0\]\.api\.webhook must be absent/],
    ];
    for (const [changes, message] of cases) {
      await assert.rejects(runCommand(railsCommand, environment(at, changes), []), refusal(message));
    }
    const shared = { ...environment(at), TRILHO_RAILS: JSON.stringify([pixEntry(at.psp, { name: BOLETO_RAIL })]) };
    await assert.rejects(runCommand(railsCommand, shared, []), refusal(/^boletos\[0\]\.name must differ/));
    const files = environment(at, { entry: { sendFolder: '/tmp' } });
    await assert.rejects(runCommand(railsCommand, files, []), /must not have .*sendFolder.* beside api/);
  });

  test('the list shows numbers, health and certificate, and no webhook if the bank sends no notifications', async () => {
    const { said } = await runCommand(railsCommand, environment(at), []);
    assert.match(said, /^bank:boletos {2}boleto {2}sicoob \(production\) by its API$/m);
    assert.match(said, /^ {2}numbers +9999999 left, the next is 1$/m);
    assert.match(said, /^ {2}certificate +\d+ days left/m);
    assert.doesNotMatch(said, /webhook/);
    const asked = runCommand(railsCommand, environment(at), ['register-webhook', BOLETO_RAIL]);
    await assert.rejects(asked, refusal(/^boletos\[0\]\.api\.webhook is missing/));
  });

  test('a day is compared with the bank, and unrecorded payments are named', async () => {
    const { json } = await at.create();
    await at.psp.payTitle({ line: json.boleto.digitableLine });
    const day = civilDay(new Date());
    const compare = () => runCommand(reconcileCommand, environment(at), ['--day', day]);
    const before = await compare();
    assert.equal(before.code, 1);
    assert.match(before.said, /^boleto 756 \d+ \d+ \d+ \S+ 15990: not recorded here; BRL 159\.90 at the PSP$/m);
    await at.look();
    const after = await compare();
    assert.deepEqual(
      [after.code, after.said.trim()],
      [0, `bank:boletos ${day}: 1 payment at the PSP, 1 here, nothing differs.`],
    );
  });

  test('when the bank does not answer, the faulty setting is named', async () => {
    const env = environment(at, { api: { clientId: 'nobody' } });
    const compared = runCommand(reconcileCommand, env, ['--day', civilDay(new Date())]);
    await assert.rejects(compared, refusal(/^boletos\[0\], token: .* Check clientId, /));
  });
});

describe('inter', () => {
  let at: ServiceAtBank;
  before(async () => {
    at = await startServiceAtBank('inter', { now: now(), api: { webhook: { url: 'https://localhost' } } });
  });
  after(() => at.stop());

  const webhook = () => ({ api: { webhook: { url: at.service.receiverUrl!.replace('127.0.0.1', 'localhost') } } });

  test('the webhook is registered at the bank, and the doctor finds no fault', async () => {
    assert.match((await wrongs(at, webhook())).join('\n'), /^webhook: No webhook is registered\./m);
    const args = ['register-webhook', BOLETO_RAIL];
    const { said } = await runCommand(railsCommand, environment(at, webhook()), args);
    assert.match(said, /^The PSP notifies of payments to bank:boletos at https:\/\/localhost/);
    assert.deepEqual(await wrongs(at, webhook()), []);
    const list = await runCommand(railsCommand, environment(at, webhook()), []);
    assert.match(list.said, /^ {2}webhook +registered$/m);
  });

  test('a missing account or secret is named', async () => {
    const { accountNumber: _, ...entry } = apiEntry(at.psp);
    const env = { ...environment(at), TRILHO_BOLETOS: JSON.stringify([entry]) };
    await assert.rejects(runCommand(railsCommand, env, []), refusal(/^boletos\[0\]\.accountNumber is required/));
    const [first = ''] = await wrongs(at, { api: { clientSecret: 'wrong' } });
    assert.match(first, /^token: .* Check clientId, clientSecret/);
  });
});
