// The SQL of alarms.
import type { Network } from '../../chains/asset.ts';
import type { Row, Sql } from '../../storage/database.ts';
import type { Alarm, AlarmReason } from '../watch/alarm.ts';

/** A network has at most one alarm of each reason and subject, so they are few. */
const MAX_ALARMS = 1_000;

/** Alarms that are raised and not cleared, oldest first. */
export async function readOpenAlarms(sql: Sql, network?: Network): Promise<Alarm[]> {
  const rows = await sql.query<AlarmRow>(
    `select id, reason, network, subject, words, raised_at from payout_alarms
      where cleared_at is null and ($1::text is null or network = $1) order by raised_at, id limit ${MAX_ALARMS}`,
    [network],
  );
  return rows.map(({ raised_at, ...row }) => ({ ...row, raisedAt: raised_at }));
}

type AlarmRow = Row & {
  id: string;
  reason: AlarmReason;
  network: Network;
  subject: string;
  words: string;
  raised_at: Date;
};

/** False when such an alarm is already open. */
export async function insertAlarm(tx: Sql, alarm: Alarm): Promise<boolean> {
  const rows = await tx.query(
    `insert into payout_alarms (id, reason, network, subject, words, raised_at)
     values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`,
    [alarm.id, alarm.reason, alarm.network, alarm.subject, alarm.words, alarm.raisedAt],
  );
  return rows.length > 0;
}

/** False when it was cleared before. */
export async function clearAlarm(tx: Sql, { id }: Alarm, at: Date): Promise<boolean> {
  const rows = await tx.query(
    'update payout_alarms set cleared_at = $2 where id = $1 and cleared_at is null returning id',
    [id, at],
  );
  return rows.length > 0;
}

/** Whether the alarms of a network are to be judged now. */
export async function isWatchDue(sql: Sql, network: Network, now: Date): Promise<boolean> {
  const later = await sql.query('select from payout_watches where network = $1 and next_at > $2', [network, now]);
  return later.length === 0;
}

type Watch = { readonly isSilent: boolean; readonly at: Date; readonly nextAt: Date };

/** Records whether a node of a network answers, and when its alarms are judged next; returns since when no node answers. */
export async function noteWatch(
  sql: Sql,
  network: Network,
  { isSilent, at, nextAt }: Watch,
): Promise<Date | undefined> {
  const [row] = await sql.query<{ silent_since: Date | null }>(
    `insert into payout_watches as known (network, next_at, silent_since)
     values ($1, $4, case when $2::boolean then $3::timestamptz end)
     on conflict (network) do update
       set next_at = $4, silent_since = case when $2::boolean then coalesce(known.silent_since, $3) end
     returning silent_since`,
    [network, isSilent, at, nextAt],
  );
  return row?.silent_since ?? undefined;
}

/** When the oldest payout of a network took its slot, among those that are open, or were done and are contradicted. */
export async function oldestUnsettledAt(sql: Sql, network: Network): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>(
    `select least((select min(created_at) from payouts where state = 'open' and network = $1),
                  (select min(created_at) from payouts where contradicted_at is not null and network = $1)) as at`,
    [network],
  );
  return row?.at ?? undefined;
}

export type Contradicted = { readonly count: number; readonly payoutId: string };

/** Payouts that were done and are contradicted since before a time, with the one that is longest. */
export async function readContradicted(sql: Sql, network: Network, until: Date): Promise<Contradicted | undefined> {
  const [row] = await sql.query<{ id: string; count: number }>(
    `select id, count(*) over ()::int as count from payouts
      where contradicted_at <= $2 and network = $1 order by contradicted_at, id limit 1`,
    [network, until],
  );
  return row && { count: row.count, payoutId: row.id };
}

/** Halted senders, with the reason where it was recorded. */
export async function readHaltedSenders(sql: Sql, network: Network): Promise<ReadonlyMap<string, string | undefined>> {
  const rows = await sql.query<{ sender: string; halt_words: string | null }>(
    'select sender, halt_words from chain_senders where network = $1 and halted_at is not null order by sender',
    [network],
  );
  return new Map(rows.map(({ sender, halt_words }) => [sender, halt_words ?? undefined]));
}
