// The audit log: a line for every change, in the same transaction, in a hash chain that shows later changes to it.
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { auditLineAbout, withAuditContext } from '../../src/lib/audit-context.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { AUDIT_CHANNEL, audited, insertAuditLines } from '../../src/storage/audit.ts';
import { type Head, sealAudit, verifyAudit } from '../../src/storage/audit-chain.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { postAtOnce } from '../harness/at-once.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { until } from '../harness/process.ts';
import { type Service, startService } from '../harness/service.ts';

type Line = {
  position: string | null;
  actor: string;
  action: string;
  object_id: string | null;
  request_id: string | null;
  status: number;
};

let service: Service;
let db: Database;
let key: { id: string; text: string };
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails });
  db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  key = await service.makeKey('acme');
});
after(async () => {
  await db.close();
  await service.stop();
});

const charge = (changes: Record<string, unknown> = {}) =>
  service.post('/charges', chargeBody({ methods: ['pix'], ...changes }), {
    authorization: `Bearer ${key.text}`,
  });

/** The lines about an object, sealed or not. */
const linesOf = (objectId: string) =>
  service.sql<Line>(
    `select null as position, actor, action, object_id, request_id, status from audit_inbox where object_id = $1
     union all
     select position, actor, action, object_id, request_id, status from audit_log where object_id = $1`,
    [objectId],
  );
const count = async (table: string) =>
  (await service.sql<{ count: number }>(`select count(*)::int as count from ${table}`))[0]!.count;
const lineCount = async () => (await count('audit_inbox')) + (await count('audit_log'));

describe('a change', () => {
  test('has a line with who, what, on which object and by which request', async () => {
    const made = await charge();
    const { id } = made.json;
    await service.runJobs();
    const canceled = await service.post(`/charges/${id}/cancel`, {});
    assert.equal(canceled.status, 200, canceled.text);
    const lines = (await linesOf(id)).map(({ actor, action, request_id, status }) => ({
      actor,
      action,
      request_id,
      status,
    }));
    assert.deepEqual(lines[0], {
      actor: `key:${key.id}`,
      action: 'POST /charges',
      request_id: made.headers.get('x-request-id'),
      status: 201,
    });
    assert.equal(lines.length, 2);
    assert.equal(lines[1]!.action, 'POST /charges/:id/cancel');
    assert.equal(lines[1]!.status, 200);
    assert.notEqual(lines[1]!.actor, lines[0]!.actor);
  });

  test('that is batched with others is attributed only to its own caller', async () => {
    const names = ['acme', 'globex', 'initech'];
    const keys = await Promise.all(names.map(name => service.makeKey(name)));
    const posts = Array.from({ length: 60 }, (_, index) => ({
      body: chargeBody({ accountId: names[index % 3], methods: ['pix'] }),
      headers: { authorization: `Bearer ${keys[index % 3]!.text}` },
    }));
    const answers = await postAtOnce(service.url, '/charges', posts);
    for (const [index, { status, text, json, headers }] of answers.entries()) {
      assert.equal(status, 201, text);
      const lines = await linesOf(json.id);
      assert.deepEqual(
        lines.map(({ actor, request_id }) => [actor, request_id]),
        [[`key:${keys[index % 3]!.id}`, headers.get('x-request-id')]],
      );
    }
  });

  test('that fails has no line, nor has reading or a repeat', async () => {
    const first = await charge({ externalId: 'once' });
    const before = await lineCount();
    assert.equal((await charge({ externalId: 'once', amountCents: 1 })).status, 409);
    assert.equal((await charge({ externalId: 'once' })).headers.get('idempotent-replayed'), 'true');
    assert.equal((await charge({ amountCents: 0 })).status, 400);
    assert.equal((await charge({ accountId: 'nobody' })).status, 404);
    assert.equal((await service.get(`/charges/${first.json.id}`)).status, 200);
    assert.equal((await service.post(`/charges/${first.json.id}/refunds`, {})).status, 409);
    assert.equal(await lineCount(), before);
  });

  test('by a job has no caller', async () => {
    const { id } = (await charge()).json;
    await service.runJobs();
    assert.equal((await linesOf(id)).length, 1);
  });

  test('is not written if its line cannot be written', async () => {
    await service.sql(`alter table audit_inbox add constraint full_up check (action <> 'POST /charges') not valid`);
    const total = async () => (await service.get('/charges')).json.total;
    const before = await total();
    assert.equal((await charge()).status, 500);
    assert.equal(await total(), before);
    await service.sql('alter table audit_inbox drop constraint full_up');
  });

  test('leaves no name, document, address or key in the log', async () => {
    const customer = { name: 'Zuleica Quirino', document: '52998224725' };
    await charge({ customer, externalId: 'a private word' });
    const rows = await service.sql<{ row: string }>(
      'select row_to_json(l)::text as row from audit_inbox l union all select row_to_json(l)::text from audit_log l',
    );
    for (const { row } of rows) assert.doesNotMatch(row, /Zuleica|52998224725|private|trilho_live/);
  });
});

test('in a sandbox changes are attributed to the sandbox, and those by a clock move are not', async t => {
  const sandbox = await startService();
  t.after(() => sandbox.stop());
  const { id } = (await sandbox.post('/charges', chargeBody(), { authorization: 'Bearer whatever' })).json;
  await sandbox.post('/sandbox/clock', { advance: 'P90D' });
  assert.equal((await sandbox.get(`/charges/${id}`)).json.state, 'EXPIRED');
  const lines = await sandbox.sql('select actor, action, object_id from audit_inbox order by id');
  assert.deepEqual(lines, [
    { actor: 'sandbox', action: 'POST /charges', object_id: id },
    { actor: 'sandbox', action: 'POST /sandbox/clock', object_id: null },
  ]);
});

describe('the chain', () => {
  let head: Head;
  beforeEach(async () => {
    for (let made = 0; made < 3; made++) await charge();
    await sealAudit(db);
    ({ head } = await verifyAudit(db));
    assert.ok(head.position >= 3);
  });

  test('has every line once, also if several nodes seal at a time', async () => {
    const made = await Promise.all(Array.from({ length: 12 }, () => charge()));
    assert.deepEqual([await verifyAudit(db)], [{ head, unsealed: 12 }]);
    const sealed = await allAtOnce(3, () => sealAudit(db));
    assert.deepEqual(sealed.sort(), [0, 0, 12]);
    const verdict = await verifyAudit(db, head);
    assert.equal(verdict.broken, undefined);
    assert.equal(verdict.unsealed, 0);
    assert.equal(verdict.head.position, head.position + 12);
    for (const { json } of made) assert.equal((await linesOf(json.id)).length, 1);
  });

  test('seals a duplicated line once', async () => {
    await service.sql(
      `insert into audit_inbox select id, at, actor, action, object_id, request_id, status from audit_log where position = 1`,
    );
    assert.equal(await sealAudit(db), 0);
    assert.deepEqual(await verifyAudit(db), { head, unsealed: 0 });
  });

  test('cannot be changed or cut, nor can its inbox', async () => {
    await charge();
    for (const statement of [
      `update audit_log set actor = 'operator' where position = 2`,
      'delete from audit_log where position = 2',
      'truncate audit_log',
      `update audit_inbox set actor = 'operator'`,
      'delete from audit_inbox',
      'truncate audit_inbox',
    ]) {
      await assert.rejects(service.sql(statement), { code: '23001' }, statement);
    }
  });

  for (const [what, statement, position] of [
    ['an edited line', `update audit_log set actor = 'operator' where position = 2`, 2],
    ['an edited object', `update audit_log set object_id = null where position = 3`, 3],
    ['an edited moment', `update audit_log set at = at + interval '1 ms' where position = 1`, 1],
    ['an edited hash', `update audit_log set hash = sha256('x') where position = 2`, 2],
    ['a deleted line', 'delete from audit_log where position = 2', 2],
    ['a deleted beginning', 'delete from audit_log where position <= 2', 1],
    [
      'a deleted line without a gap',
      'delete from audit_log where position = 2; ' +
        'update audit_log set position = position + 900000 where position > 2; ' +
        'update audit_log set position = position - 900001 where position > 2',
      2,
    ],
    [
      'two swapped lines',
      `update audit_log set position = 900000 where position = 2;
       update audit_log set position = 2 where position = 3;
       update audit_log set position = 3 where position = 900000`,
      2,
    ],
  ] as const) {
    test(`shows ${what}, and where`, async () => {
      const { broken } = await tampered(statement, sql => verifyAudit(sql));
      assert.equal(broken?.position, position, broken?.reason);
    });
  }

  test('reveals lines that were cut off its end only to an operator who kept the last hash', async () => {
    const cut = `delete from audit_log where position >= ${head.position - 1}`;
    assert.equal((await tampered(cut, sql => verifyAudit(sql))).broken, undefined);
    assert.equal((await tampered(cut, sql => verifyAudit(sql, head))).broken?.position, head.position - 1);
    const kept = { position: 2, hash: head.hash };
    assert.equal((await verifyAudit(db, kept)).broken?.position, 2);
    assert.deepEqual(await verifyAudit(db, head), { head, unsealed: 0 });
  });
});

/** Lets several nodes begin to seal, and continue only when all have begun. */
async function allAtOnce<T>(count: number, seal: () => Promise<T>): Promise<T[]> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  await client.query('begin; lock table audit_log in share mode');
  const sealing = Promise.all(Array.from({ length: count }, seal));
  let waiting = 0;
  for (let look = 0; look < 5_000 && waiting < count; look++) {
    const [row] = await service.sql<{ count: number }>(
      `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    waiting = row!.count;
  }
  await client.query('commit');
  await client.end();
  assert.equal(waiting, count);
  return sealing;
}

/** What an owner of the database could do: applied, verified and rolled back. */
async function tampered<T>(statement: string, look: (sql: Pick<Database, 'query'>) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: service.databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('alter table audit_log disable trigger all');
    await client.query(statement);
    return await look({ query: async (text, values = []) => (await client.query(text, [...values])).rows });
  } finally {
    await client.query('rollback');
    await client.end();
  }
}

test('a running service seals by itself', async t => {
  const node = await startService({ mode: 'live', rails: sandboxRails, beside: service, work: true });
  t.after(() => node.stop());
  // A line of another node, which this one finds at its next look.
  await charge();
  await until('the line to be sealed', async () => (await count('audit_inbox')) === 0);
});

test('a commit with an audit line wakes the sealing of its process, one without does not', async t => {
  const db = audited(openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog }));
  t.after(() => db.close());
  let woken = 0;
  db.listen(AUDIT_CHANNEL, () => woken++);
  const context = { actor: 'operator', action: 'test', at: new Date(), status: 0 };
  const run = (statement: string) => withAuditContext(context, () => db.transaction(tx => tx.query(statement)));
  await run('select 1');
  assert.equal(woken, 0, 'nothing was changed');
  await run(`update accounts set created_at = created_at where id = 'acme'`);
  assert.equal(woken, 1, 'a line of its own transaction');
  const line = withAuditContext(context, () => auditLineAbout('a charge'));
  assert.ok(line);
  await db.transaction(tx => insertAuditLines(tx, [line]));
  assert.equal(woken, 2, 'a line of a batch');
});
