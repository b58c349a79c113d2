// /readyz of a standby and of a database whose disk is full, and what a node notices by itself.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { asAdmin, databaseUrl, TEMPLATE } from '../harness/databases.ts';
import { ASK_AGAIN_MS, type Over, ownFolder, startDatabaseServer, until } from '../harness/process.ts';
import {
  assertLeavesConnections,
  assertUnavailable,
  databaseOf,
  lastFirst,
  readiness,
  serviceOn,
  untilReadOnly,
  untilReady,
} from './node-readiness.ts';

test('a node notices by itself that its database is read-only, and that it can be written again', async t => {
  const service = await serviceOn(t);
  const name = databaseOf(service);
  await asAdmin(`alter database ${name} set default_transaction_read_only = on`);
  await untilReadOnly(service);
  await asAdmin(`alter database ${name} reset default_transaction_read_only`);
  await untilReady(service);
});

test('a standby is not ready', async context => {
  const t = lastFirst(context);
  const folder = await ownFolder(t);
  const server = await startDatabaseServer(folder);
  const service = await serviceOn(t, { env: { DATABASE_URL: server.url() } });
  assert.equal((await service.get('/readyz')).status, 200);
  await server.stop();
  const signal = path.join(folder, 'server', 'postgres', 'standby.signal');
  await writeFile(signal, '', { mode: 0o644 });
  await server.start();
  const isStandby = async () => {
    service.clock.advanceMs(1_000);
    return /standby/.test((await readiness(service))[1]);
  };
  await until('the node to see that its database is a standby', isStandby, ASK_AGAIN_MS);
  assertUnavailable(await service.get('/readyz'));
});

/** A small disk for a tablespace; undefined if this user may not mount one. */
async function smallDisk(t: Over): Promise<string | undefined> {
  const disk = await ownFolder(t);
  const options = ['-t', 'tmpfs', '-o', 'size=48m,mode=755', 'tmpfs', disk];
  if (spawnSync('mount', options, { stdio: 'ignore' }).status !== 0) return undefined;
  t.after(async () => {
    execFileSync('umount', ['--lazy', disk]);
  });
  return disk;
}

test('a full disk is not ready, until a write succeeds', async context => {
  const t = lastFirst(context);
  const disk = await smallDisk(t);
  if (disk === undefined) return context.skip('this user may not mount a small disk');
  const place = path.join(disk, 'tablespace');
  mkdirSync(place, { mode: 0o700 });
  const { uid, gid } = statSync(process.env['TEST_SOCKET_DIR']!);
  chownSync(place, uid, gid);
  const name = `test_${randomBytes(6).toString('hex')}`;
  await asAdmin(`create tablespace ${name} location '${place}'`);
  t.after(() => asAdmin(`drop tablespace ${name}`));
  await asAdmin(`create database ${name} template ${TEMPLATE} strategy file_copy tablespace ${name}`);
  t.after(() => asAdmin(`drop database ${name} with (force)`));
  const service = await serviceOn(t, { env: { DATABASE_URL: databaseUrl(name) } });
  assert.equal((await service.get('/readyz')).status, 200);

  const filler = path.join(disk, 'filler');
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4k'], { stdio: 'ignore' });
  const refused = await service.post('/charges', chargeBody());
  assertUnavailable(refused);
  assert.match(refused.json.detail, /disk is full/);
  for (let times = 0; times < 2; times++) {
    assert.deepEqual(await readiness(service), [503, 'The database cannot be written: its disk is full.']);
  }
  await rm(filler);
  assert.equal((await service.get('/readyz')).status, 200);
  assert.equal((await service.post('/charges', chargeBody())).status, 201);
});

test('decisions of rails that wait for their charges do not take the whole pool', async context => {
  const t = lastFirst(context);
  const service = await serviceOn(t);
  // Registering a charge writes no event; the decision about it does.
  const lock = 'lock table events in exclusive mode';
  await assertLeavesConnections(t, service, lock, () => [service.runJobs()]);
});
