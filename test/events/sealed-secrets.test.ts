// Secrets of webhooks at rest: sealed with a master key that is not in the database, and resealed with another key while nodes run.
import assert from 'node:assert/strict';
import { createHmac, createPrivateKey, randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Webhook as Verifier } from 'standardwebhooks';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { secretsCommand } from '../../src/cli/secrets.ts';
import { secretBox } from '../../src/storage/secret-box.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { ownFolder } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';
import { newKey, sendsSigned, withKeys } from './master-keys.ts';

async function storedSecrets(service: Service): Promise<Buffer[]> {
  const rows = await service.sql<{ secret: Buffer; old: Buffer[] }>('select secret, old_secrets as old from webhooks');
  return rows.flatMap(({ secret, old }) => [secret, ...old]);
}

test('the database alone cannot sign, and every signing secret needs the master key', async t => {
  const receiver = await startReceiver(t);
  const env = withKeys(newKey());
  const service = await startService({ env });
  t.after(() => service.stop());
  const { id, secret } = (await service.post('/webhooks', { url: receiver.url })).json;
  await sendsSigned(service, receiver, secret);
  assert.equal((await service.send(`/webhooks/${id}/ping`, { method: 'POST' })).json.success, true);
  new Verifier(secret).verify(
    receiver.received.at(-1)!.text,
    receiver.received.at(-1)!.headers as Record<string, string>,
  );
  const rotated = (await service.send(`/webhooks/${id}/rotate-secret`, { method: 'POST' })).json.secret;
  await sendsSigned(service, receiver, rotated);
  await sendsSigned(service, receiver, secret);
  const stored = await storedSecrets(service);
  assert.equal(stored.length, 2);
  for (const shown of [secret, rotated]) {
    const bytes = Buffer.from(shown.slice('whsec_'.length), 'base64');
    assert.ok(!stored.some(each => each.includes(bytes)), 'not in the database');
  }
  const [ofReceipts] = await service.sql<{ key: Buffer }>('select private_key as key from receipt_keys');
  assert.throws(() => createPrivateKey({ key: ofReceipts!.key, format: 'der', type: 'pkcs8' }));
  const { token, isSigned } = await checkoutLink(service);
  assert.ok(!(await isSigned()), 'the database alone makes no links');
  const other = await startService({ beside: service, env });
  t.after(() => other.stop());
  assert.equal((await fetch(`${other.url}/pay/${token}`)).status, 200);
});

/** A link to a checkout, and whether the stored key signed it. */
async function checkoutLink(service: Service) {
  const { headers } = await service.post('/charges', chargeBody());
  const token = /\/pay\/([\w-]+)>/.exec(headers.get('link') ?? '')![1]!;
  const bytes = Buffer.from(token, 'base64url');
  const isSigned = async () => {
    const [row] = await service.sql<{ key: Buffer }>('select key from checkout_links');
    const mac = createHmac('sha256', row!.key).update(bytes.subarray(0, 17)).digest().subarray(0, 15);
    return mac.equals(bytes.subarray(17));
  };
  return { token, isSigned };
}

test('a first master key seals nothing until all nodes have it and trilho secrets reseal is run', async t => {
  const receiver = await startReceiver(t);
  const keyless = await startService();
  t.after(() => keyless.stop());
  const { token, isSigned } = await checkoutLink(keyless);
  assert.ok(await isSigned());
  const env = withKeys(newKey());
  const first = await startService({ beside: keyless, env });
  t.after(() => first.stop());
  const { id } = (await first.post('/webhooks', { url: receiver.url })).json;
  const rotated = (await first.send(`/webhooks/${id}/rotate-secret`, { method: 'POST' })).json.secret;
  await sendsSigned(keyless, receiver, rotated);
  const secrets = (verb: string) => runCommand(secretsCommand, { DATABASE_URL: keyless.databaseUrl, ...env }, [verb]);
  const status = await secrets('status');
  assert.equal(status.code, 1);
  assert.match(status.said, /not sealed: 4 secrets\n.*new secrets are sealed only after trilho secrets reseal/s);
  const doctor = async (keys: typeof env | Record<string, never>) =>
    (await runCommand(doctorCommand, { DATABASE_URL: keyless.databaseUrl, ...keys }, [])).said;
  assert.match(await doctor(env), /^wrong {2}secrets: there is a master key, but secrets are not sealed with it/m);
  assert.doesNotMatch(await doctor({}), /secrets:/, 'a sandbox needs no key');

  // Now every node has it; running ones notice the reseal without a restart.
  assert.equal((await secrets('reseal')).code, 0);
  assert.equal((await first.post('/webhooks', { url: receiver.url })).status, 201);
  assert.equal((await secrets('status')).code, 0, 'new secrets are sealed');
  assert.match(await doctor(env), /^right {2}secrets: sealed$/m);
  for (const without of [{}, withKeys(newKey())]) {
    assert.match(await doctor(without), /^wrong {2}secrets: TRILHO_MASTER_KEY lacks the key [0-9a-f]{8}, with which/m);
  }
  assert.ok(!(await isSigned()));
  assert.equal((await fetch(`${first.url}/pay/${token}`)).status, 200);
});

test('a sealed secret opens only in its own place, and not after a bit of it was changed', () => {
  const key = randomBytes(32);
  const box = secretBox([key]);
  const secret = randomBytes(32);
  const sealed = box.seal(secret, 'webhook a');
  assert.deepEqual(box.open(sealed, 'webhook a'), secret);
  assert.notDeepEqual(box.seal(secret, 'webhook a'), sealed, 'each sealing differs');
  assert.throws(() => box.open(sealed, 'webhook b'));
  for (const place of sealed.keys()) {
    const changed = Buffer.from(sealed);
    changed[place] = changed[place]! ^ 1;
    assert.throws(() => box.open(changed, 'webhook a'), `byte ${place}`);
  }
  assert.deepEqual(secretBox([]).open(secret, 'webhook a'), secret, 'a secret that is not sealed');
});

test('trilho secrets status checks the files that settings name', async t => {
  const service = await startService({ env: {} });
  t.after(() => service.stop());
  const folder = await ownFolder(t);
  const at = (name: string) => path.join(folder, name);
  for (const name of ['password', 'pin']) await writeFile(at(name), 'hidden words');
  const [old, next] = [newKey(), newKey()];
  const signers = [
    { name: 'hot', kind: 'keystore', file: at('hot.json'), passwordFile: at('password') },
    { name: 'hsm', kind: 'pkcs11', module: at('module.so'), token: 'hsm', key: 'k', pinFile: at('pin') },
  ];
  const secrets = (keys: string[], ...args: string[]) => {
    const env = { DATABASE_URL: service.databaseUrl, TRILHO_SIGNERS: JSON.stringify(signers), ...withKeys(...keys) };
    return runCommand(secretsCommand, env, args);
  };
  await secrets([old], 'reseal');
  await secrets([old], 'seal', at('password'));
  const before = await secrets([old], 'status');
  assert.equal(before.code, 0);
  assert.match(before.said, /^signers\[0\]\.passwordFile: sealed with the key [0-9a-f]{8} \(seals\)$/m);
  assert.match(before.said, /^signers\[1\]\.pinFile: not sealed$/m);
  assert.ok(!before.said.includes(folder));

  // The file was not resealed when the key was changed.
  await secrets([next, old], 'reseal');
  assert.match(
    (await secrets([next, old], 'status')).said,
    /passwordFile: sealed with the key [0-9a-f]{8} \(opens\)$/m,
  );
  const after = await secrets([next], 'status');
  assert.match(after.said, /passwordFile: sealed with the key [0-9a-f]{8} \(is not given\)$/m);
  assert.equal(after.code, 1);
  await rm(at('pin'));
  assert.match((await secrets([next, old], 'status')).said, /pinFile: cannot be read \(ENOENT\)$/m);
});
