// Secrets of webhooks that are resealed from key to key while several nodes run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { secretsCommand } from '../../src/cli/secrets.ts';
import { StartError } from '../../src/lib/errors.ts';
import { runCommand } from '../harness/commands.ts';
import { startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';
import { newKey, sendsSigned, withKeys } from './master-keys.ts';

const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

test('secrets are sealed with a first key and then with another, while nodes send', async t => {
  const receiver = await startReceiver(t);
  const service = await startService();
  const nodes: Service[] = [];
  t.after(async () => {
    for (const each of [...nodes, service]) await each.stop();
  });
  const { id, secret } = (await service.post('/webhooks', { url: receiver.url })).json;
  const [first, second] = [newKey(), newKey()];
  const command = (keys: string[], verb: string) =>
    runCommand(secretsCommand, { DATABASE_URL: service.databaseUrl, ...withKeys(...keys) }, [verb]);
  const node = async (...keys: string[]) => {
    const started = await startService({ beside: service, env: withKeys(...keys) });
    nodes.push(started);
    return started;
  };

  assert.deepEqual(await command([first], 'status').then(({ code }) => code), 1, 'not sealed yet');
  const old = await node(first);
  await sendsSigned(old, receiver, secret);
  assert.match(
    (await command([first], 'reseal')).said,
    /^links to checkouts: 1 secrets sealed with the key [0-9a-f]{8}\nthe key of receipts: 1 secrets sealed with the key [0-9a-f]{8}\nwebhooks: 1 secrets sealed with the key [0-9a-f]{8}$/,
  );
  assert.match(
    (await command([first], 'reseal')).said,
    /^links to checkouts: 0 .*\nthe key of receipts: 0 .*\nwebhooks: 0 /,
    'done once',
  );
  await sendsSigned(old, receiver, secret);

  // Every node first gets the new key to open secrets, then to seal them.
  const both = await node(first, second);
  await sendsSigned(both, receiver, secret);
  const next = await node(second, first);
  await sendsSigned(next, receiver, secret);
  assert.equal((await command([second, first], 'reseal')).code, 0);
  await sendsSigned(both, receiver, secret);
  await sendsSigned(await node(second), receiver, secret);
  const status = await command([second], 'status');
  assert.equal(status.code, 0);
  assert.match(status.said, /^key [0-9a-f]{8} \(seals\): 3 secrets$/);

  // Without the key the service does not start, instead of signing with another secret.
  await assert.rejects(node(first), refusal(/^TRILHO_MASTER_KEY lacks the key [0-9a-f]{8}/));
  await assert.rejects(node(), refusal(/lacks the key/));
  await assert.rejects(command([], 'reseal'), refusal(/needs TRILHO_MASTER_KEY/));
  await assert.rejects(command([first], 'reseal'), refusal(/lacks the key/));

  // The second key is lost: the webhook gets an unknown secret, and a rotation shows the next one.
  assert.match(
    (await command([first], 'renew')).said,
    /^links to checkouts: 1 secrets given up\nthe key of receipts: 1 secrets given up\nwebhooks: 1 secrets given up/,
  );
  assert.match((await command([first], 'renew')).said, /^webhooks: 0 secrets/m);
  const after = await node(first);
  await assert.rejects(sendsSigned(after, receiver, secret), /No matching signature/);
  const rotated = (await after.send(`/webhooks/${id}/rotate-secret`, { method: 'POST' })).json.secret;
  await sendsSigned(after, receiver, rotated);
});
