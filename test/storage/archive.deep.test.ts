// Old lines of the audit log are moved to files, and the log can still be verified across the cut.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { archiveCommand } from '../../src/cli/archive.ts';
import { auditCommand } from '../../src/cli/audit.ts';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { sealAudit, verifyAudit } from '../../src/storage/audit-chain.ts';
import { sha256Of } from '../../src/storage/backup/format.ts';
import { openDatabase } from '../../src/storage/database.ts';
import type { ArchiveCrash } from '../harness/archive-crash-at-step.ts';
import { runCommand } from '../harness/commands.ts';
import { crashAt } from '../harness/crash.ts';
import { textOf, view } from '../harness/dashboard.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { startService } from '../harness/service.ts';

const DAY_MS = 86_400_000;
const MAX_STEPS = 40;

/** A service with an archive, and a test's actions on its audit log. */
async function startArchiving(t: TestContext, env: Record<string, string> = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), 'trilho-archive-'));
  const { log, lines } = recordingLog();
  const service = await startService({
    log,
    env: { TRILHO_ARCHIVE_DIR: dir, TRILHO_KEEP_AUDIT: 'P30D', TRILHO_KEEP_EVENTS: 'forever', ...env },
  });
  const db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  t.after(async () => {
    await db.close();
    await service.stop();
    await rm(dir, { recursive: true });
  });
  return {
    service,
    db,
    dir,
    lines,
    /** Lines of changes at the present time. */
    write: async (count: number) => {
      await service.sql(
        `insert into audit_inbox (id, at, actor, action, object_id, request_id, status)
         select gen_random_uuid(), $1, 'sandbox', 'POST /charges', null, 'request ' || n, 201 from generate_series(1, $2) n`,
        [service.clock.now(), count],
      );
      await sealAudit(db);
    },
    logged: async () =>
      (await service.sql<{ count: number }>('select count(*)::int as count from audit_log'))[0]!.count,
    files: async () => (await readdir(dir, { recursive: true })).filter(name => /\d\.\w/.test(name)).sort(),
    run: (command: typeof auditCommand, ...args: string[]) =>
      runCommand(command, { DATABASE_URL: service.databaseUrl }, args),
  };
}

const FIRST = 'audit/0000/audit-000000000001-000000001000.ndjson.gz';
const SECOND = 'audit/0000/audit-000000001001-000000002000.ndjson.gz';

test('old audit lines are moved in whole blocks, and the log is verified before, after and across the cut', async t => {
  const archiving = await startArchiving(t);
  const { service, db, dir, run } = archiving;
  await archiving.write(700);
  const early = (await verifyAudit(db)).head;
  await archiving.write(1_600);
  const late = (await verifyAudit(db)).head;
  await service.prune();
  assert.deepEqual(await archiving.files(), [], 'nothing is old yet');
  service.clock.advanceMs(31 * DAY_MS);
  await service.prune();
  assert.deepEqual(await archiving.files(), [FIRST, `${FIRST}.sha256`, SECOND, `${SECOND}.sha256`]);
  assert.equal(await archiving.logged(), 300);
  await sealAudit(db);
  assert.equal(await archiving.logged(), 302, 'each cut has a line in the log');

  const page = textOf(await view(service, '/audit/proof'));
  assert.match(page, /The audit log is whole.*Lines up to 2,000 were moved to the archive.*audit verify --archive/);

  const plain = await run(auditCommand, 'verify', String(late.position), late.hash);
  assert.equal(plain.code, 0, plain.said);
  assert.match(plain.said, /^Lines up to 2000 were moved to the archive;.*\nWhole: 2302 /);
  const unseen = await run(auditCommand, 'verify', String(early.position), early.hash);
  assert.equal(unseen.code, 1, 'a line in the archive is not verified without it');
  const whole = await run(auditCommand, 'verify', String(early.position), early.hash, '--archive', dir);
  assert.equal(whole.code, 0, whole.said);
  const other = await run(auditCommand, 'verify', String(early.position), late.hash, '--archive', dir);
  assert.equal(other.code, 1);
  assert.match(other.said, /line 700: it is not the one that was recorded/);

  const checked = await run(archiveCommand, 'check', dir);
  assert.equal(checked.code, 0, checked.said);
  assert.match(checked.said, /^audit: 2 files, 1 to 2000, whole: [0-9a-f]{64}$/);
  assert.equal((await run(archiveCommand, 'check', path.join(dir, SECOND))).code, 0);
  const renamed = path.join(`${dir}-copy`, 'removed');
  t.after(() => rm(path.dirname(renamed), { recursive: true }));
  await cp(dir, renamed, { recursive: true });
  assert.deepEqual(await run(archiveCommand, 'check', renamed), checked, 'under any folder name');
  assert.equal((await run(ledgerCommand, 'check')).code, 0);

  // The log continues from the cut, and its next block from the file before.
  await archiving.write(698);
  service.clock.advanceMs(31 * DAY_MS);
  await service.prune();
  assert.equal(await archiving.logged(), 0);
  await archiving.write(5);
  const again = await run(auditCommand, 'verify', '--archive', dir);
  assert.equal(again.code, 0, again.said);
  assert.match(again.said, /Whole: 3006 /);
});

test('a changed archive, a missing file and a log that was cut by hand are found', async t => {
  const archiving = await startArchiving(t);
  const { service, db, dir, run } = archiving;
  await archiving.write(2_500);
  service.clock.advanceMs(31 * DAY_MS);
  await service.prune();
  const file = path.join(dir, FIRST);
  const before = await readFile(file);
  const change = async (from: string, to: string) => {
    const text = gunzipSync(before).toString();
    assert.ok(text.includes(from));
    const bytes = gzipSync(text.replace(from, to));
    await writeFile(file, bytes);
    await writeFile(`${file}.sha256`, `${sha256Of(bytes)}  ${path.basename(file)}\n`);
    const { code, said } = await run(archiveCommand, 'check', dir);
    assert.equal(code, 1, said);
    return said;
  };
  assert.match(await change('"status":201', '"status":200'), /line 1: it or its order was changed/);
  assert.match(await change('"position":9,', '"position":10,'), /lacks row 9/);
  await writeFile(file, before);
  assert.match((await run(archiveCommand, 'check', file)).said, /does not match its \.sha256/);
  await writeFile(file, before.subarray(0, 500));
  assert.equal((await run(archiveCommand, 'check', file)).code, 1);
  await rename(file, path.join(dir, 'away'));
  const lacking = await run(auditCommand, 'verify', '--archive', dir);
  assert.equal(lacking.code, 1);
  assert.match(lacking.said, /lacks lines of the audit log: it must have 1 to 2000/);

  const refused = [
    'delete from audit_log where position = 2100',
    `update archive_cuts set position = 2100 where kind = 'audit'`,
    `update archive_cuts set position = 1000 where kind = 'audit'`,
  ];
  for (const statement of refused) await assert.rejects(service.sql(statement), { code: '23001' }, statement);
  await sealAudit(db);
  await service.sql(
    `update archive_cuts set position = l.position, hash = l.hash from audit_log l where kind = 'audit' and l.position = 2100`,
  );
  await service.sql('delete from audit_log where position <= 2100');
  const cut = await run(auditCommand, 'verify');
  assert.equal(cut.code, 1);
  assert.match(cut.said, /^Broken: line 2100: it and the lines before it are gone, and no line records it/);
});

test('records stay without an archive, and while a file there has other rows or cannot be written', async t => {
  const archiving = await startArchiving(t);
  const { service, dir } = archiving;
  await archiving.write(1_000);
  service.clock.advanceMs(31 * DAY_MS);
  const bare = await startService({ beside: service, env: { TRILHO_KEEP_AUDIT: 'P30D' } });
  t.after(() => bare.stop());
  await bare.prune();
  assert.equal(await archiving.logged(), 1_000);

  const other = await startArchiving(t);
  await other.write(1_000);
  other.service.clock.advanceMs(31 * DAY_MS);
  await other.service.prune();
  assert.equal(await other.logged(), 0);
  await rename(path.join(other.dir, 'audit'), path.join(dir, 'audit'));
  await service.prune();
  assert.equal(await archiving.logged(), 1_000);
  assert.match(JSON.stringify(archiving.lines), /holds other rows than the database; nothing is removed/);
  await rm(path.join(dir, 'audit'), { recursive: true });
  await writeFile(path.join(dir, 'audit'), 'a file where a folder should be');
  await service.prune();
  assert.equal(await archiving.logged(), 1_000);
  await rm(path.join(dir, 'audit'));
  await service.prune();
  assert.equal(await archiving.logged(), 0);
});

test('records stay while the folder lacks the last moved block, or has another one', async t => {
  const archiving = await startArchiving(t, { TRILHO_KEEP_EVENTS: 'P30D' });
  const { service, dir } = archiving;
  const insertEvents = () =>
    service.sql(
      `insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
       select gen_random_uuid(), 'acme', 'charge.created', gen_random_uuid(), 1, $1, '{}' from generate_series(1, 1000)`,
      [service.clock.now()],
    );
  const left = async () => [await archiving.logged(), (await service.sql('select from events')).length];
  const fill = async () => {
    await archiving.write(1_000);
    await insertEvents();
    await service.prune();
    service.clock.advanceMs(31 * DAY_MS);
  };
  await fill();
  await service.prune();
  assert.deepEqual(await left(), [0, 0]);
  await fill();
  const full = await left();
  assert.ok(full.every(count => count >= 1_000));

  const away = `${dir}-away`;
  const kinds = ['audit', 'events'];
  await mkdir(away);
  t.after(() => rm(away, { recursive: true }));
  for (const kind of kinds) await rename(path.join(dir, kind), path.join(away, kind));
  await service.prune();
  assert.deepEqual(await left(), full);
  assert.deepEqual(await archiving.files(), [], 'nothing is written there');
  const failed = archiving.lines.filter(line => JSON.stringify(line).includes('TRILHO_ARCHIVE_DIR is not the folder'));
  assert.equal(failed.length, kinds.length);

  const other = await startArchiving(t, { TRILHO_KEEP_EVENTS: 'P30D' });
  await other.write(1_000);
  other.service.clock.advanceMs(31 * DAY_MS);
  await other.service.prune();
  await rename(path.join(other.dir, 'audit'), path.join(dir, 'audit'));
  await service.prune();
  assert.deepEqual(await left(), full);
  assert.match(JSON.stringify(archiving.lines), /is not the block that was moved last/);

  await rm(path.join(dir, 'audit'), { recursive: true });
  for (const kind of kinds) await rename(path.join(away, kind), path.join(dir, kind));
  const owner = path.join(dir, 'archive.json');
  const named = await readFile(owner, 'utf8');
  const refusals = (reason: string) => archiving.lines.filter(line => JSON.stringify(line).includes(reason));
  for (const [content, reason] of [
    [undefined, 'archive.json is not there'],
    [await readFile(path.join(other.dir, 'archive.json'), 'utf8'), 'archive.json names another database'],
  ] as const) {
    await rm(owner);
    if (content !== undefined) await writeFile(owner, content);
    await service.prune();
    assert.deepEqual(await left(), full);
    assert.equal(refusals(reason).length, kinds.length);
    await writeFile(owner, named);
  }
  await service.prune();
  assert.deepEqual([(await archiving.files()).length, (await left())[1]], [8, 0]);
  assert.equal((await archiving.run(archiveCommand, 'check', dir)).code, 0);
});

test('an archive of an earlier version, without archive.json, is accepted if its last block matches', async t => {
  const archiving = await startArchiving(t);
  const { service, dir } = archiving;
  const owner = path.join(dir, 'archive.json');
  const fill = async () => {
    await archiving.write(1_000);
    service.clock.advanceMs(31 * DAY_MS);
    await service.prune();
  };
  await fill();
  assert.equal((await archiving.files()).length, 2);
  const named = await readFile(owner, 'utf8');
  await service.sql('update installation set has_archive = false');
  await fill();
  assert.equal((await archiving.files()).length, 4, 'killed before the database recorded it');

  await service.sql('update installation set has_archive = false');
  await rm(owner);
  const block = path.join(dir, SECOND);
  await rename(block, `${block}-away`);
  await fill();
  assert.ok((await archiving.logged()) >= 1_000);
  assert.ok(!existsSync(owner));
  await rename(`${block}-away`, block);
  await service.prune();
  assert.equal((await archiving.files()).length, 6);
  assert.equal(await readFile(owner, 'utf8'), named);
});

test('killed at any step, no line is lost or in two files', async t => {
  const archiving = await startArchiving(t);
  const { service, db, dir } = archiving;
  let deaths = 0;
  for (let step = 1; ; step++) {
    assert.ok(step <= MAX_STEPS, 'it finishes');
    const left = await archiving.logged();
    await archiving.write(1_000 - left);
    service.clock.advanceMs(31 * DAY_MS);
    const now = service.clock.now().toISOString();
    const order: ArchiveCrash = { databaseUrl: service.databaseUrl, now, verb: 'audit', step, dir };
    const died = await crashAt('archive-crash-at-step.ts', order);
    // Any node may continue when the lease of the dead one has expired.
    await service.sql('delete from leases');
    await service.prune();
    await sealAudit(db);
    const { code, said } = await archiving.run(auditCommand, 'verify', '--archive', dir);
    assert.equal(code, 0, `step ${step}: ${said}`);
    assert.equal((await archiving.files()).length, 2 * step, 'a file and its hash for each block');
    if (!died) break;
    deaths++;
  }
  assert.ok(deaths >= 6, `${deaths} steps to die between`);
});
