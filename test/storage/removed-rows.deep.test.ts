// Where there is an archive, what is removed in time and is no record leaves files that can be checked.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { archiveCommand } from '../../src/cli/archive.ts';
import type { ArchiveCrash } from '../harness/archive-crash-at-step.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { crashAt } from '../harness/crash.ts';
import { recordingLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { startReceiver } from '../harness/receiver.ts';
import { startService } from '../harness/service.ts';

const DAY_MS = 86_400_000;
const MAX_STEPS = 40;

async function startWithArchive(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), 'trilho-removed-'));
  const { log, lines } = recordingLog();
  const env = { TRILHO_ARCHIVE_DIR: dir, TRILHO_KEEP_EVENTS: 'forever', TRILHO_KEEP_AUDIT: 'forever' };
  const service = await startService({ log, env });
  t.after(async () => {
    await service.stop();
    await rm(dir, { recursive: true, force: true });
  });
  return { service, dir, lines };
}

async function removedIn(dir: string) {
  const names = (await readdir(dir, { recursive: true })).filter(name => name.endsWith('.ndjson.gz')).sort();
  const files = await Promise.all(
    names.map(async name => {
      const text = gunzipSync(await readFile(path.join(dir, name))).toString();
      const [header, ...rows] = text
        .trimEnd()
        .split('\n')
        .map(line => JSON.parse(line));
      return { name, header, rows };
    }),
  );
  return { files, rowsOf: (kind: string) => files.flatMap(file => (file.header.kind === kind ? file.rows : [])) };
}

test('deliveries, keys and quotes that are removed are in files before, a day at a time', async t => {
  const { service, dir } = await startWithArchive(t);
  const receiver = await startReceiver(t);
  await service.post('/webhooks', { url: receiver.url, accountId: 'acme' });
  const charge = await service.post('/charges', chargeBody(), { 'idempotency-key': 'once' });
  assert.equal(charge.status, 201, charge.text);
  const asked = { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 500 };
  const quote = (await service.post('/crypto/quotes', asked)).json;
  await service.prune();
  const deliveries = await service.sql<{ id: string }>('select id from webhook_deliveries order by id');
  assert.ok(deliveries.length > 0);

  const ageMs = service.clock.now().getTime() % DAY_MS;
  service.clock.advanceMs(90 * DAY_MS - ageMs + DAY_MS - 1);
  await service.prune();
  assert.equal((await removedIn(dir)).rowsOf('deliveries').length, 0, 'its day is not over');
  service.clock.advanceMs(DAY_MS);
  await service.prune();
  assert.deepEqual(await service.sql('select from webhook_deliveries'), []);

  const { files, rowsOf } = await removedIn(dir);
  const gone = rowsOf('deliveries');
  assert.deepEqual(
    gone.map(({ id }) => id).sort(),
    deliveries.map(({ id }) => id),
  );
  assert.deepEqual(
    [gone[0].state, gone[0].attempts[0].status, 'answer' in gone[0].attempts[0]],
    ['delivered', 200, false],
  );
  assert.deepEqual(
    rowsOf('idempotency_keys').map(({ key, object_id }) => [key, object_id]),
    [['once', charge.json.id]],
  );
  assert.deepEqual(
    rowsOf('quotes').map(({ id }) => id),
    [quote.id],
  );
  for (const { name } of files) assert.match(name, /^removed\/(\w+)\/\d{4}-\d\d-\d\d\/\1-[0-9a-f-]{36}\.ndjson\.gz$/);

  const whole = await runCommand(archiveCommand, {}, ['check', dir]);
  assert.equal(whole.code, 0, whole.said);
  assert.match(whole.said, new RegExp(`^deliveries, removed: 1 file, ${gone.length} rows, whole$`, 'm'));
  // A file is known by its first line, wherever it lies.
  const elsewhere = await mkdtemp(path.join(tmpdir(), 'trilho-elsewhere-'));
  t.after(() => rm(elsewhere, { recursive: true }));
  await cp(path.join(dir, 'removed', 'deliveries'), elsewhere, { recursive: true });
  const moved = await runCommand(archiveCommand, {}, ['check', elsewhere]);
  assert.equal(moved.code, 0, moved.said);
  assert.match(moved.said, new RegExp(`^deliveries, removed: 1 file, ${gone.length} rows, whole$`));
  await appendFile(path.join(dir, files[0]!.name), 'x');
  const broken = await runCommand(archiveCommand, {}, ['check', dir]);
  assert.equal(broken.code, 1);
  assert.match(broken.said, /^Broken: .* is not what its \.sha256 says\.$/m);
});

test('no row is locked while the disk of the archive hangs, and one that changes meanwhile stays', async t => {
  const { service, dir } = await startWithArchive(t);
  const receiver = await startReceiver(t);
  const hook = (await service.post('/webhooks', { url: receiver.url, accountId: 'acme' })).json.id;
  await service.post('/charges', chargeBody(), { 'idempotency-key': 'once' });
  await service.prune();
  service.clock.advanceMs(40 * DAY_MS);
  await service.prune();
  // Who reads a pipe hangs until it is written to.
  const owner = path.join(dir, 'archive.json');
  await rename(owner, `${owner}-real`);
  execFileSync('mkfifo', [owner]);
  service.clock.advanceMs(52 * DAY_MS);
  const pruning = service.prune();
  const pipe = await until('the pipe to be read', () =>
    open(owner, constants.O_WRONLY | constants.O_NONBLOCK).catch(() => undefined),
  );
  const { deliveries } = (await service.get(`/webhooks/${hook}/deliveries`)).json;
  const again = await service.send(`/webhooks/${hook}/deliveries/${deliveries[0].id}/redeliver`, { method: 'POST' });
  assert.equal(again.status, 202, again.text);
  await rename(`${owner}-real`, owner);
  await pipe.writeFile(await readFile(owner));
  await pipe.close();
  await pruning;
  await service.prune();
  const left = (await service.get(`/webhooks/${hook}/deliveries`)).json.deliveries;
  assert.deepEqual(
    left.map(({ id, state }: { id: string; state: string }) => [id, state]),
    [[deliveries[0].id, 'delivered']],
  );
});

test('killed at any step, each row is in a file before it is gone, and nothing half written stays', async t => {
  const { service, dir } = await startWithArchive(t);
  let deaths = 0;
  for (let step = 1; ; step++) {
    assert.ok(step <= MAX_STEPS, 'it comes to its end');
    const key = `key-${step}`;
    await service.post('/charges', chargeBody({ dueAt: '2035-12-10T23:59:59-03:00' }), { 'idempotency-key': key });
    service.clock.advanceMs(32 * DAY_MS);
    const now = service.clock.now().toISOString();
    const order: ArchiveCrash = { databaseUrl: service.databaseUrl, now, verb: 'keys', step, dir };
    const died = await crashAt('archive-crash-at-step.ts', order);
    const here = await service.sql('select from idempotency_keys where key = $1', [key]);
    const isIn = async () => (await removedIn(dir)).rowsOf('idempotency_keys').some(row => row.key === key);
    assert.ok(here.length === 1 || (await isIn()), `step ${step}: neither here nor in a file`);
    // Any node may go on when the lease of the dead one is over.
    await service.sql('delete from leases');
    await service.prune();
    assert.deepEqual(await service.sql('select key from idempotency_keys'), []);
    assert.ok(await isIn(), `step ${step}: it is in a file`);
    assert.deepEqual(
      (await readdir(dir, { recursive: true })).filter(name => name.includes('partial')),
      [],
    );
    const { code, said } = await runCommand(archiveCommand, {}, ['check', dir]);
    assert.equal(code, 0, said);
    if (!died) break;
    deaths++;
  }
  assert.ok(deaths >= 8, `${deaths} steps to die between`);
});

test('what cannot be written to the archive is not removed', async t => {
  const { service, dir, lines } = await startWithArchive(t);
  await service.post('/charges', chargeBody(), { 'idempotency-key': 'once' });
  await rm(dir, { recursive: true });
  service.clock.advanceMs(40 * DAY_MS);
  await service.prune();
  const left = await service.sql<{ key: string }>('select key from idempotency_keys');
  assert.deepEqual(left, [{ key: 'once' }]);
  assert.ok(lines.some(line => line.includes('old idempotency_keys were not removed')));
});

test('rows stay while the folder is not the archive of this database', async t => {
  const { service, dir, lines } = await startWithArchive(t);
  const other = await startWithArchive(t);
  const makeOld = async (of: typeof service, key: string) => {
    await of.post('/charges', chargeBody({ dueAt: '2028-12-10T23:59:59-03:00' }), { 'idempotency-key': key });
    of.clock.advanceMs(40 * DAY_MS);
    await of.prune();
  };
  const left = () => service.sql('select key from idempotency_keys');
  await makeOld(service, 'first');
  await makeOld(other.service, 'other');
  assert.deepEqual(await left(), []);

  // As when its disk is not mounted.
  await rename(dir, `${dir}-away`);
  await mkdir(dir);
  await makeOld(service, 'second');
  assert.deepEqual([await left(), await readdir(dir)], [[{ key: 'second' }], []]);
  const refusals = (reason: string) =>
    lines.filter(
      line => line.includes('TRILHO_ARCHIVE_DIR is not the folder of this archive') && line.includes(reason),
    );
  assert.ok(refusals('archive.json is not there').length > 0);

  await cp(path.join(other.dir, 'archive.json'), path.join(dir, 'archive.json'));
  await service.prune();
  assert.deepEqual(await left(), [{ key: 'second' }]);
  assert.ok(refusals('archive.json names another database').length > 0);

  await rm(dir, { recursive: true });
  await rename(`${dir}-away`, dir);
  await service.prune();
  assert.deepEqual(await left(), []);
  assert.deepEqual(
    (await removedIn(dir))
      .rowsOf('idempotency_keys')
      .map(({ key }) => key)
      .sort(),
    ['first', 'second'],
  );
});
