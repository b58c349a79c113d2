// The receiver of notifications: whom it believes by the name in a certificate, and what it answers when nothing can be stored.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { recordingLog } from '../harness/log.ts';
import { railSettings, startServiceAtPsp } from '../harness/psp.ts';
import { startService } from '../harness/service.ts';

async function startWith(t: TestContext, clientName?: string) {
  const at = await startServiceAtPsp();
  await at.registerWebhook();
  const { url, clientCaFile } = railSettings(at.psp).webhook ?? {};
  assert.ok(url !== undefined && clientCaFile !== undefined);
  t.after(() => at.stop());
  if (clientName === undefined) return { at, notify: () => notifyAt(at.webhookUrl) };
  const node = await startService({
    mode: 'live',
    beside: at.service,
    env: {
      TRILHO_RAILS: JSON.stringify([railSettings(at.psp, { webhook: { url, clientCaFile, clientName } })]),
      TRILHO_RECEIVER: JSON.stringify({
        port: 0,
        certificateFile: at.psp.files.receiver.certificate,
        privateKeyFile: at.psp.files.receiver.key,
      }),
    },
  });
  t.after(() => node.stop());
  const port = new URL(node.receiverUrl!).port;
  return { at, notify: () => notifyAt(at.webhookUrl.replace(/:\d+/, `:${port}`)) };

  function notifyAt(address: string): Promise<number> {
    return at.psp.forgeNotification({ url: `${address}/pix`, pix: [] });
  }
}

test('a certificate of the right authority with another name is refused', async t => {
  const wrong = await startWith(t, 'Another client of the authority');
  assert.equal(await wrong.notify(), 403);
  const right = await startWith(t, 'Simulated PSP webhooks');
  assert.equal(await right.notify(), 200);
});

test('a notification that cannot be stored is answered all the same, and not as taken', async t => {
  const { at, notify } = await startWith(t);
  const client = new pg.Client({ connectionString: at.service.databaseUrl });
  await client.connect();
  await client.query('begin; lock table notifications');
  // Without a deadline the answer would wait for the end of the lock, and so for ever.
  assert.equal(await notify(), 503);
  await client.query('rollback');
  await client.end();
  assert.equal(await notify(), 200);
});

test('a webhook on a node without a receiver is said at the start', async t => {
  const at = await startServiceAtPsp();
  t.after(() => at.stop());
  const { log, lines } = recordingLog();
  const node = await startService({
    mode: 'live',
    beside: at.service,
    log,
    env: { TRILHO_RAILS: JSON.stringify([railSettings(at.psp)]) },
  });
  t.after(() => node.stop());
  assert.match(
    lines.join('\n'),
    /takes no notifications: rails\[0\]\.webhook is set, but receiver in TRILHO_CONFIG is not/,
  );
});
