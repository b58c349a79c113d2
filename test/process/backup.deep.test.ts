// Backups of the embedded database from the command line, beside a running service, into a folder and through a pipe.
import assert from 'node:assert/strict';
import { appendFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  askDatabase,
  diesAfterCommitOf,
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
  untilIssued,
} from '../harness/process.ts';

const TRILHO = path.join(PROJECT, 'bin/trilho.js');

const trilho = (folder: string, env: Readonly<Record<string, string>>, ...args: string[]) =>
  runToEnd({ folder, env, command: [process.execPath, TRILHO, ...args] });

describe('the embedded database', { concurrency: 2 }, () => {
  /** One after another: the archive of a stopped service. */
  describe('whose log was archived', { concurrency: 1 }, () => {
    let archive: string;
    let env: Record<string, string>;
    /** Before this no moment can be restored. */
    let earliest: string;
    let first: string;
    let second: string;
    /** Between the second charge and the third. */
    let moment: string;
    let third: string;
    const cleanUp: (() => Promise<void>)[] = [];
    before(async () => {
      const folder = await folderWithDatabase({ after: work => cleanUp.push(work) });
      archive = path.join(folder, 'archive');
      env = { TRILHO_WAL_ARCHIVE: archive };
      const service = await startTrilho({ folder, env });
      first = await service.charge();
      const base = await trilho(folder, env, 'backup', '--base');
      assert.equal(base.code, 0, base.stderr);
      [, earliest = ''] = /Any moment after (\S+Z) can be restored/.exec(base.stdout) ?? [];
      second = await service.charge();
      const clock = embeddedConnection(service.dataPlace);
      const [row] = await askDatabase<{ now: Date }>(clock, 'select clock_timestamp() as now');
      moment = row!.now.toISOString();
      // Later by the archive's clock: a commit in the same millisecond would belong to the moment, too.
      await until('the next moment', async () => {
        const [later] = await askDatabase<{ is: boolean }>(clock, 'select clock_timestamp() > $1 as is', [
          new Date(row!.now.getTime() + 50),
        ]);
        return later!.is;
      });
      third = await service.charge();
      await service.end();
    });
    after(async () => {
      for (const work of cleanUp) await work();
    });

    const refused = async (t: Over, pattern: RegExp, ...args: string[]) => refusedIn(t, {}, pattern, ...args);
    const refusedIn = async (t: Over, mode: Record<string, string>, pattern: RegExp, ...args: string[]) => {
      const other = await ownFolder(t);
      const ended = await trilho(other, mode, 'restore', '--archive', archive, ...args);
      assert.match(refusalOf(ended), pattern);
      assert.deepEqual(
        (await readdir(path.join(other, 'data'))).filter(name => /^(\.|postgres$)/.test(name)),
        [],
      );
    };

    test('is restored to any moment since the base backup', async t => {
      async function restored(...args: string[]): Promise<number[]> {
        const other = await ownFolder(t);
        const ended = await trilho(other, {}, 'restore', '--archive', archive, ...args);
        assert.equal(ended.code, 0, ended.stderr);
        assert.match(ended.stdout, /The ledger is right\.\nThe audit log is whole/);
        const next = await startTrilho({ folder: other });
        const answers = await Promise.all([first, second, third].map(id => next.get(`/charges/${id}`)));
        await next.charge();
        await next.end();
        return answers.map(({ status }) => status);
      }
      assert.deepEqual(await restored('--until', moment), [200, 200, 404]);
      assert.deepEqual(await restored(), [200, 200, 200]);
      await refusedIn(t, { TRILHO_MODE: 'live' }, /sandbox/);
      await refused(t, /The archive ends before 2199/, '--until', '2199-01-01T00:00:00Z');
      await refused(t, /--until must be later/, '--until', new Date(Date.parse(earliest) - 60_000).toISOString());
    });

    test('that a killed restore left incomplete is not started, and a repeat completes it', async t => {
      const other = await ownFolder(t);
      // The log is read; what makes the database safe to start is still to come.
      const killed = await trilho(
        other,
        diesAfterCommitOf('lock table schema_migrations'),
        'restore',
        '--archive',
        archive,
      );
      assert.equal(killed.signal, 'SIGKILL', killed.stderr);
      const cutShort =
        /^A restore of the embedded database was interrupted: repeat trilho restore --archive, or remove \S+\.restoring-/;
      assert.match(refusalOf(await runToEnd({ folder: other })), cutShort);
      assert.match(refusalOf(await trilho(other, {}, 'ledger', 'check')), cutShort);

      const again = await trilho(other, {}, 'restore', '--archive', archive);
      assert.equal(again.code, 0, again.stderr);
      assert.deepEqual(
        (await readdir(path.join(other, 'data'))).filter(name => name.startsWith('.')),
        [],
      );
      const next = await startTrilho({ folder: other });
      assert.equal((await next.get(`/charges/${first}`)).status, 200);
      await next.end();
    });

    test('continues archiving after a restore, and later changes can be restored, too', async t => {
      const bases = async () => (await readdir(archive)).filter(name => name.startsWith('base-')).sort();
      const [old] = await bases();

      const other = await ownFolder(t);
      const restored = await trilho(other, env, 'restore', '--archive', archive);
      assert.equal(restored.code, 0, restored.stderr);
      const taken = await trilho(other, env, 'backup', '--base', '--take-over');
      assert.match(taken.stdout, /^Saved: \S+base-\S+, /m, taken.stderr);
      const resumed = await startTrilho({ folder: other, env });
      const later = await resumed.charge();
      await resumed.end();

      // Without the base of the restore the log leads there as well.
      for (const base of await bases()) if (base !== old) await rm(path.join(archive, base), { recursive: true });
      const next = await ownFolder(t);
      const again = await trilho(next, {}, 'restore', '--archive', archive);
      assert.equal(again.code, 0, again.stderr);
      const last = await startTrilho({ folder: next });
      assert.deepEqual(
        [(await last.get(`/charges/${first}`)).status, (await last.get(`/charges/${later}`)).status],
        [200, 200],
      );
      await last.end();
    });

    test('is not restored from a damaged base backup', async t => {
      await appendFile(
        path.join(archive, (await readdir(archive)).find(name => name.startsWith('base-'))!, 'PG_VERSION'),
        ' ',
      );
      await refused(t, /is damaged: PG_VERSION/);
    });
  });

  test('keeps as many base backups as requested, with the log that they need', async t => {
    const folder = await folderWithDatabase(t);
    const env = { TRILHO_WAL_ARCHIVE: path.join(folder, 'archive') };
    const service = await startTrilho({ folder, env });
    for (let made = 0; made < 2; made++) {
      await service.charge();
      const ended = await trilho(folder, env, 'backup', '--base', '--keep', '1');
      assert.equal(ended.code, 0, ended.stderr);
      assert.match(ended.stdout, made < 1 ? /Removed: 0 older/ : /Removed: 1 older base backups, [1-9]/);
    }
    assert.equal((await readdir(env.TRILHO_WAL_ARCHIVE)).filter(name => name.startsWith('base-')).length, 1);
    await service.end();
    const other = await ownFolder(t);
    const ended = await trilho(other, {}, 'restore', '--archive', env.TRILHO_WAL_ARCHIVE);
    assert.equal(ended.code, 0, ended.stderr);
  });

  /** One after another: the service runs until its copy takes over. */
  describe('that runs without an archive', { concurrency: 1 }, () => {
    // The link of a charge names it, and the port is another one later.
    const env = { TRILHO_PUBLIC_URL: 'https://pay.example.com' };
    let folder: string;
    let service: Trilho;
    let id: string;
    const cleanUp: (() => Promise<void>)[] = [];
    before(async () => {
      folder = await folderWithDatabase({ after: work => cleanUp.push(work) });
      service = await startTrilho({ folder, env });
      id = await service.charge();
      await untilIssued(service, id);
    });
    after(async () => {
      for (const work of cleanUp) await work();
    });

    test('refuses a base backup', async () => {
      const archiving = { TRILHO_WAL_ARCHIVE: path.join(folder, 'archive') };
      assert.match(refusalOf(await trilho(folder, archiving, 'backup', '--base')), /runs without the archive/);
      assert.match(refusalOf(await trilho(folder, {}, 'backup', '--base')), /needs TRILHO_WAL_ARCHIVE/);
      const both = { ...archiving, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
      assert.match(refusalOf(await trilho(folder, both, 'backup', '--base')), /is for the embedded database/);
      assert.match(refusalOf(await runToEnd({ folder, env: both })), /TRILHO_WAL_ARCHIVE is for the embedded database/);
    });

    test('is saved through a pipe, and a truncated pipe is refused', async () => {
      const run = (script: string) =>
        runToEnd({
          folder,
          command: [
            '/bin/bash',
            '-c',
            `set -o pipefail; ${script.replaceAll('trilho', `"${process.execPath}" "${TRILHO}"`)}`,
          ],
        });
      const whole = await run('trilho backup - | tee whole.tar | trilho restore - --verify');
      assert.equal(whole.code, 0, whole.stderr);
      assert.match(whole.stdout, /^Restored: \d+ rows.*\nThe ledger is right\.\nThe audit log is whole/);
      // Any tar unpacks the stream into what a folder would be.
      const unpacked = await run(
        'mkdir unpacked && tar -x -f whole.tar -C unpacked && trilho restore unpacked --verify',
      );
      assert.deepEqual(
        [unpacked.code, unpacked.stderr],
        [0, ''],
        'the migrations of a scratch database are not logged',
      );

      const cut = await run('head -c 9000 whole.tar | trilho restore - --verify');
      assert.equal(cut.code, 2);
      assert.match(cut.stderr, /The stream ends in the middle of the backup\.$/m);
      const foreign = await run('head -c 9000 /dev/zero | tr "\\0" x | trilho restore - --verify');
      assert.match(foreign.stderr, /The stream is damaged or not a backup\.$/m);
    });

    test('is saved beside the service and restored into another folder, where the service continues', async t => {
      const saved = await runToEnd({ folder, command: [process.execPath, TRILHO, 'backup', 'saved'] });
      assert.equal(saved.code, 0, saved.stderr);
      const charge = (await service.get(`/charges/${id}`)).text;
      await service.end();

      const other = await ownFolder(t);
      const from = path.join(folder, 'saved');
      const restored = await runToEnd({ folder: other, command: [process.execPath, TRILHO, 'restore', from] });
      assert.equal(restored.code, 0, restored.stderr);
      assert.match(restored.stdout, /The ledger is right\.\nThe audit log is whole/);
      const next = await startTrilho({ folder: other, env });
      assert.equal((await next.get(`/charges/${id}`)).text, charge);
      await next.charge();
      await next.end();
    });
  });
});
