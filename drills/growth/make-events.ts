// Events made by SQL, in the order of the feed: five of each object, of eight accounts, over the given time. Every tenth was
// delivered to a webhook at the first attempt: an event stays until its delivery is removed.
import type pg from 'pg';

export const ACCOUNTS = 8;
export const EVENTS_OF_OBJECT = 5;
export const EVENTS_OF_DELIVERY = 10;
export const WEBHOOK_ID = '01a1e43a-7a00-71ca-82c0-7c939073f676';
/** Those whose indexes are made at the end. */
export const TABLES = ['events', 'event_positions', 'webhook_deliveries', 'webhook_attempts'];
const TYPES = ['charge.created', 'charge.registered', 'charge.paid', 'charge.settled', 'charge.refunded'];
const CHUNK = 1_000_000;
/** Spreads the ends of ids, which have fifteen digits: enough for a thousand million positions. */
const SPREAD = 999_999_937;

type Made = {
  readonly events: number;
  /** The time of position 0, and between two events. */
  readonly start: Date;
  readonly stepMs: number;
};

/** In the order of time, as those of the service; no two of one table are the same, since `number` differs. */
const uuidOf = (ms: string, number: string) =>
  `(lpad(to_hex((${ms})::bigint), 12, '0') || '70008' || lpad(to_hex(${number} * ${SPREAD}), 15, '0'))::uuid`;

/** By two sessions at a time: one core writes, another one computes. */
export async function makeEvents(
  clients: readonly pg.Client[],
  made: Made,
  say: (line: string) => void,
): Promise<void> {
  const [client] = clients as readonly [pg.Client];
  const indexes = await dropIndexes(client);
  // Disabled: it gets nothing of what happens later.
  await client.query(
    `insert into webhooks (id, url, enabled, secret, from_position, created_at, updated_at)
     values ($1, 'https://shop.example.com/hook', false, decode(repeat('00', 32), 'hex'), 0, $2, $2)`,
    [WEBHOOK_ID, made.start],
  );
  await client.query("set maintenance_work_mem = '2GB'");
  // They get their positions here.
  await client.query('alter table events disable trigger user');
  let from = 0;
  const insert = async (by: pg.Client) => {
    // A chunk stays in memory until it is in both tables.
    await by.query("set work_mem = '1GB'");
    while (from < made.events) {
      const [first, last] = [from + 1, Math.min(from + CHUNK, made.events)];
      from = last;
      await by.query(INSERT, [first, last, made.start.getTime(), made.stepMs]);
      if (last % (10 * CHUNK) === 0) say(`${last / 1_000_000} million events`);
    }
  };
  await Promise.all(clients.map(insert));
  await client.query('alter table events enable trigger user');
  for (const create of indexes) {
    say(create);
    await client.query(create);
  }
  await client.query('update event_feed set position = $1', [made.events]);
  await client.query('update event_readers set position = $1', [made.events]);
  await client.query(`analyze ${TABLES.join(', ')}`);
}

const INSERT = `
  with made as materialized (
    select position,
           ${uuidOf('$3::bigint + position * $4::float8', 'position')} as id,
           ${uuidOf(`$3::bigint + ((position - 1) / ${EVENTS_OF_OBJECT}) * ${EVENTS_OF_OBJECT} * $4::float8`, `((position - 1) / ${EVENTS_OF_OBJECT} + 1)`)} as object_id,
           'shop-' || ((position - 1) / ${EVENTS_OF_OBJECT}) % ${ACCOUNTS} as account_id,
           ('{${TYPES.join(',')}}'::text[])[(position - 1) % ${EVENTS_OF_OBJECT} + 1] as type,
           ((position - 1) % ${EVENTS_OF_OBJECT} + 1)::int as sequence,
           to_timestamp(($3::bigint + position * $4::float8) / 1000) as occurred_at
      from generate_series($1::bigint, $2::bigint) as position
  ), kept as (
    insert into events (id, account_id, type, object_id, sequence, occurred_at, object)
    select id, account_id, type, object_id, sequence, occurred_at, jsonb_build_object('id', object_id, 'status', type) from made
  ), chosen as (
    select * from made where position % ${EVENTS_OF_DELIVERY} = 0
  ), delivered as (
    insert into webhook_deliveries (id, account_id, webhook_id, event_id, object_id, position, state, attempts, sent, next_at, created_at, delivered_at)
    select id, account_id, '${WEBHOOK_ID}'::uuid, id, object_id, position, 'delivered', 1, 1, occurred_at, occurred_at, occurred_at from chosen
  ), attempted as (
    insert into webhook_attempts (delivery_id, account_id, number, started_at, latency_ms, status)
    select id, account_id, 1, occurred_at, 20, 204 from chosen
  )
  insert into event_positions (position, event_id, account_id, type, object_id)
  select position, id, account_id, type, object_id from made`;

/** Of the tables, but those that foreign keys need; returns the statements that make them again. */
async function dropIndexes(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ drop: string; create: string }>(
    `select format('alter table %s drop constraint %I', conrelid::regclass, conname) as drop,
            format('alter table %s add constraint %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) as create
       from pg_constraint c where conrelid = any($1::regclass[]) and contype in ('p', 'u')
        and not exists (select from pg_constraint f where f.contype = 'f' and f.conindid = c.conindid)
     union all
     select format('drop index %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
       from pg_index i where indrelid = any($1::regclass[])
        and not exists (select from pg_constraint where conindid = i.indexrelid)`,
    [TABLES],
  );
  for (const { drop } of rows) await client.query(drop);
  return rows.map(({ create }) => create);
}
