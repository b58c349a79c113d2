// The receiver of notifications: which certificate names it accepts, and its answer when nothing can be stored.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import pg from 'pg';
import { sessionOn } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { railSettings, startServiceAtPsp } from '../harness/psp.ts';
import { type Service, startService } from '../harness/service.ts';

/** A stop used to wait 61 seconds for a kept connection. */
const HANGS_AFTER_MS = 50_000;

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

test('a notification that cannot be stored is answered with an error, so that the bank sends it again', async t => {
  const { at, notify } = await startWith(t);
  const client = new pg.Client({ connectionString: at.service.databaseUrl });
  await client.connect();
  await client.query('begin; lock table notifications');
  // Without a deadline the answer would wait for the end of the lock, and so forever.
  assert.equal(await notify(), 503);
  await client.query('rollback');
  await client.end();
  assert.equal(await notify(), 200);
});

test('a node that has a webhook and no receiver warns at its start', async t => {
  const at = await startServiceAtPsp();
  let node: Service | undefined;
  // The node first: the database is dropped with the service beside it.
  t.after(async () => {
    await node?.stop();
    await at.stop();
  });
  const { log, lines } = recordingLog();
  node = await startService({
    mode: 'live',
    beside: at.service,
    log,
    env: { TRILHO_RAILS: JSON.stringify([railSettings(at.psp)]) },
  });
  assert.match(
    lines.join('\n'),
    /receives no notifications: rails\[0\]\.webhook is set, but receiver in TRILHO_CONFIG is not/,
  );
});

test('one address has a limited number of connections at the receiver, and silent ones are closed', async t => {
  const { at, notify } = await startWith(t);
  const port = Number(new URL(at.webhookUrl).port);
  const silent = await Promise.all(
    Array.from({ length: 110 }, async () => {
      const socket = connect({ port, host: '127.0.0.1' }).on('error', () => {});
      t.after(() => socket.destroy());
      await once(socket, 'connect');
      return socket;
    }),
  );
  const closed = () => silent.filter(socket => socket.closed).length;
  for (const socket of silent) socket.resume();
  await until('those beyond the limit to be closed', () => closed() >= 10);
  assert.ok(closed() < 20, 'the others stay for a while');
  await until('the silent ones to be closed', () => closed() === silent.length);
  assert.equal(await notify(), 200);
});

test('a stop waits neither for a silent connection nor for one that a bank keeps open', {
  timeout: HANGS_AFTER_MS,
}, async () => {
  const at = await startServiceAtPsp();
  await at.registerWebhook();
  const agent = new Agent({ keepAlive: true });
  const silent = connect({ port: Number(new URL(at.webhookUrl).port), host: '127.0.0.1' });
  await once(silent, 'connect');
  const asked = request(at.webhookUrl, { agent, method: 'POST', rejectUnauthorized: false }).end('{}');
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  await once(answer.resume(), 'end');
  await at.stop();
  silent.destroy();
  agent.destroy();
});

test('a stop closes a connection that has sent nothing, and lets a request in flight end', async t => {
  const service = await startService();
  const client = await sessionOn(t, service.databaseUrl);
  await client.query('begin; lock table charges');
  let isAnswered = false;
  const list = service.get('/charges').finally(() => {
    isAnswered = true;
  });
  const { hostname, port } = new URL(service.url);
  const silent = connect(Number(port), hostname).resume();
  await once(silent, 'connect');
  await until('the list to wait', async () => {
    const { rows } = await client.query(
      'select from pg_locks join pg_database d on d.oid = database where not granted and datname = current_database()',
    );
    return rows.length > 0;
  });
  const stopped = service.stop();
  await once(silent, 'close');
  assert.equal(isAnswered, false);
  await client.query('rollback');
  assert.equal((await list).status, 200);
  await stopped;
});
