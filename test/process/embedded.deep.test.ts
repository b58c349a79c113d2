// The service with its embedded database, started without any setting.
import assert from 'node:assert/strict';
import { exec, spawnSync } from 'node:child_process';
import { existsSync, utimesSync } from 'node:fs';
import { mkdir, readFile, readlink, rename, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import pg from 'pg';
import { isAlive } from '../../src/lib/processes.ts';
import { linkLibraries } from '../../src/storage/embedded/binaries.ts';
import { chargeBody } from '../harness/bodies.ts';
import {
  ASK_AGAIN_MS,
  askDatabase,
  databasePid,
  embeddedConnection,
  folderWithDatabase,
  kill,
  launch,
  ownFolder,
  processesOf,
  refusalOf,
  runToEnd,
  startTrilho,
  until,
  untilIssued,
} from '../harness/process.ts';

describe('the embedded database', { concurrency: 2 }, () => {
  test('a first start prints address, mode, data place and two curl commands that work; a restart keeps every charge', async t => {
    const folder = await ownFolder(t);
    const service = await startTrilho({ folder });
    const said = service.stdout();
    assert.match(said, /Trilho \S+ \(sandbox\) listens on http:\/\/127\.0\.0\.1:\d+\n/);
    assert.equal(service.dataPlace, path.join(folder, 'data', 'postgres'));

    const commands = said.split('\n').filter(line => line.trim().startsWith('curl '));
    assert.equal(commands.length, 2);
    const [list, charged] = await Promise.all(commands.map(runCurl));
    assert.ok(list.total > 0, 'the printed list shows something');
    assert.equal(charged.pix.success, true);
    const ids = [charged.id, await service.charge({ externalId: 'order-1' })];

    const connection = embeddedConnection(service.dataPlace);
    for (const [setting, value] of [
      ['fsync', 'on'],
      ['synchronous_commit', 'on'],
      ['full_page_writes', 'on'],
      ['server_encoding', 'UTF8'],
      ['listen_addresses', ''],
    ]) {
      assert.deepEqual(await askDatabase(connection, `show ${setting}`), [{ [setting!]: value }]);
    }

    assert.equal((await service.end()).code, 0);
    assert.deepEqual(processesOf(folder), [], 'nothing is left running');
    const again = await startTrilho({ folder });
    for (const id of ids) assert.equal((await again.get(`/charges/${id}`)).status, 200);
    const { headers, json } = await again.post('/charges', chargeBody({ externalId: 'order-1' }));
    assert.equal(headers.get('idempotent-replayed'), 'true');
    assert.equal(json.id, ids[1]);
  });

  test('a data directory too long for a socket address works, also after a restart', async t => {
    const folder = await folderWithDatabase(t);
    const dataDir = path.join(folder, 'a'.repeat(100), `é b'"$(x)`.repeat(10), 'data');
    await moveData(folder, dataDir);
    const env = { TRILHO_DATA_DIR: dataDir };
    const service = await startTrilho({ folder, env });
    const id = await service.charge();
    await untilIssued(service, id);
    assert.equal((await service.end()).code, 0);
    assert.deepEqual(processesOf(folder), []);
    const again = await startTrilho({ folder, env });
    assert.equal((await again.get(`/charges/${id}`)).status, 200);
    // Stopped, not killed: only then it removes the short name of its socket.
    assert.equal((await again.end()).code, 0);
  });

  test('a data directory reached through a symbolic link is stopped with the service', async t => {
    const folder = await folderWithDatabase(t);
    await moveData(folder, path.join(folder, 'real', 'data'));
    await symlink(path.join(folder, 'real'), path.join(folder, 'link'));
    const service = await startTrilho({ folder, env: { TRILHO_DATA_DIR: path.join(folder, 'link', 'data') } });
    await service.charge();
    const { code, stderr } = await service.end();
    assert.equal(code, 0);
    assert.doesNotMatch(stderr, /database is gone/);
    assert.deepEqual(processesOf(folder), []);
  });

  test('the library links follow another release of the database that replaces the first', async t => {
    const folder = await ownFolder(t);
    for (const library of ['libpq.so.5.18', 'libpq.so.5.19']) {
      const list = [{ source: `native/lib/${library}`, target: 'native/lib/libpq.so.5' }];
      await writeFile(path.join(folder, 'pg-symlinks.json'), JSON.stringify(list));
      const links = await linkLibraries(folder, folder);
      assert.equal(await readlink(path.join(links, 'libpq.so.5')), path.join(folder, 'lib', library));
    }
  });

  test('a killed database is restarted while the service runs, with 503 in the meantime; a stop while it is down leaves nothing', async t => {
    const folder = await folderWithDatabase(t);
    const service = await startTrilho({ folder });
    const id = await service.charge();
    // Requests continue all the time, so that the connection is lost at every possible moment of one.
    const odd: string[] = [];
    let made = 0;
    let isOver = false;
    const client = async () => {
      while (!isOver) {
        const answers = await Promise.all([service.post('/charges', chargeBody()), service.get(`/charges/${id}`)]);
        for (const { status, text } of answers) if (![200, 201, 503].includes(status)) odd.push(text);
        made += answers[0].status === 201 ? 1 : 0;
      }
    };
    const clients = Promise.all(Array.from({ length: 8 }, client));
    await until('charges', () => made > 20);
    const pid = databasePid(path.join(folder, 'data'))!;
    kill(pid, 'SIGKILL');
    await until('another database', () => {
      const now = databasePid(path.join(folder, 'data'));
      return now !== undefined && now !== pid;
    });
    await until('the service to be ready', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);
    const before = made;
    await until('charges again', () => made > before);
    isOver = true;
    await clients;
    assert.deepEqual(odd, [], 'every other answer was a 503');
    const { loops } = (await service.get('/readyz?verbose')).json;
    assert.ok(loops.some(({ name }: { name: string }) => name === 'watching the embedded database'));
    await untilIssued(service, await service.charge());

    const losses = () => service.stderr().split('the embedded database has stopped').length - 1;
    const known = losses();
    kill(databasePid(path.join(folder, 'data'))!, 'SIGKILL');
    await until('the service to start it again', () => losses() > known);
    assert.equal((await service.end()).code, 0);
    assert.deepEqual(processesOf(folder), []);
  });

  test('a data directory whose processes run elsewhere is refused, one left by a crash is not, and one that another machine has taken is left to it', async t => {
    const folder = await folderWithDatabase(t);
    const service = await startTrilho({ folder });
    const mark = `${service.dataPlace}.in-use`;
    assert.ok(existsSync(mark));
    assert.equal((await service.end()).code, 0);
    assert.ok(!existsSync(mark), 'a stop removes it');

    await writeFile(mark, 'another container');
    let touches = 0;
    const touching = setInterval(() => utimesSync(mark, 0, ++touches), ASK_AGAIN_MS);
    const refusal = refusalOf(await runToEnd({ folder }).finally(() => clearInterval(touching)), 1);
    assert.match(refusal, /Another container or machine uses the data in \S+: stop it, or run the command inside it/);
    assert.equal(await readFile(mark, 'utf8'), 'another container');

    const after = await startTrilho({ folder });
    await after.charge();
    // The service ends its database and does not start it again.
    const pid = databasePid(path.join(folder, 'data'))!;
    await writeFile(mark, 'another machine');
    await until('the database to end', () => !isAlive(pid));
    const restarts = () => (after.stdout() + after.stderr()).match(/was taken/g)?.length ?? 0;
    await until('two looks after it', () => restarts() > 1);
    assert.equal(databasePid(path.join(folder, 'data')), undefined);
    await after.end();
    assert.deepEqual(processesOf(folder), []);
  });
});

/** Moves the data of a folder elsewhere, if it has any yet. */
async function moveData(folder: string, dataDir: string): Promise<void> {
  await mkdir(path.dirname(dataDir), { recursive: true });
  const ready = path.join(folder, 'data');
  if (existsSync(ready)) await rename(ready, dataDir);
}

/** Runs a printed command as a person would; without curl it does the same itself. */
async function runCurl(command: string) {
  if (spawnSync('curl', ['--version']).status === 0) {
    const { stdout, stderr } = await promisify(exec)(`${command.trim()} --silent --show-error --fail-with-body`);
    assert.equal(stderr, '');
    return JSON.parse(stdout);
  }
  const url = /http:[^\s']+/.exec(command)![0];
  const body = /-d '(.+)'$/.exec(command)?.[1];
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body, headers });
  assert.ok(response.ok);
  // biome-ignore lint/suspicious/noExplicitAny: a test reads any answer.
  return (await response.json()) as any;
}

describe('two services on one data directory', { concurrency: 2 }, () => {
  test('the second joins, outlives the first, and the last one stops the database', async t => {
    const folder = await folderWithDatabase(t);
    const first = await startTrilho({ folder });
    const second = await startTrilho({ folder });
    const id = await first.charge();
    assert.equal((await second.get(`/charges/${id}`)).status, 200);

    const answers: number[] = [];
    let isFirstRunning = true;
    const asking = (async () => {
      while (isFirstRunning) {
        answers.push((await second.post('/charges', chargeBody())).status);
        answers.push((await second.get(`/charges/${id}`)).status);
      }
    })();
    assert.equal((await first.end()).code, 0);
    isFirstRunning = false;
    await asking;
    assert.deepEqual([...new Set(answers)].sort(), [200, 201]);
    await untilIssued(second, await second.charge());

    assert.equal((await second.end()).code, 0);
    assert.deepEqual(processesOf(folder), []);
    assert.equal(existsSync(path.join(folder, 'data/postgres/postmaster.pid')), false);
  });

  test('both start at the same moment on a directory that a crash of the machine has left', async t => {
    const folder = await folderWithDatabase(t);
    const first = await startTrilho({ folder });
    assert.equal((await first.end()).code, 0);
    await writeFile(`${first.dataPlace}.in-use`, 'the boot before');
    const again = await Promise.all([startTrilho({ folder }), startTrilho({ folder })]);
    await Promise.all(again.map(service => service.end()));
    assert.deepEqual(processesOf(folder), []);
  });

  test('both start at the same moment on a fresh directory and stop at the same moment', async t => {
    const folder = await ownFolder(t);
    const [one, other] = await Promise.all([startTrilho({ folder }), startTrilho({ folder })]);
    const id = await one.charge();
    assert.equal((await other.get(`/charges/${id}`)).status, 200);
    const { json } = await one.get('/crypto/transactions');
    assert.equal(json.total, 60, 'the demo was written once');
    const ends = await Promise.all([one.end(), other.end()]);
    assert.deepEqual(
      ends.map(end => end.code),
      [0, 0],
    );
    assert.deepEqual(processesOf(folder), []);
  });

  test('one starts while the other stops, again and again, and no charge is lost', async t => {
    const folder = await folderWithDatabase(t);
    let service = await startTrilho({ folder });
    const ids: string[] = [];
    for (let round = 0; round < 3; round++) {
      ids.push(await service.charge());
      const [end, next] = await Promise.all([service.end(), startTrilho({ folder })]);
      assert.equal(end.code, 0);
      service = next;
    }
    for (const id of ids) assert.equal((await service.get(`/charges/${id}`)).status, 200);
  });
});

describe('a stop', { concurrency: 2 }, () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    test(`${signal} lets a request in flight finish, then leaves with 0 and nothing running`, async t => {
      const folder = await folderWithDatabase(t);
      const service = await startTrilho({ folder });
      const holder = new pg.Client(embeddedConnection(service.dataPlace));
      await holder.connect();
      await holder.query('begin');
      await holder.query('lock table charges in access exclusive mode');
      const posted = service.post('/charges', chargeBody());
      // Another connection looks: within a transaction the view stays as it was when it was first read.
      const watcher = new pg.Client(embeddedConnection(service.dataPlace));
      await watcher.connect();
      await until('the request to wait for the lock', async () => {
        const { rows } = await watcher.query(`select from pg_stat_activity where wait_event_type = 'Lock'`);
        return rows.length > 0;
      });
      await watcher.end();
      // Twice: a terminal and npm may both pass the same one on.
      kill(service.pid, signal);
      await until('the stop to begin', () => service.stdout().includes('Stopping.'));
      await until('new connections to be refused', () =>
        service.get('/livez').then(
          () => false,
          () => true,
        ),
      );
      kill(service.pid, signal);
      // Ending its session undoes its transaction and with it the lock.
      await holder.end();

      const answer = await posted;
      assert.equal(answer.status, 201, answer.text);
      const { code, signal: killedBy } = await service.ended();
      assert.deepEqual([code, killedBy], [0, null]);
      assert.deepEqual(processesOf(folder), []);
      assert.equal(existsSync(path.join(folder, 'data/postgres/postmaster.pid')), false);
    });
  }

  test('a signal during the very first start is obeyed once it is up', async t => {
    const folder = await ownFolder(t);
    const service = launch({ folder });
    await until('the database to be made', () => existsSync(path.join(folder, 'data')));
    kill(service.pid, 'SIGTERM');
    assert.equal((await service.ended()).code, 0);
    assert.deepEqual(processesOf(folder), []);
  });

  test('a stop whose output is not read still stops the database', async t => {
    const folder = await folderWithDatabase(t);
    const service = await startTrilho({ folder });
    service.child.stdout!.destroy();
    service.child.stderr!.destroy();
    assert.equal((await service.end()).code, 0);
    assert.deepEqual(processesOf(folder), []);
  });
});
