// trilho backup and trilho restore: a restore has the state of one moment, and a damaged backup leaves nothing behind.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { backupCommand } from '../../src/cli/backup.ts';
import { restoreCommand } from '../../src/cli/restore.ts';
import { StartError } from '../../src/lib/errors.ts';
import { chargeBody } from '../harness/bodies.ts';
import { runCommand } from '../harness/commands.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { orderDriver } from '../harness/orders.ts';
import { askDatabase, diesAfterCommitOf, ownFolder, PROJECT, runToEnd } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';
import { seed, transaction } from '../harness/transactions.ts';

const EMPTY = 'template0';
/** Links to checkouts are compared, too. */
const PUBLIC_URL = 'https://pay.example.com';

let service: Service;
let folder: string;
/** A charge whose job waits. */
let waiting: string;
before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'trilho-backup-'));
  service = await startService({ demo: true, env: { TRILHO_PUBLIC_URL: PUBLIC_URL } });
  const orders = orderDriver(service);
  const paid = await orders.order();
  await service.runJobs();
  await orders.pay(paid);
  await orders.advance('P1D');
  await service.runJobs();
  await service.post('/webhooks', { url: 'http://127.0.0.1:9/hook' });
  const content = { word: 'ação "quoted" \\ \n line' };
  waiting = (await service.post('/charges', chargeBody({ metadata: content }))).json.id;
});
after(async () => {
  await service.stop();
  await rm(folder, { recursive: true, force: true });
});

const backup = (url: string, ...args: string[]) => runCommand(backupCommand, { DATABASE_URL: url }, args);
const restore = (url: string, ...args: string[]) => runCommand(restoreCommand, { DATABASE_URL: url }, args);
const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);

async function emptyDatabase(t: { after(work: () => Promise<void>): void }): Promise<TestDatabase> {
  const database = await createDatabase(EMPTY);
  t.after(() => database.drop());
  return database;
}

/** A digest of every table of a database by its name. */
async function contentsOf(url: string): Promise<Record<string, string>> {
  const connection = { connectionString: url };
  const tables = await askDatabase<{ name: string }>(
    connection,
    `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'schema_migrations' order by 1`,
  );
  const digests: Record<string, string> = {};
  // One after another: a connection for each table would exceed the server's limit.
  for (const { name } of tables) {
    const [row] = await askDatabase<{ digest: string }>(
      connection,
      `select count(*) || ' ' || md5(coalesce(string_agg(t::text, ';' order by t::text), '')) as digest from ${name} t`,
    );
    digests[name] = row!.digest;
  }
  return digests;
}

async function schemasOf(url: string): Promise<string[]> {
  const schemas = await askDatabase<{ name: string }>(
    { connectionString: url },
    `select nspname as name from pg_namespace where nspname not like 'pg\\_%' and nspname <> 'information_schema'`,
  );
  return schemas.map(({ name }) => name);
}

describe('a restored database', () => {
  test('has every row, keeps its constraints and continues where the other was', async t => {
    const place = path.join(folder, 'whole');
    const saved = await backup(service.databaseUrl, place);
    assert.match(
      saved.said,
      /^Saved: \d+ rows in \d+ parts, \d+ bytes, as of \S+Z\.\nThe audit log ends with \d+ \w{64}$/,
    );
    const database = await emptyDatabase(t);
    const restored = await restore(database.url, place);
    assert.equal(restored.code, 0);
    assert.match(restored.said, /^Restored: \d+ rows, .*\nThe ledger is right\.\nThe audit log is whole: \d+ \w{64}$/);

    const { list_merge: _ids, ...contents } = await contentsOf(database.url);
    const { list_merge: _others, ...expected } = await contentsOf(service.databaseUrl);
    assert.deepEqual(contents, expected);

    const numbers = `select pg_sequence_last_value('unpositioned_events_number_seq')::text as last`;
    const [there] = await askDatabase<{ last: string }>({ connectionString: database.url }, numbers);
    assert.deepEqual([there], await service.sql(numbers), 'events are numbered on from where they were');

    const other = await startService({ env: { DATABASE_URL: database.url, TRILHO_PUBLIC_URL: PUBLIC_URL } });
    t.after(() => other.stop());
    for (const list of ['/crypto/transactions?pageSize=100', '/charges', '/events?limit=100', '/ledger/balances']) {
      assert.equal((await other.get(list)).text, (await service.get(list)).text, list);
    }
    assert.equal((await other.get(`/charges/${waiting}`)).json.pix.status, 'CREATING');
    await other.runJobs();
    assert.equal((await other.get(`/charges/${waiting}`)).json.pix.status, 'ACTIVE', 'its job came along');
    assert.equal((await other.post('/charges', chargeBody())).status, 201);
    await assert.rejects(
      askDatabase({ connectionString: database.url }, 'delete from audit_log'),
      /only added to/,
      'triggers are active',
    );
    await assert.rejects(
      askDatabase({ connectionString: database.url }, `update charge_methods set charge_id = gen_random_uuid()`),
      /foreign key/,
    );
  });

  test('shows one moment, while charges are created and paid', async () => {
    const place = path.join(folder, 'busy');
    let isOver = false;
    const writing = (async () => {
      let made = 0;
      for (; !isOver; made++) {
        const charge = await service.post('/charges', chargeBody({ methods: ['pix'] }));
        await service.post(`/sandbox/charges/${charge.json.id}/pay`, { method: 'pix' });
      }
      return made;
    })();
    const { code, said } = await backup(service.databaseUrl, place, '--verify').finally(() => {
      isOver = true;
    });
    assert.ok((await writing) > 3, 'the service went on');
    assert.equal(code, 0, said);
    assert.match(said, /The ledger is right\.\nThe audit log is whole/);
  });

  test('leaves a line in the audit log of the one that was saved', async () => {
    const lines = await service.sql<{ actor: string }>(
      `select actor from audit_log where action = 'trilho backup' order by position`,
    );
    assert.ok(lines.length > 0);
    assert.ok(lines.every(({ actor }) => actor === 'operator'));
  });
});

describe('a backup that was changed', () => {
  const whole = () => path.join(folder, 'whole');

  async function damagedCopy(change: (copy: string) => Promise<void>): Promise<string> {
    const copy = await mkdtemp(path.join(folder, 'damaged-'));
    await cp(whole(), copy, { recursive: true });
    await change(copy);
    return copy;
  }

  const changedRow = async (copy: string) => {
    const file = path.join(copy, 'accounts.000001.ndjson.gz');
    await writeFile(
      file,
      gzipSync(
        gunzipSync(await readFile(file))
          .toString()
          .replace('acme', 'emca'),
      ),
    );
  };
  const cases: [what: string, change: (copy: string) => Promise<void>, words: RegExp][] = [
    ['a changed row', changedRow, /accounts\.000001\.ndjson\.gz was changed/],
    [
      'a missing part',
      copy => rm(path.join(copy, 'payments.000001.ndjson.gz')),
      /payments.* cannot be read \(ENOENT\)/,
    ],
    [
      'a truncated part',
      async copy => {
        const file = path.join(copy, 'charges.000001.ndjson.gz');
        await writeFile(file, (await readFile(file)).subarray(0, 200));
      },
      /charges\.000001\.ndjson\.gz cannot be decompressed/,
    ],
    [
      'a changed header',
      async copy => {
        const file = path.join(copy, 'header.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('"takenAt": "2', '"takenAt": "3'));
      },
      /header\.json was changed/,
    ],
    [
      'a part whose path leads elsewhere',
      async copy => {
        const file = path.join(copy, 'manifest.json');
        await writeFile(file, (await readFile(file, 'utf8')).replace('accounts.000001', '../accounts.000001'));
      },
      /manifest\.json: parts/,
    ],
    ['no manifest', copy => rm(path.join(copy, 'manifest.json')), /incomplete, or the folder is not a backup/],
  ];
  for (const [what, change, message] of cases) {
    test(`is refused and leaves nothing behind: ${what}`, async t => {
      const database = await emptyDatabase(t);
      await assert.rejects(restore(database.url, await damagedCopy(change)), refusal(message));
      assert.deepEqual(await contentsOf(database.url), {});
      assert.deepEqual(await schemasOf(database.url), ['public'], 'no queue either');
    });
  }

  test('is refused by a version that lacks one of its migrations', async t => {
    const database = await emptyDatabase(t);
    const copy = await damagedCopy(async place => {
      const file = path.join(place, 'header.json');
      await writeFile(file, (await readFile(file, 'utf8')).replace('0001_storage', '9001_storage'));
    });
    await assert.rejects(restore(database.url, copy), refusal(/needs the migration 9001_storage\.sql/));
  });
});

test('a live database with orders is restored with its payouts paused, and nothing more is signed on tron', async t => {
  const live = await startService({ mode: 'live' });
  t.after(() => live.stop());
  const inLive = (url: string) => ({ DATABASE_URL: url, TRILHO_MODE: 'live' });
  const restored = async (place: string) => {
    await runCommand(backupCommand, inLive(live.databaseUrl), [place]);
    const { url } = await emptyDatabase(t);
    const { said } = await runCommand(restoreCommand, inLive(url), [place]);
    assert.match(said, /The audit log is whole/);
    const pauses = await askDatabase({ connectionString: url }, 'select network, symbol from payout_pauses');
    const payouts = await askDatabase(
      { connectionString: url },
      'select network, void_requested_at is not null as given_up from payouts order by network, nonce',
    );
    return { said, pauses, payouts };
  };
  assert.deepEqual((await restored(path.join(folder, 'none'))).pauses, []);

  const [first, second, third] = [transaction(), transaction(), transaction()];
  await seed(live, [first, second, third]);
  // Crypto may have been sent for the first time after the backup.
  assert.deepEqual((await restored(path.join(folder, 'unsent'))).pauses, [{ network: null, symbol: null }]);

  await live.sql(
    `insert into chain_senders (network, sender, next_nonce) values ('tron', 'T-sender', 2), ('polygon', '0x-sender', 1)`,
  );
  const open = async ({ id, accountId }: typeof first, network: string, nonce: number, block: number | null) =>
    live.sql(
      `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, destination, state, block_number,
                            block_hash, created_at, updated_at)
       select gen_random_uuid(), $1, $2, network, sender, $4, 'usdt', 1, 'x', 'open', $5::bigint, $5::bigint::text, now(), now()
         from chain_senders where network = $3`,
      [accountId, id, network, nonce, block],
    );
  await open(first, 'tron', 0, 7);
  await open(second, 'tron', 1, null);
  await open(third, 'polygon', 0, null);
  const { said, pauses, payouts } = await restored(path.join(folder, 'sent'));
  assert.deepEqual(pauses, [{ network: null, symbol: null }]);
  assert.deepEqual(payouts, [
    { network: 'polygon', given_up: false },
    { network: 'tron', given_up: false },
    { network: 'tron', given_up: true },
  ]);
  assert.match(said, /All payouts are paused: .* docs\/backup\.md#restore/);
  assert.match(said, /Transfers on Tron that were in no block are given up: 1\./);
});

test('a restore ends logins, and prints keys, people, webhooks and links to review', async t => {
  const live = await startService({ mode: 'live' });
  t.after(() => live.stop());
  await seed(live, [transaction()]);
  await live.sql(
    `with person as (insert into people (id, name, role, created_at, invited_by)
       values (gen_random_uuid(), 'Ana', 'owner', now(), 'operator') returning id),
     session as (insert into sessions (token_hash, person_id, created_at, last_used_at, expires_at, proven_at, proven_by)
       select decode(repeat('01', 32), 'hex'), id, now(), now(), now() + interval '1 day', now(), 'link' from person),
     challenge as (insert into passkey_challenges (challenge_hash, purpose, person_id, expires_at)
       select decode(repeat('02', 32), 'hex'), 'register', id, now() + interval '1 minute' from person)
     insert into person_links (person_id, token_hash, expires_at)
       select id, decode(repeat('03', 32), 'hex'), now() + interval '1 day' from person`,
  );
  const inLive = (url: string) => ({ DATABASE_URL: url, TRILHO_MODE: 'live' });
  const place = path.join(folder, 'logins');
  await runCommand(backupCommand, inLive(live.databaseUrl), [place]);
  const { url } = await emptyDatabase(t);
  const { said } = await runCommand(restoreCommand, inLive(url), [place]);
  assert.match(said, /^Ended: sessions 1, login links 1, passkey challenges 1\.$/m);
  assert.match(said, /^Review what was revoked, removed, replaced or withdrawn after 20\S+Z: it works again\.$/m);
  assert.match(said, /^Keys: 1 \(trilho keys revoke\)\n {2}\S+ {2}\S+ {2}\S+:/m);
  assert.match(
    said,
    /^People, .*: 1 \(trilho people remove\)\n {2}\S+ {2}owner {2}every account {2}0 passkeys {2}0 codes$/m,
  );
  const left = await askDatabase(
    { connectionString: url },
    `select (select count(*) from sessions) + (select count(*) from person_links) + (select count(*) from passkey_challenges) as logins,
            (select count(*) from restores where compared_at is null and pause_id is not null) as uncompared`,
  );
  assert.deepEqual(left, [{ logins: '0', uncompared: '1' }]);
});

test('a restore that is killed after the rows were written leaves the payouts paused, as an act of the operator', async t => {
  const live = await startService({ mode: 'live' });
  t.after(() => live.stop());
  await seed(live, [transaction()]);
  const place = path.join(folder, 'killed');
  await runCommand(backupCommand, { DATABASE_URL: live.databaseUrl, TRILHO_MODE: 'live' }, [place]);
  const { url } = await emptyDatabase(t);
  const { signal } = await runToEnd({
    folder: await ownFolder(t),
    env: { DATABASE_URL: url, TRILHO_MODE: 'live', ...diesAfterCommitOf('insert into \\S*orders\\b') },
    command: [process.execPath, path.join(PROJECT, 'bin/trilho.js'), 'restore', place],
  });
  assert.equal(signal, 'SIGKILL');
  const asked = async (text: string) => askDatabase({ connectionString: url }, text);
  assert.deepEqual(await asked('select count(*)::int as orders from orders'), [{ orders: 1 }]);
  assert.deepEqual(await asked('select network, symbol from payout_pauses'), [{ network: null, symbol: null }]);
  assert.deepEqual(
    await asked(`select i.actor, i.action from audit_inbox i join payout_pauses p on p.id::text = i.object_id`),
    [{ actor: 'operator', action: 'trilho restore' }],
  );
});

describe('backup and restore refuse', () => {
  const whole = () => path.join(folder, 'whole');

  test('an existing folder', async () => {
    await assert.rejects(backup(service.databaseUrl, whole()), refusal(/exists already/));
    await assert.rejects(backup(service.databaseUrl, '/proc/no/such'), refusal(/cannot be written \(ENOENT\)/));
  });

  test('a database with data', async () => {
    await assert.rejects(restore(service.databaseUrl, whole()), refusal(/has data already/));
  });

  const relations: [what: string, made: string, name: string][] = [
    ['a table', 'create table shop_items as select 7 as item', 'shop_items'],
    ['a view', 'create view shop_view as select 7 as item', 'shop_view'],
    ['a sequence', 'create sequence shop_numbers', 'shop_numbers'],
  ];
  for (const [what, made, name] of relations) {
    test(`a database with ${what} of another program, which is unchanged`, async t => {
      const { url } = await emptyDatabase(t);
      const ask = (text: string) => askDatabase({ connectionString: url }, text);
      await ask(made);
      await assert.rejects(restore(url, whole()), refusal(new RegExp(`This database has ${name} already`)));
      assert.equal((await ask(`select * from ${name}`)).length, 1);
      assert.deepEqual(await schemasOf(url), ['public']);
    });
  }

  test('the other mode, and create no database for it', async t => {
    const { url } = await emptyDatabase(t);
    const refused = refusal(/of a sandbox service and cannot be restored in live/);
    const live = { TRILHO_MODE: 'live' };
    await assert.rejects(runCommand(restoreCommand, { DATABASE_URL: url, ...live }, [whole()]), refused);
    assert.deepEqual(await schemasOf(url), ['public']);

    const dataDir = path.join(await ownFolder(t), 'data');
    await assert.rejects(runCommand(restoreCommand, { TRILHO_DATA_DIR: dataDir, ...live }, [whole()]), refused);
    assert.equal(existsSync(dataDir), false);
  });

  test('to verify a stream while writing it, and a folder that is not named', async () => {
    await assert.rejects(backup(service.databaseUrl, '-', '--verify'), refusal(/trilho restore - --verify/));
    await assert.rejects(backup(service.databaseUrl), refusal(/<folder> is missing/));
  });

  test('failures leave nothing behind', async () => {
    const names = await readdir(folder);
    assert.deepEqual(
      names.filter(name => name.includes('.partial-')),
      [],
    );
  });
});
