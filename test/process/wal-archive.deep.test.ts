// The WAL archive of the embedded database: a restore has the complete log or names what is missing, and an archive belongs to one
// database.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import {
  askDatabase,
  embeddedConnection,
  folderWithDatabase,
  type Over,
  ownFolder,
  PROJECT,
  refusalOf,
  runToEnd,
  startTrilho,
  type Trilho,
  until,
} from '../harness/process.ts';

/** Above the ids that Linux assigns. */
const NO_PROCESS = 4_194_305;

const TRILHO = path.join(PROJECT, 'bin/trilho.js');

const trilho = (folder: string, env: Readonly<Record<string, string>>, ...args: string[]) =>
  runToEnd({ folder, env, command: [process.execPath, TRILHO, ...args] });

/** A service with an archive that has a base backup. */
async function archivingService(t: Over) {
  const folder = await folderWithDatabase(t);
  const archive = path.join(folder, 'archive');
  const env = { TRILHO_WAL_ARCHIVE: archive };
  const service = await startTrilho({ folder, env });
  const base = await trilho(folder, env, 'backup', '--base');
  assert.equal(base.code, 0, base.stderr);
  return { folder, archive, env, service };
}

const ask = <R extends Record<string, unknown>>(service: Trilho, text: string) =>
  askDatabase<R>(embeddedConnection(service.dataPlace), text);

/** Ends the segment of the log that is being written, and returns its name. */
async function endSegment(service: Trilho): Promise<string> {
  const [row] = await ask<{ name: string }>(service, 'select pg_walfile_name(pg_switch_wal()) as name');
  return row!.name;
}

async function restoredCharges(t: Over, archive: string, ids: readonly string[], ...args: string[]) {
  const folder = await ownFolder(t);
  const ended = await trilho(folder, {}, 'restore', '--archive', archive, ...args);
  assert.equal(ended.code, 0, ended.stderr);
  const service = await startTrilho({ folder });
  const answers = await Promise.all(ids.map(id => service.get(`/charges/${id}`)));
  await service.end();
  return { said: ended.stdout, statuses: answers.map(({ status }) => status) };
}

describe('a WAL archive', { concurrency: 2 }, () => {
  test('with a gap is not restored as if it were complete', async t => {
    const { archive, service } = await archivingService(t);
    const first = await service.charge();
    const [row] = await ask<{ now: Date }>(service, 'select clock_timestamp() as now');
    // A restore to a moment ends at the first commit after it.
    await service.charge();
    await endSegment(service);
    const second = await service.charge();
    const lost = await endSegment(service);
    await service.charge();
    await service.end();

    const whole = await restoredCharges(t, archive, [first, second]);
    assert.deepEqual(whole.statuses, [200, 200]);
    const [, last = ''] = /^Restored: \S+ and the log after it, up to the commit of (\S+Z)\.$/m.exec(whole.said) ?? [];
    assert.ok(Date.parse(last) > row!.now.getTime(), whole.said);

    const segment = path.join(archive, 'wal', lost);
    const { size } = await stat(segment);
    await writeFile(segment, Buffer.alloc(size));
    const refused = async (...args: string[]) =>
      refusalOf(await trilho(await ownFolder(t), {}, 'restore', '--archive', archive, ...args));
    assert.match(
      await refused(),
      /^The log breaks off in segment [0-9A-F]{24}, which is damaged; the archive continues/,
    );

    await rm(segment);
    assert.match(await refused(), new RegExp(`^The archive lacks segment ${lost} of the log`));
    assert.match(await refused('--until', new Date().toISOString()), new RegExp(`lacks segment ${lost}`));
    const earlier = await restoredCharges(t, archive, [first, second], '--until', row!.now.toISOString());
    assert.deepEqual(earlier.statuses, [200, 404]);
  });

  test('belongs to its database while a restore is tried, until the restored one takes it over', async t => {
    const { folder, archive, env, service } = await archivingService(t);
    const bases = async () => (await readdir(archive)).filter(name => name.startsWith('base-')).length;
    const first = await service.charge();
    await endSegment(service);

    const trial = await ownFolder(t);
    const tried = await trilho(trial, env, 'restore', '--archive', archive);
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stdout, /still belongs to the database that was saved\..* trilho backup --base --take-over\.$/m);
    assert.equal(await bases(), 1);
    const refused = /belongs to the database that this one was restored from: .*trilho backup --base --take-over\.$/;
    assert.match(refusalOf(await runToEnd({ folder: trial, env })), refused);

    const second = await service.charge();
    await service.end();
    assert.deepEqual((await restoredCharges(t, archive, [first, second])).statuses, [200, 200]);

    const taken = await trilho(trial, env, 'backup', '--base', '--take-over');
    assert.equal(taken.code, 0, taken.stderr);
    assert.equal(await bases(), 2);
    const next = await startTrilho({ folder: trial, env });
    const third = await next.charge();
    await next.end();
    assert.deepEqual((await restoredCharges(t, archive, [first, second, third])).statuses, [200, 404, 200]);
    assert.match(refusalOf(await runToEnd({ folder, env })), refused, 'the old one no longer writes there');
  });

  test('has verified base backups, a damaged one stops no restore, and the rest of a killed one is removed', async t => {
    const { folder, archive, env, service } = await archivingService(t);
    const [damaged = ''] = (await readdir(archive)).filter(name => name.startsWith('base-'));
    await writeFile(path.join(archive, damaged, 'base.json'), '{');
    const left = path.join(archive, `.base-${NO_PROCESS}-abcdef`);
    await mkdir(left);
    await service.charge();

    const base = await trilho(folder, env, 'backup', '--base', '--verify', '--keep', '1');
    assert.equal(base.code, 0, base.stderr);
    assert.match(
      base.stdout,
      /^Saved: .*\nSkipped: .*\nRestored: .*\nThe ledger is right\.\nThe audit log is whole: .*\nRemoved: 0 /,
    );
    assert.equal(existsSync(left), false);
    await service.end();

    const other = await ownFolder(t);
    const tried = await trilho(other, {}, 'restore', '--archive', archive, '--verify');
    assert.equal(tried.code, 0, tried.stderr);
    assert.match(tried.stdout, new RegExp(`^Skipped: the base backup \\S+${damaged} is damaged\\.\nRestored: `));
    assert.equal(existsSync(path.join(other, 'data')), false);
  });

  /** One after another: the service runs until its folder belongs to another database. */
  describe('of one service', { concurrency: 1 }, () => {
    let one: Awaited<ReturnType<typeof archivingService>>;
    const cleanUp: (() => Promise<void>)[] = [];
    before(async () => {
      one = await archivingService({ after: work => cleanUp.push(work) });
    });
    after(async () => {
      for (const work of cleanUp) await work();
    });

    test('is checked before the database is copied: if its disk is not mounted, nothing is written there', async () => {
      const { folder, archive, env } = one;
      await rename(archive, `${archive}-away`);
      const refuse = async (pattern: RegExp, given: Readonly<Record<string, string>> = env) => {
        const { code, stderr } = await trilho(folder, given, 'backup', '--base');
        assert.deepEqual([code, pattern.test(stderr)], [2, true], stderr);
      };
      await refuse(/The WAL archive \S+ of this database is missing: mount its disk/);
      await mkdir(archive);
      await refuse(/The WAL archive \S+ of this database is missing: mount its disk/);
      assert.deepEqual(await readdir(archive), []);
      await rm(archive, { recursive: true });
      await rename(`${archive}-away`, archive);
      await refuse(/archives its log to \S+, and TRILHO_WAL_ARCHIVE is/, { TRILHO_WAL_ARCHIVE: `${archive}-other` });
    });

    test('that hangs is reported by the metrics and the doctor', async () => {
      const { folder, archive, env, service } = one;
      const isFailing = async () =>
        (await (await fetch(`${service.url}/metrics`)).text()).includes('\ntrilho_wal_archive_failing 1\n');
      await service.charge();
      const [row] = await ask<{ name: string }>(service, 'select pg_walfile_name(pg_current_wal_lsn()) as name');
      // The server compares what is there already, and waits until something is written into the pipe.
      const pipe = path.join(archive, 'wal', row!.name);
      await promisify(execFile)('mkfifo', [pipe]);
      try {
        await endSegment(service);
        assert.equal(await isFailing(), false, 'it may take a while');
        const waiting = path.join(folder, 'data/postgres/pg_wal/archive_status', `${row!.name}.ready`);
        const since = new Date(Date.now() - 16 * 60_000);
        await utimes(waiting, since, since);
        assert.equal(await isFailing(), true);
        const ill = await trilho(folder, env, 'doctor');
        assert.equal(ill.code, 1);
        assert.match(ill.stdout, /^wrong {2}wal archive: last archived \S+Z, and a segment waits since \S+Z;/m);
      } finally {
        // Does not wait for a reader.
        const writer = await open(pipe, 'r+');
        await rm(pipe);
        await writer.close();
      }
      await until('the segment to be archived', async () => !(await isFailing()));
    });

    test('that cannot be written is reported by the metrics and the doctor', async () => {
      const { folder, archive, env, service } = one;
      const figure = async (name: string) =>
        new RegExp(`^${name} (\\S+)$`, 'm').exec(await (await fetch(`${service.url}/metrics`)).text())?.[1];
      assert.equal(await figure('trilho_wal_archive_failing'), '0');
      const well = await trilho(folder, env, 'doctor');
      assert.match(well.stdout, /^right {2}wal archive: last archived \S+Z$/m);
      assert.match(well.stdout, /^right {2}base backup: the newest is of \S+Z$/m);

      await rename(path.join(archive, 'wal'), path.join(archive, 'away'));
      await service.charge();
      await endSegment(service);
      await until('archiving to fail', async () => (await figure('trilho_wal_archive_failing')) === '1');
      const ill = await trilho(folder, env, 'doctor');
      assert.equal(ill.code, 1);
      assert.match(ill.stdout, /^wrong {2}wal archive: last archived \S+Z, and every attempt since has failed/m);
      await rename(path.join(archive, 'away'), path.join(archive, 'wal'));
      await until('archiving to continue', async () => (await figure('trilho_wal_archive_failing')) === '0');
    });

    test('is used by every start of its database, and only with the same folder', async () => {
      const { folder, archive, service } = one;
      const other = { TRILHO_WAL_ARCHIVE: path.join(folder, 'other') };
      const differs = /^The embedded database archives its log to \S+archive, and TRILHO_WAL_ARCHIVE is \S+other: /;
      assert.match(refusalOf(await trilho(folder, other, 'backup', '--base')), differs);
      await service.end();
      assert.match(refusalOf(await runToEnd({ folder, env: other })), differs);

      const next = await startTrilho({ folder });
      const settings = `select current_setting('archive_mode') as mode, current_setting('basic_archive.archive_directory') as folder`;
      assert.deepEqual(await ask(next, settings), [{ mode: 'on', folder: path.join(archive, 'wal') }]);
      await next.end();

      await rm(path.join(folder, 'data/postgres/trilho.wal-archive'));
      const without = await startTrilho({ folder });
      assert.deepEqual(await ask(without, `select current_setting('archive_mode') as mode`), [{ mode: 'off' }]);
      await without.end();
    });
    test('accepts no log of another database', async t => {
      const { archive, env } = one;
      const before = await readdir(path.join(archive, 'wal'));
      // The database of another folder is a copy of the same files, so a new one is made.
      const refused = refusalOf(await runToEnd({ folder: await ownFolder(t), env }));
      assert.match(
        refused,
        /^TRILHO_WAL_ARCHIVE \S+ has the log of another database: restore it with trilho restore --archive, or name a new folder\.$/,
      );
      assert.deepEqual(await readdir(path.join(archive, 'wal')), before);
    });
  });
});
