// A database that neither answers nor hangs up: a frozen server, a network that swallows packets.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import type { AppError } from '../../src/lib/errors.ts';
import { withWorkKind } from '../../src/lib/work-kind.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { chargeBody } from '../harness/bodies.ts';
import { createDatabase } from '../harness/databases.ts';
import { recordingLog } from '../harness/log.ts';
import { ASK_AGAIN_MS, type Over, ownFolder, startTrilho, until } from '../harness/process.ts';
import type { Answer } from '../harness/service.ts';

/** A way to the suite's database that can fall silent. */
async function startMutableWay(t: Over): Promise<{ url: string; fallSilent(): void; speakAgain(): void }> {
  const database = await createDatabase();
  const socketFile = path.join(process.env['TEST_SOCKET_DIR']!, '.s.PGSQL.5432');
  const sockets = new Set<Socket>();
  let isSilent = false;
  const way = createServer(here => {
    const there = connect(socketFile);
    for (const [from, to] of [
      [here, there],
      [there, here],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('data', chunk => {
        if (!isSilent) to.write(chunk);
      });
      from.on('close', () => {
        if (!isSilent) to.destroy();
      });
    }
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    way.close();
    await database.drop();
  });
  const { port } = way.address() as { port: number };
  return {
    url: `postgres://trilho@127.0.0.1:${port}${new URL(database.url).pathname}`,
    fallSilent: () => {
      isSilent = true;
    },
    speakAgain: () => {
      isSilent = false;
    },
  };
}

test('a silent database is answered with 503, and does not keep the service from leaving', async t => {
  const folder = await ownFolder(t);
  const { url, fallSilent } = await startMutableWay(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  await Promise.all(Array.from({ length: 25 }, () => service.get('/crypto/transactions')));
  fallSilent();
  const [ready, list, charge, metrics] = await Promise.all([
    service.get('/readyz'),
    service.get('/crypto/transactions'),
    service.post('/charges', chargeBody()),
    service.get('/metrics'),
  ]);
  for (const answer of [ready, list, charge]) {
    assert.equal(answer.status, 503, answer.text);
    assert.equal(answer.json.code, 'database_unavailable');
    assert.ok(answer.headers.get('retry-after'));
  }
  assert.equal((await service.get('/livez')).status, 200);
  assert.equal(metrics.status, 200);
  assert.match(metrics.text, /^trilho_database_up 0$/m);
  await service.end();
});

test('once a database is silent the next callers are refused at once, until a probe is answered', async t => {
  const folder = await ownFolder(t);
  const { url, fallSilent, speakAgain } = await startMutableWay(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
  fallSilent();
  assert.equal((await service.get('/crypto/transactions')).status, 503);
  const isRefusedAtOnce = ({ json }: Answer) => /asked again in the background/.test(json?.detail);
  await until('a caller to be refused at once', async () => isRefusedAtOnce(await service.get('/crypto/transactions')));
  const answers = await Promise.all(Array.from({ length: 50 }, () => service.post('/charges', chargeBody())));
  for (const { status, json, headers } of answers) {
    assert.deepEqual([status, json.code], [503, 'database_unavailable']);
    assert.match(json.detail, /asked again in the background/);
    assert.ok(headers.get('retry-after'));
  }
  assert.equal((await service.get('/readyz')).json.detail, 'The database does not answer.');
  speakAgain();
  await until('the service to answer again', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);
  await service.charge();
  assert.match(service.stderr(), /the database answers again/);
});

test('callers that wait for their share of the connections are refused when the silence is known, and so are new ones', async t => {
  const { url, fallSilent } = await startMutableWay(t);
  // Longer than the probe of a silent database takes, so that others of this kind hang when the silence becomes known.
  const { log, lines } = recordingLog();
  const db = openDatabase({ connection: { connectionString: url, query_timeout: 4_000 }, log });
  const ask = () => withWorkKind('GET /charges', () => db.query('select'));
  await Promise.all(Array.from({ length: 4 }, ask));
  fallSilent();
  const order: string[] = [];
  const note = async (as: string) => {
    const error: AppError = await ask().then(
      () => assert.fail('the database is silent'),
      reason => reason,
    );
    assert.equal(error.code, 'database_unavailable');
    order.push(/asked again in the background/.test(error.message) ? as : 'waited for the database');
  };
  const asked = Array.from({ length: 10 }, () => note('refused'));
  await until('the silence to be known', async () => db.isSilent());
  await note('new one refused');
  await Promise.all(asked);
  const waited = Array<string>(4).fill('waited for the database');
  assert.deepEqual(order, [...waited, 'refused', 'refused', 'new one refused', ...waited]);
  // The end of the probes is not an answer of the database.
  await db.close();
  assert.match(lines.join('\n'), /the database does not answer/);
  assert.doesNotMatch(lines.join('\n'), /the database answers again/);
});
