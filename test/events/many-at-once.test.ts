// Claiming, ending and writing many deliveries at once costs no more per delivery than one alone: no other pending delivery is
// read needlessly.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { claimDue, type Ended, endAttempts } from '../../src/events/store-deliveries.ts';
import { findMatches, insertDeliveries } from '../../src/events/store-fan-out.ts';
import type { Sql } from '../../src/storage/database.ts';
import { discardedRows } from '../harness/compared-rows.ts';
import { connectTo, createDatabase, type TestDatabase } from '../harness/databases.ts';

const DELIVERED = 3_000;
const PENDING = 400;
/** Less than one per pending delivery. */
const FEW = 10;
const AT_ONCE = 100;
const NOW = new Date('2026-03-01T12:00:00Z');

let database: TestDatabase;
let client: pg.Client;
let sql: Sql;
before(async () => {
  database = await createDatabase();
  ({ client, sql } = await connectTo(database));
  await sql.query(`insert into accounts (id, created_at) values ('acme', now())`);
  await sql.query(
    `insert into webhooks (id, account_id, url, secret, from_position, enabled, created_at, updated_at)
     values (gen_random_uuid(), 'acme', 'https://shop.example/hook', 'x', 0, true, now(), now())`,
  );
  await insertEvents(1, DELIVERED);
  await deliverAll();
  await sql.query(`update webhook_deliveries set state = 'delivered', delivered_at = now()`);
  // The statistics have no pending delivery, as after a quiet night.
  await sql.query('vacuum (analyze) webhook_deliveries, webhook_attempts, webhooks, events, event_positions');
});
after(async () => {
  await client.end();
  await database.drop();
});

async function insertEvents(first: number, last: number): Promise<void> {
  await sql.query(
    `with made as (
       insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
       select gen_random_uuid(), 'acme', 'charge.created', gen_random_uuid(), 1, now(), '{}'
         from generate_series($1::integer, $2::integer)
       returning id, account_id, type, object_id)
     insert into event_positions (position, event_id, account_id, type, object_id)
     select $1::integer - 1 + row_number() over (), id, account_id, type, object_id from made`,
    [first, last],
  );
}

async function deliverAll(after = 0, tx = sql): Promise<void> {
  const matches = await findMatches(tx, { after: BigInt(after), upTo: 1_000_000n });
  const ids = matches.map(() => randomUUID());
  await insertDeliveries(tx, ids, matches, NOW);
}

test('pending deliveries are written, claimed and ended without reading all pending ones', async () => {
  await sql.query('begin');
  await insertEvents(DELIVERED + 1, DELIVERED + PENDING);
  await deliverAll(DELIVERED);
  await insertEvents(DELIVERED + PENDING + 1, DELIVERED + 2 * PENDING);
  const writing = await discardedRows(client, tx => deliverAll(DELIVERED + PENDING, tx));

  const claim = { claim: randomUUID(), now: NOW, limit: 1_000, perWebhook: AT_ONCE };
  const taking = await discardedRows(client, tx => claimDue(tx, claim));
  const claimed = await claimDue(sql, { ...claim, claim: randomUUID() });
  assert.equal(claimed.length, 0, 'the webhook has its maximum');
  const taken = await sql.query<{ id: string; claim: string }>(
    'select id, claim from webhook_deliveries where claim is not null',
  );
  assert.equal(taken.length, AT_ONCE);

  const ended = taken.map(({ id, claim }): Ended => {
    const delivery = { id, claim, accountId: 'acme', webhookId: '', round: 0, attempts: 1, number: 1 };
    const rest = { url: '', secrets: [], eventId: '', objectId: '', type: '', occurredAt: '', json: '' };
    return { delivery: { ...delivery, ...rest }, attempt: { status: 204, latencyMs: 1 }, end: { kind: 'delivered' } };
  });
  const ending = await discardedRows(client, tx => endAttempts(tx, ended, NOW));
  await sql.query('rollback');
  for (const [what, rows] of Object.entries({ writing, taking, ending })) {
    assert.ok(rows <= FEW, `${what} discarded ${rows} rows`);
  }
});
