// The service on an external PostgreSQL: what it needs, what it refuses in one line, and what it does when the server becomes
// unavailable.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS } from '../../src/nouns.ts';
import { connect } from '../../src/storage/connect.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { chargeBody } from '../harness/bodies.ts';
import { createDatabase } from '../harness/databases.ts';
import { silentLog } from '../harness/log.ts';
import {
  ASK_AGAIN_MS,
  askDatabase,
  type DatabaseServer,
  freePort,
  type Over,
  ownFolder,
  PROJECT,
  refusalOf,
  runToEnd,
  startDatabaseServer,
  startTrilho,
  until,
  untilIssued,
} from '../harness/process.ts';

let server: DatabaseServer;
const cleanUp: (() => Promise<void>)[] = [];
before(async () => {
  server = await startDatabaseServer(await ownFolder({ after: work => cleanUp.push(work) }));
});
after(async () => {
  for (const work of cleanUp) await work();
});

/** An empty database on the server of this file. */
async function emptyDatabase(): Promise<string> {
  const database = `test_${randomBytes(6).toString('hex')}`;
  await askDatabase({ connectionString: server.url() }, `create database ${database}`);
  return server.url({ database });
}

/** A migrated database on the server of the suite. */
async function migratedDatabase(t: Over): Promise<string> {
  const { url, drop } = await createDatabase();
  t.after(drop);
  return url;
}

describe('DATABASE_URL', { concurrency: 2 }, () => {
  async function works(t: Over, url: string): Promise<void> {
    const folder = await ownFolder(t);
    const service = await startTrilho({ folder, env: { DATABASE_URL: url } });
    const { port, pathname } = new URL(url);
    const shown = `postgres://trilho:***@127.0.0.1:${port}${pathname}`;
    assert.equal(service.dataPlace, shown);
    const accounts = await runToEnd({
      folder,
      env: { DATABASE_URL: url },
      command: [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'accounts', 'list'],
    });
    assert.deepEqual([accounts.code, accounts.stderr.split('\n')[0]], [0, `Database: ${shown}`]);
    const id = await service.charge();
    await untilIssued(service, id);
    assert.equal((await service.get('/crypto/transactions')).json.total, 60);
    const { code, stdout, stderr } = await service.end();
    assert.equal(code, 0);
    assert.match(stderr, /"msg":"the database is postgres:/);
    assert.ok(!`${stdout}${stderr}${accounts.stderr}`.includes('p4ss'), 'the password is never printed');
  }

  test('a server on a port, with a password', async t => works(t, await emptyDatabase()));

  test('the oldest available server: the PostgreSQL of the machine', async t => {
    const binDir = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout?.trim();
    if (!binDir || spawnSync(path.join(binDir, 'postgres'), ['--version']).status !== 0) {
      return t.skip('this machine has no PostgreSQL of its own (pg_config --bindir)');
    }
    const older = await startDatabaseServer(await ownFolder(t), binDir);
    await works(t, older.url());
  });

  test('a command does not write its schema into a database of another program', async t => {
    const folder = await ownFolder(t);
    const url = await emptyDatabase();
    const command = [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'accounts', 'create', 'acme'];
    const ended = await runToEnd({ folder, env: { DATABASE_URL: url, TRILHO_MODE: 'live' }, command });
    assert.match(refusalOf(ended), /start the service once/);
    const tables = await askDatabase({ connectionString: url }, `select from pg_tables where schemaname = 'public'`);
    assert.equal(tables.length, 0);
  });

  test('a command prints no part of a password with @ and /, ? or #', async t => {
    const folder = await ownFolder(t);
    for (const mark of ['/', '?', '#']) {
      const env = { DATABASE_URL: `postgres://me:x@s3cret.invalid${mark}p4ss@127.0.0.1:1/x`, TRILHO_MODE: 'live' };
      const command = [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'accounts', 'list'];
      const { code, stdout, stderr } = await runToEnd({ folder, env, command });
      assert.notEqual(code, 0);
      assert.match(stderr, /^Database: the PostgreSQL of DATABASE_URL$/m);
      assert.doesNotMatch(stdout + stderr, /s3cret|p4ss/);
    }
  });

  test('trilho migrate creates the schema, and the service starts on it', async t => {
    const folder = await ownFolder(t);
    const env = { DATABASE_URL: await emptyDatabase() };
    const migrate = { folder, env, command: [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'migrate'] };
    for (const time of ['first', 'second']) {
      const { code, stdout } = await runToEnd(migrate);
      assert.deepEqual([time, code, stdout], [time, 0, 'The schema is up to date.\n']);
    }
    const service = await startTrilho({ folder, env });
    await service.charge();
  });

  for (const [what, url, message, code] of [
    [
      'a server that is not there',
      async () => `postgres://me:s3cret@127.0.0.1:${await freePort()}/x`,
      /ECONNREFUSED/,
      1,
    ],
    ['a host that does not exist', async () => 'postgres://me:s3cret@nowhere.invalid/x', /nowhere\.invalid/, 1],
    ['a socket that is not there', async () => 'postgres:///x?host=/nowhere/s3cret&user=me', /ENOENT/, 1],
    ['a wrong password', async () => server.url({ password: 's3cret' }), /password/, 2],
    ['an unknown database', async () => server.url({ database: 's3cret' }), /database of this name/, 2],
    ['a URL that cannot be decoded', async () => 'postgres://me:s3cret%zz@127.0.0.1:1/x', /127\.0\.0\.1:1/, 1],
    ['a password with @ and /', async () => 'postgres://me:x@s3cret.invalid/p4ss@127.0.0.1:1/x', /cannot be used: /, 1],
    ['a user that may not create tables', () => powerlessUrl(), /may not create/, 2],
    ['a user that may not create schemas', () => powerlessUrl('grant create on schema public to'), /may not create/, 2],
  ] as const) {
    test(`${what} is refused in one line without the secret`, async t => {
      const folder = await ownFolder(t);
      const ended = await runToEnd({ folder, env: { DATABASE_URL: await url() } });
      assert.match(refusalOf(ended, code), message);
      assert.doesNotMatch(ended.stderr + ended.stdout, /s3cret|p4ss/);
    });
  }

  test('after a silent server a restart may help', async t => {
    const folder = await ownFolder(t);
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    t.after(() => silent.close());
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const ended = await runToEnd({ folder, env: { DATABASE_URL: `postgres://me@127.0.0.1:${port}/x` } });
    assert.match(refusalOf(ended, 1), /cannot be used at 127\.0\.0\.1/);
  });

  /** A database that is owned by another user. */
  async function powerlessUrl(grant?: string): Promise<string> {
    const url = await emptyDatabase();
    const database = new URL(url).pathname.slice(1);
    const user = `user_of_${database}`;
    await askDatabase({ connectionString: url }, `create role ${user} login password 's3cret'`);
    if (grant !== undefined) await askDatabase({ connectionString: url }, `${grant} ${user}`);
    return server.url({ user, password: 's3cret', database });
  }

  test('a server older than 14 is refused in one line', async t => {
    const folder = await ownFolder(t);
    const url = await startAncientServer(t);
    const line = refusalOf(await runToEnd({ folder, env: { DATABASE_URL: url } }));
    assert.equal(line, 'PostgreSQL 13.9 is too old: Trilho needs 14 or later.');
  });
});

test('a closed database pool leaves no session on the server', async () => {
  const connection = { connectionString: await emptyDatabase() };
  const watcher = new pg.Client(connection);
  await watcher.connect();
  try {
    for (let round = 0; round < 5; round++) {
      const db = openDatabase({ connection, log: silentLog });
      await Promise.all(Array.from({ length: 20 }, () => db.query('select pg_sleep(0.05)')));
      await db.close();
      const { rows } = await watcher.query(
        `select pid from pg_stat_activity where datname = current_database() and application_name = 'trilho'`,
      );
      assert.deepEqual(rows, []);
    }
  } finally {
    await watcher.end();
  }
});

/** Implements just enough of the protocol to report its version. https://www.postgresql.org/docs/current/protocol-message-formats.html */
async function startAncientServer(t: Over): Promise<string> {
  const message = (type: string, ...parts: Buffer[]) => {
    const body = Buffer.concat(parts);
    return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
  };
  const int16 = (number: number) => Buffer.from([number >> 8, number & 255]);
  const int32 = (number: number) => Buffer.concat([int16(number >> 16), int16(number & 65_535)]);
  const text = (text: string) => Buffer.from(`${text}\0`);
  const TEXT_TYPE = 25;
  const column = (name: string) =>
    Buffer.concat([text(name), int32(0), int16(0), int32(TEXT_TYPE), int16(-1 & 65_535), int32(-1), int16(0)]);
  const value = (text: string) => Buffer.concat([int32(text.length), Buffer.from(text)]);
  const ready = message('Z', Buffer.from('I'));

  const sockets = new Set<Socket>();
  const fake = createServer(socket => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.once('data', () => {
      socket.write(Buffer.concat([message('R', int32(0)), ready]));
      const columns = message('T', int16(2), column('number'), column('version'));
      const row = message('D', int16(2), value('130009'), value('13.9'));
      const answer = Buffer.concat([columns, row, message('C', text('SELECT 1')), ready]);
      let unread = Buffer.alloc(0);
      // One read may bring several messages, or a part of one: a type of one byte, then the length of what follows it.
      socket.on('data', data => {
        unread = Buffer.concat([unread, data]);
        while (unread.length >= 5 && unread.length > unread.readInt32BE(1)) {
          if (unread.toString('latin1', 0, 1) === 'Q') socket.write(answer);
          unread = unread.subarray(1 + unread.readInt32BE(1));
        }
      });
    });
  });
  fake.listen(0, '127.0.0.1');
  await once(fake, 'listening');
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    fake.close();
  });
  return `postgres://me@127.0.0.1:${(fake.address() as { port: number }).port}/x`;
}

describe('migrations', { concurrency: 2 }, () => {
  test('two services started at once on an empty database both become ready', async t => {
    const folder = await ownFolder(t);
    const env = { DATABASE_URL: await emptyDatabase() };
    const services = await Promise.all([startTrilho({ folder, env }), startTrilho({ folder, env })]);
    for (const service of services) assert.equal((await service.get('/readyz')).status, 200);
    const id = await services[0].charge();
    await untilIssued(services[1], id);
    assert.equal((await services[1].get('/crypto/transactions')).json.total, 60, 'the demo was written once');
  });

  test('five nodes at once on an empty database all find its schema and its queue in place', async () => {
    for (let round = 0; round < 3; round++) {
      const connection = { connectionString: await emptyDatabase() };
      const node = async () => {
        const db = await connect({ connection, log: silentLog });
        try {
          await migrate({ db, log: silentLog });
          const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
          await queue.stop();
        } finally {
          await db.close();
        }
      };
      await Promise.all([node(), node(), node(), node(), node()]);
    }
  });

  for (const [what, change, message] of [
    [
      'with a migration that this version does not have',
      `insert into schema_migrations (name, sha256) values ('9999_future.sql', 'x')`,
      /9999_future\.sql.*newer Trilho/,
    ],
    [
      'made with another text of a migration',
      `update schema_migrations set sha256 = 'x' where name like '0001%'`,
      /0001_\w+\.sql.*differs/,
    ],
  ] as const) {
    test(`a database ${what} is refused in one line`, async t => {
      const folder = await ownFolder(t);
      const url = await migratedDatabase(t);
      await askDatabase({ connectionString: url }, change);
      assert.match(refusalOf(await runToEnd({ folder, env: { DATABASE_URL: url } })), message);
    });
  }

  test('the database of a sandbox is not opened in live', async t => {
    const folder = await ownFolder(t);
    const url = await migratedDatabase(t);
    const sandbox = await startTrilho({ folder, env: { DATABASE_URL: url } });
    assert.equal((await sandbox.end()).code, 0);
    const pay = [
      process.execPath,
      path.join(PROJECT, 'bin/trilho.js'),
      'pay',
      '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
      '1',
      'r',
    ];
    const env = { DATABASE_URL: url, TRILHO_MODE: 'live' };
    assert.match(refusalOf(await runToEnd({ folder, command: pay, env })), /belongs to a sandbox service/);
  });

  test('the database of a live service is not opened in sandbox', async t => {
    const folder = await ownFolder(t);
    const url = await migratedDatabase(t);
    await askDatabase({ connectionString: url }, `insert into installation (mode, created_at) values ('live', now())`);
    assert.match(refusalOf(await runToEnd({ folder, env: { DATABASE_URL: url } })), /belongs to a live service/);
  });
});

test('while the server is unavailable requests get 503, and nothing is lost', async t => {
  const folder = await ownFolder(t);
  const service = await startTrilho({ folder, env: { DATABASE_URL: await emptyDatabase() } });
  const id = await service.charge({ externalId: 'before' });
  // Requests continue all the time, so that the connection is lost at every possible moment of one.
  const odd: string[] = [];
  const acknowledged: string[] = [];
  let isOver = false;
  const client = async (number: number) => {
    for (let count = 0; !isOver; count++) {
      const answer = await service.post('/charges', chargeBody({ externalId: `order-${number}-${count}` }));
      if (answer.status === 201) acknowledged.push(answer.json.id);
      else if (answer.status !== 503) odd.push(answer.text);
    }
  };
  const clients = Promise.all([client(1), client(2), client(3), client(4)]);
  await until('charges', () => acknowledged.length > 20);
  await server.stop();

  const refusals = [
    await service.post('/charges', chargeBody()),
    await service.get(`/charges/${id}`),
    await service.get('/crypto/transactions'),
    await service.get('/readyz'),
  ];
  for (const { status, headers, json } of refusals) {
    assert.equal(status, 503);
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/);
    assert.ok(Number(headers.get('retry-after')) > 0);
    assert.equal(json.code, 'database_unavailable');
  }
  assert.equal((await service.get('/livez')).status, 200);

  await server.start();
  await until('the service to be ready again', async () => (await service.get('/readyz')).status === 200, ASK_AGAIN_MS);
  const afterwards = acknowledged.length;
  await until('charges again', () => acknowledged.length > afterwards + 20);
  isOver = true;
  await clients;
  assert.deepEqual(odd, [], 'every other answer was a 503');
  for (const made of [id, ...acknowledged]) assert.equal((await service.get(`/charges/${made}`)).status, 200);
  for (const made of [id, ...acknowledged.slice(-5)]) await untilIssued(service, made);
  assert.equal((await service.end()).code, 0);
});
