// Whether a rule has events that it has not looked at is found as fast among many events as among few, and rightly. Counted in pages of
// the database, since time would depend on the machine.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type pg from 'pg';
import { findRuleWithUnread, hasUnreadEvents } from '../../src/billing/reminders/store-feed.ts';
import type { Sql } from '../../src/storage/database.ts';
import { connectTo, createDatabase, type TestDatabase } from '../harness/databases.ts';
import { pagesTouched } from '../harness/pages-touched.ts';
import { scaled } from '../harness/scale.ts';

const MANY = scaled(200_000);
/** Levels of an index for each rule; never proportional to the events. */
const MOST_PAGES = 20;

let database: TestDatabase;
let client: pg.Client;
let sql: Sql;
before(async () => {
  database = await createDatabase();
  ({ client, sql } = await connectTo(database));
  await sql.query(`insert into accounts (id, created_at) values ('busy', now()), ('quiet', now())`);
});
after(async () => {
  await client.end();
  await database.drop();
});

test('a rule that has looked at every event is found to be without any among many', async () => {
  // The account with few events had its last one long ago.
  await sql.query(
    `insert into event_positions (position, event_id, account_id, type, object_id)
     select n, gen_random_uuid(), case when n <= 10 then 'quiet' else 'busy' end, 'charge.paid', gen_random_uuid()
       from generate_series(1, $1::int) n`,
    [MANY],
  );
  await sql.query(
    `insert into reminder_rules (id, account_id, occasion, days, channels, is_enabled, feed_position, created_at, updated_at)
     select gen_random_uuid(), account_id, 'paid', 0, '{event}', true, max(position), now(), now() from event_positions group by 2`,
  );
  await sql.query('vacuum (analyze)');
  assert.equal(await hasUnreadEvents(sql), false);
  assert.equal(await findRuleWithUnread(sql), undefined);
  for (const read of [hasUnreadEvents, findRuleWithUnread]) {
    const touched = await pagesTouched(sql, read);
    assert.ok(touched <= MOST_PAGES, `${read.name}: ${touched} pages`);
  }
});

test('a rule is found by the next event of its account, and by no other', async () => {
  await sql.query(
    `insert into event_positions (position, event_id, account_id, type, object_id)
     values ($1, gen_random_uuid(), 'other', 'charge.paid', gen_random_uuid())`,
    [MANY + 1],
  );
  assert.equal(await hasUnreadEvents(sql), false);
  await sql.query(
    `insert into event_positions (position, event_id, account_id, type, object_id)
     values ($1, gen_random_uuid(), 'quiet', 'charge.paid', gen_random_uuid())`,
    [MANY + 2],
  );
  assert.equal(await hasUnreadEvents(sql), true);
  assert.equal((await findRuleWithUnread(sql))?.accountId, 'quiet');
});
