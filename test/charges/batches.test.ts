// Charges that are requested at the same time are written together, and each is answered as if it had come alone.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import pg from 'pg';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Post, postAtOnce } from '../harness/at-once.ts';
import { chargeBody } from '../harness/bodies.ts';
import { type CutWire, startCutWire } from '../harness/cut-wire.ts';
import { createDatabase, type TestDatabase } from '../harness/databases.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** Enough for several batches side by side; a multiple of six. */
const AT_ONCE = scaled(120, 60);
const ACCOUNTS = 7;
/** Two batches of up to 100, and some more in case the requests are not all read in one turn. */
const MOST_TRANSACTIONS = 8;
const MOST_LOOKS = 20_000;

const isReplay = ({ headers }: Answer) => headers.get('idempotent-replayed') === 'true';
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);
const times = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const keyed = (key: string) => ({ 'idempotency-key': key });

describe('a burst of charges', () => {
  let service: Service;
  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  const post = (changes: Record<string, unknown>, key?: string) =>
    service.post('/charges', chargeBody(changes), key === undefined ? {} : keyed(key));
  const atOnce = (posts: readonly Post[]) => postAtOnce(service.url, '/charges', posts);
  const count = async (from: string, values: unknown[] = []): Promise<number> => {
    const [row] = await service.sql<{ count: string }>(`select count(*) from ${from}`, values);
    return Number(row!.count);
  };
  /** Keys that stand for a charge that is not there. */
  const emptyKeys = () => count('idempotency_keys k where not exists (select from charges c where c.id = k.object_id)');

  test('is written in few transactions, each charge whole and once', async () => {
    // Known accounts: a charge that opens one makes the others of the account wait.
    for (const index of times(ACCOUNTS, i => i)) await post({ accountId: `burst ${index}` });
    await service.runJobs();
    const answers = await atOnce(
      times(AT_ONCE, index => ({
        body: chargeBody({
          accountId: `burst ${index % ACCOUNTS}`,
          externalId: `order "${index}" \\ {a,b}`,
          amountCents: 1_000 + index,
          methods: index % 3 === 0 ? ['pix'] : ['boleto', 'pix'],
          ...(index % 5 === 0 && { currency: 'USD', taxes: { fine: 2, interest: 0.033 }, sourceKey: 'null' }),
        }),
        ...(index % 2 === 0 && { headers: keyed(`burst ${index}`) }),
      })),
    );
    assert.deepEqual(new Set(statuses(answers)), new Set([201]));
    assert.ok(!answers.some(isReplay));
    const ids = answers.map(({ json }) => json.id as string);
    assert.equal(new Set(ids).size, AT_ONCE);
    for (const [index, { json }] of answers.entries()) {
      const { json: read } = await service.get(`/charges/${json.id}`);
      assert.deepEqual([read.accountId, read.amountCents], [`burst ${index % ACCOUNTS}`, 1_000 + index]);
      assert.equal(read.externalId, `order "${index}" \\ {a,b}`);
      assert.equal(read.currency, index % 5 === 0 ? 'USD' : 'BRL');
      assert.deepEqual(read.taxes, index % 5 === 0 ? { fine: 2, interest: 0.033 } : undefined);
      assert.equal(read.sourceKey, index % 5 === 0 ? 'null' : undefined);
      assert.deepEqual([read.pix, read.boleto], [json.pix, json.boleto]);
    }
    assert.equal(await count('events where object_id = any($1)', [ids]), AT_ONCE);
    assert.equal(await count('charge_timers where charge_id = any($1)', [ids]), 2 * AT_ONCE);
    assert.equal(await count('idempotency_keys where object_id = any($1)', [ids]), AT_ONCE / 2);
    const transactions = await count(
      `(select distinct xmin from charge_timers where charge_id = any($1) and kind = 'overdue') x`,
      [ids],
    );
    assert.ok(transactions <= MOST_TRANSACTIONS, `${transactions} transactions`);
    assert.equal(await service.runJobs(), transactions, 'one job submits all that were written together');
    assert.equal(await count(`charge_methods where charge_id = any($1) and status = 'CREATING'`, [ids]), 0);
  });

  for (const isKnown of [false, true]) {
    const account = isKnown ? 'a known account' : 'a new account';
    test(`may repeat and contradict itself in ${account}: one charge each, and other requests are not affected`, async () => {
      if (isKnown) assert.equal((await post({ accountId: account })).status, 201);
      const before = await count('charges where account_id = $1', [account]);
      const groups = scaled(20, 8);
      const posts = times(groups * 6, index => {
        const group = index % groups;
        const way = Math.floor(index / groups);
        const body = (changes: Record<string, unknown>) => chargeBody({ accountId: account, ...changes });
        const externalId = `order-${group}`;
        if (way === 0) return { body: body({ externalId: `alone-${group}` }) };
        // The same content without a key and with one of its own; then another content.
        if (way < 3) return { body: body({ externalId }) };
        if (way < 5) return { body: body({ externalId }), headers: keyed(`${account} ${way} ${group}`) };
        return { body: body({ externalId, amountCents: 1 }), headers: keyed(`${account} other ${group}`) };
      });
      const answers = await atOnce(posts);
      for (const group of times(groups, index => index)) {
        const [alone, ...others] = answers.filter((_, index) => index % groups === group);
        assert.deepEqual([alone!.status, isReplay(alone!)], [201, false]);
        const made = others.filter(({ status }) => status === 201);
        const refused = others.filter(({ status }) => status === 409);
        assert.equal(made.length + refused.length, 5);
        assert.ok(made.length === 4 || made.length === 1, 'one of the two contents was first');
        assert.equal(new Set(made.map(({ text }) => text)).size, 1);
        assert.equal(made.filter(isReplay).length, made.length - 1);
        for (const { json } of refused) assert.equal(json.chargeId, made[0]!.json.id);
      }
      assert.equal(await count('charges where account_id = $1', [account]), before + 2 * groups);
      assert.equal(await emptyKeys(), 0);
    });
  }

  test('may repeat its keys: one charge for each key', async () => {
    const keys = AT_ONCE / 3;
    const body = chargeBody({ accountId: 'keys' });
    const answers = await atOnce(times(AT_ONCE, index => ({ body, headers: keyed(`again ${index % keys}`) })));
    assert.deepEqual(new Set(statuses(answers)), new Set([201]));
    for (const key of times(keys, index => index)) {
      const ours = answers.filter((_, index) => index % keys === key);
      assert.equal(new Set(ours.map(({ text }) => text)).size, 1);
      assert.equal(ours.filter(isReplay).length, ours.length - 1);
    }
    assert.equal(await count(`charges where account_id = 'keys'`), keys);
  });

  test('with one charge that the database refuses: only that one fails, and its key stays free', async () => {
    await service.sql(`alter table charges add constraint no_poison check (source_key <> 'poison')`);
    const answers = await Promise.all(
      times(20, index =>
        post({ accountId: 'poisoned', sourceKey: index === 7 ? 'poison' : 'good' }, `poisoned ${index}`),
      ),
    );
    await service.sql('alter table charges drop constraint no_poison');
    assert.deepEqual(
      statuses(answers),
      times(20, index => (index === 7 ? 500 : 201)),
    );
    assert.ok(!answers.some(isReplay));
    assert.equal(await count(`charges where account_id = 'poisoned'`), 19);
    assert.equal(await count(`events where account_id = 'poisoned'`), 19);
    const again = await post({ accountId: 'poisoned', sourceKey: 'good' }, 'poisoned 7');
    assert.deepEqual([again.status, isReplay(again)], [201, false]);
  });

  /** Waits until a statement has waited for a lock for longer than a batch does. */
  async function untilItWaitsAlone(): Promise<void> {
    const waiting = `pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
                        and clock_timestamp() - query_start > interval '400 ms'`;
    for (let looks = 0; looks < MOST_LOOKS; looks++) if ((await count(waiting)) > 0) return;
    assert.fail('no statement waits');
  }

  for (const [end, isHolderFirst] of [
    ['rollback', false],
    ['commit', true],
  ] as const) {
    test(`with a key that another transaction is about to take: only its request waits for the ${end}`, async () => {
      const accountId = `waiting for ${end}`;
      const holder = new pg.Client({ connectionString: service.databaseUrl });
      await holder.connect();
      try {
        await holder.query('begin');
        await holder.query(
          `insert into idempotency_keys (scope, key, content_hash, object_id, account_id, created_at)
           values ('sandbox', $1, '', gen_random_uuid(), 'acme', now())`,
          [`held ${end}`],
        );
        const held = post({ accountId }, `held ${end}`);
        const beside = times(5, index => post({ accountId: `beside ${end}` }, `beside ${end} ${index}`));
        assert.deepEqual(new Set(statuses(await Promise.all(beside))), new Set([201]));
        await untilItWaitsAlone();
        // Nor do those who open the same account.
        const later = times(10, index => post({ accountId }, `${end} ${index}`));
        assert.deepEqual(new Set(statuses(await Promise.all(later))), new Set([201]));
        assert.equal(await count('charges where account_id = $1', [accountId]), 10);
        await holder.query(end);
        assert.equal((await held).status, isHolderFirst ? 422 : 201);
      } finally {
        await holder.end();
      }
      await service.sql('delete from idempotency_keys where key = $1', ['held commit']);
    });
  }

  test('in live with one unknown account: only that one is not found', async () => {
    const live = await startService({ mode: 'live', rails: sandboxRails });
    try {
      // The OpenAPI document is read before the burst, because that blocks the process for a while.
      assert.equal((await live.get('/charges')).status, 200);
      const answers = await Promise.all(
        times(10, index =>
          live.post(
            '/charges',
            chargeBody({ methods: ['pix'], accountId: index === 3 ? 'nobody' : 'acme' }),
            keyed('k'.repeat(index + 1)),
          ),
        ),
      );
      assert.deepEqual(
        statuses(answers),
        times(10, index => (index === 3 ? 404 : 201)),
      );
      const [row] = await live.sql<{ keys: number }>('select count(*)::int as keys from idempotency_keys');
      assert.equal(row!.keys, 9);
    } finally {
      await live.stop();
    }
  });
});

describe('a burst on its way to the database', () => {
  let database: TestDatabase;
  let wire: CutWire;
  let service: Service;
  let client: pg.Client;
  before(async () => {
    database = await createDatabase();
    wire = await startCutWire(database.url);
    service = await startService({ env: { DATABASE_URL: wire.url } });
    client = new pg.Client({ connectionString: database.url });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await service.stop();
    await wire.close();
    await database.drop();
  });

  const burst = (accountId: string) =>
    postAtOnce(
      service.url,
      '/charges',
      times(AT_ONCE, index => {
        // By key, by externalId and by neither.
        const changes = index % 3 === 1 ? { externalId: `order-${index}` } : {};
        const headers = index % 3 === 0 ? keyed(`${accountId} ${index}`) : {};
        return { body: chargeBody({ accountId, ...changes }), headers };
      }),
    );
  const written = async (accountId: string) => {
    const { rows } = await client.query(
      `select (select count(*)::int from charges where account_id = $1) as charges,
              (select count(*)::int from events where account_id = $1) as events`,
      [accountId],
    );
    return rows[0];
  };

  test('is found again when the reply to its commit is lost: every charge once, and not as a repeat', async () => {
    wire.cutAtCommit({ forGood: false });
    const answers = await burst('cut');
    assert.equal(wire.cuts(), 1);
    assert.deepEqual(new Set(statuses(answers)), new Set([201]));
    assert.ok(!answers.some(isReplay));
    assert.equal(new Set(answers.map(({ json }) => json.id)).size, AT_ONCE);
    assert.deepEqual(await written('cut'), { charges: AT_ONCE, events: AT_ONCE });
  });

  test('is found again even when the clock is moved before the connection is back', async () => {
    const before = wire.cuts();
    wire.cutAtCommit({ forGood: true });
    let isAnswered = false;
    const answering = burst('moved').finally(() => {
      isAnswered = true;
    });
    while (wire.cuts() === before && !isAnswered) await nextTick();
    assert.equal(wire.cuts(), before + 1);
    await client.query('update sandbox_clock set ahead_ms = ahead_ms + 60000');
    wire.mend();
    const answers = await answering;
    assert.deepEqual(new Set(statuses(answers)), new Set([201]));
    assert.ok(!answers.some(isReplay));
    assert.deepEqual(await written('moved'), { charges: AT_ONCE, events: AT_ONCE });
  });

  test('is answered with 503 while the database is away, and a repeat is safe', async () => {
    wire.cutAtCommit({ forGood: true });
    const answers = await burst('away');
    assert.equal(wire.cuts(), 3);
    assert.deepEqual(new Set(statuses(answers)), new Set([503]));
    for (const { headers } of answers) assert.ok(headers.get('retry-after'));
    const { charges: committed } = await written('away');
    assert.ok(committed > 0, 'some were committed');
    wire.mend();
    const repeats = await burst('away');
    assert.deepEqual(new Set(statuses(repeats)), new Set([201]));
    const named = repeats.filter((_, index) => index % 3 !== 2);
    const nameless = repeats.length - named.length;
    const before = committed - named.filter(isReplay).length;
    assert.deepEqual(await written('away'), {
      charges: named.length + nameless + before,
      events: named.length + nameless + before,
    });
    assert.ok(before <= nameless, 'only a charge without externalId and key can be made twice');
  });
});
