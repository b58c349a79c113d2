// The SQL that turns events into deliveries: each event once for each webhook that wants it.
import type { Sql } from '../storage/database.ts';

/** An event and a webhook that receives it. */
export type Match = {
  readonly webhookId: string;
  readonly eventId: string;
  readonly accountId: string;
  readonly objectId: string;
  readonly position: bigint;
};

type Backlog = {
  /** Events without deliveries exist, with or without a position. */
  readonly hasNew: boolean;
  /** A replay of old ones was requested. */
  readonly hasOld: boolean;
};

export async function readBacklog(sql: Sql): Promise<Backlog> {
  const [row] = await sql.query<{ has_new: boolean; has_old: boolean }>(
    `select r.position < f.position or exists (select from unpositioned_events) as has_new,
            exists (select from webhook_replays) as has_old
       from event_readers r, event_feed f where r.name = 'webhooks'`,
  );
  return { hasNew: row!.has_new, hasOld: row!.has_old };
}

/** The next range of positions to fan out. The reader's row stays locked until the transaction ends: one fan-out at a time. */
export async function lockNextRange(tx: Sql, length: number): Promise<{ after: bigint; upTo: bigint }> {
  const [reader] = await tx.query<{ position: string }>(
    `select position from event_readers where name = 'webhooks' for update`,
  );
  const [feed] = await tx.query<{ up_to: string }>('select least($1::bigint + $2, position) as up_to from event_feed', [
    reader!.position,
    length,
  ]);
  return { after: BigInt(reader!.position), upTo: BigInt(feed!.up_to) };
}

export async function moveReader(tx: Sql, position: bigint): Promise<void> {
  await tx.query(`update event_readers set position = $1 where name = 'webhooks'`, [position]);
}

const WANTS = `(w.account_id is null or w.account_id = p.account_id) and (w.types is null or p.type = any (w.types))`;
const MATCH = 'w.id as webhook_id, p.event_id, p.account_id, p.object_id, p.position';

/** The webhooks that receive each event of a range. Disabled ones too: their deliveries wait until they are enabled. */
export async function findMatches(tx: Sql, { after, upTo }: { after: bigint; upTo: bigint }): Promise<Match[]> {
  const rows = await tx.query<MatchRow>(
    `select ${MATCH} from event_positions p
       join webhooks w on w.deleted_at is null and p.position > w.from_position and ${WANTS}
      where p.position > $1 and p.position <= $2 order by p.position, w.id`,
    [after, upTo],
  );
  return rows.map(toMatch);
}

/**
 * The condition that one row is a pending delivery of the other's object to the other's webhook. The planner must not see
 * «state = 'pending'»: it expects hardly any such rows, and would read all of them once for each object.
 */
export function pendingBeside(one: string, other: string): string {
  return `${one}.object_id = ${other}.object_id and ${one}.webhook_id = ${other}.webhook_id
    and ${one}.state || '' = 'pending'`;
}

/** Writes deliveries; existing ones are unchanged. A delivery behind an earlier one of its object waits as long as that one. */
export async function insertDeliveries(tx: Sql, ids: readonly string[], matches: readonly Match[], now: Date) {
  await tx.query(
    `${INSERT}
     select m.id, m.account_id, m.webhook_id, m.event_id, m.object_id, m.position, 'pending',
            greatest($7, (select max(d.next_at) from webhook_deliveries d
                           where ${pendingBeside('d', 'm')})), $7
       from ${MATCHES} on conflict do nothing`,
    [...valuesOf(ids, matches), now],
  );
}

type Replay = { readonly id: string; readonly webhookId: string; readonly since: Date };

/** Whether another replay to the webhook is under way; until the transaction ends, none can begin. */
export async function hasOtherReplay(tx: Sql, { id, webhookId }: Replay): Promise<boolean> {
  await tx.query('select from webhooks where id = $1 for no key update', [webhookId]);
  const others = await tx.query('select from webhook_replays where webhook_id = $1 and id <> $2', [webhookId, id]);
  return others.length > 0;
}

/** Requests everything since a moment again. Returns how many events that is, up to the present position of the feed. */
export async function insertReplay(sql: Sql, { id, webhookId, since }: Replay, now: Date): Promise<number> {
  const [row] = await sql.query<{ count: string }>(
    `with old as (
       select p.position from webhooks w, event_readers r, events e
         join event_positions p on p.event_id = e.id and p.account_id = e.account_id
        where w.id = $2 and r.name = 'webhooks' and e.occurred_at >= $3
          -- Where the webhook starts, and what it was already given: nothing lies in between.
          and p.position <= greatest(r.position, w.from_position) and ${WANTS}
     ), asked as (
       insert into webhook_replays (id, webhook_id, since, done, until, created_at)
       select $1, $2, $3, min(position) - 1, max(position), $4 from old having count(*) > 0
       on conflict do nothing
     )
     select count(*) from old`,
    [id, webhookId, since, now],
  );
  return Number(row!.count);
}

/** A replay under way: the last position done, and the last one to do. */
type Replaying = Replay & { readonly done: bigint; readonly until: bigint };

/** The replay whose turn it is, held until the transaction ends. */
export async function lockReplay(tx: Sql): Promise<Replaying | undefined> {
  const [row] = await tx.query<{ id: string; webhook_id: string; since: Date; done: string; until: string }>(
    `select id, webhook_id, since, done, until from webhook_replays order by moved_at, id limit 1 for update`,
  );
  if (!row) return undefined;
  const { id, webhook_id: webhookId, since, done, until } = row;
  return { id, webhookId, since, done: BigInt(done), until: BigInt(until) };
}

/** The next events of a replay. */
export async function findReplayMatches(tx: Sql, replay: Replaying, limit: number): Promise<Match[]> {
  const rows = await tx.query<MatchRow>(
    `select ${MATCH} from event_positions p
       join webhooks w on w.id = $1 and w.deleted_at is null and ${WANTS}
       join events e on e.id = p.event_id and e.account_id = p.account_id and e.occurred_at >= $2
      where p.position > $3 and p.position <= $4 order by p.position limit $5`,
    [replay.webhookId, replay.since, replay.done, replay.until, limit],
  );
  return rows.map(toMatch);
}

/** Records the progress of a replay; without a position it is done. */
export async function moveReplay(tx: Sql, id: string, position: bigint | undefined): Promise<void> {
  if (position === undefined) await tx.query('delete from webhook_replays where id = $1', [id]);
  else
    await tx.query('update webhook_replays set done = $2, moved_at = clock_timestamp() where id = $1', [id, position]);
}

/** Writes deliveries, or begins a new round of existing ones. */
export async function insertAgain(tx: Sql, ids: readonly string[], matches: readonly Match[], now: Date) {
  await tx.query(
    `${INSERT}
     select m.id, m.account_id, m.webhook_id, m.event_id, m.object_id, m.position, 'pending', $7, $7 from ${MATCHES}
     on conflict (webhook_id, event_id, account_id) do update
       set state = 'pending', round = webhook_deliveries.round + 1, attempts = 0, next_at = $7, delivered_at = null`,
    [...valuesOf(ids, matches), now],
  );
}

const INSERT = `insert into webhook_deliveries (
  id, account_id, webhook_id, event_id, object_id, position, state, next_at, created_at)`;
const MATCHES = `unnest($1::uuid[], $2::text[], $3::uuid[], $4::uuid[], $5::uuid[], $6::bigint[])
  as m (id, account_id, webhook_id, event_id, object_id, position)`;

function valuesOf(ids: readonly string[], matches: readonly Match[]): unknown[] {
  return [
    ids,
    matches.map(match => match.accountId),
    matches.map(match => match.webhookId),
    matches.map(match => match.eventId),
    matches.map(match => match.objectId),
    matches.map(match => match.position),
  ];
}

type MatchRow = { webhook_id: string; event_id: string; account_id: string; object_id: string; position: string };

function toMatch(row: MatchRow): Match {
  return {
    webhookId: row.webhook_id,
    eventId: row.event_id,
    accountId: row.account_id,
    objectId: row.object_id,
    position: BigInt(row.position),
  };
}
