// The SQL of the timers of charges.

import type { Sql } from '../../storage/database.ts';
import { type Charge, isOrdered } from '../charge.ts';
import { isUnpaid } from '../life.ts';
import { closesAt, firstEnd } from '../owed.ts';

export type TimerKind = 'overdue' | 'expire' | 'settle' | 'reconcile';
export type Timer = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly kind: TimerKind;
  readonly at: Date;
};

export type NewTimer = Timer & {
  /**
   * Whether the timer leads to a call to a rail or advances an order. A sandbox clock that is moved stops at such
   * timers.
   */
  readonly isAwaited?: boolean;
};

/** Sets timers. If a timer is set already, the earlier time wins. */
export async function setTimers(tx: Sql, timers: readonly NewTimer[]): Promise<void> {
  if (timers.length === 0) return;
  await tx.query(
    `insert into charge_timers (charge_id, account_id, kind, at, is_awaited)
     select * from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::boolean[])
     on conflict (charge_id, account_id, kind) do update set at = least(charge_timers.at, excluded.at)`,
    [
      timers.map(timer => timer.chargeId),
      timers.map(timer => timer.accountId),
      timers.map(timer => timer.kind),
      timers.map(timer => timer.at),
      timers.map(timer => timer.isAwaited ?? false),
    ],
    { name: 'set_charge_timers' },
  );
}

/** The timers of a new charge: overdue at `dueAt`, expired at the end of its first method. */
type FirstTimers = {
  readonly charge: Pick<Charge, 'id' | 'accountId' | 'dueAt'>;
  readonly firstEnd: Date;
  /** Whether its expiry advances an order. */
  readonly isOrdered: boolean;
};

export function firstTimersOf(charge: Charge): FirstTimers {
  const firstEndAt = firstEnd(charge, charge.methods.filter(isUnpaid)) ?? closesAt(charge);
  return { charge, firstEnd: firstEndAt, isOrdered: isOrdered(charge) };
}

/**
 * Inserts the first timers of new charges. None can exist yet; leaving out the conflict check saves nearly a third of
 * the cost.
 */
export async function insertFirstTimers(tx: Sql, firsts: readonly FirstTimers[]): Promise<void> {
  await tx.query(
    `insert into charge_timers (charge_id, account_id, kind, at, is_awaited)
     select id, account_id, kind, at, is_awaited
       from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::boolean[])
              as charge (id, account_id, due_at, first_end, is_ordered)
      cross join lateral (values ('overdue', due_at, false), ('expire', first_end, is_ordered))
              as timer (kind, at, is_awaited)`,
    [
      firsts.map(({ charge }) => charge.id),
      firsts.map(({ charge }) => charge.accountId),
      firsts.map(({ charge }) => charge.dueAt),
      firsts.map(({ firstEnd }) => firstEnd),
      firsts.map(({ isOrdered }) => isOrdered),
    ],
    { name: 'insert_first_timers' },
  );
}

/** Timers that are due, oldest first. */
export async function findDueTimers(tx: Sql, until: Date, limit: number): Promise<Timer[]> {
  const rows = await tx.query<TimerRow>(
    `select charge_id, account_id, kind, at from charge_timers where at <= $1 order by at, charge_id, kind limit $2`,
    [until, limit],
  );
  return rows.map(toTimer);
}

/** Deletes timers and returns those that still existed and are due, in the given order: a due date may have been changed meanwhile. */
export async function takeTimers(tx: Sql, timers: readonly Timer[], until: Date): Promise<Timer[]> {
  const rows = await tx.query<TimerRow>(
    `delete from charge_timers t
      using unnest($1::uuid[], $2::text[], $3::text[]) as due (charge_id, account_id, kind)
      where t.charge_id = any($1) and t.charge_id = due.charge_id and t.account_id = due.account_id and t.kind = due.kind
        and t.at <= $4
      returning t.charge_id, t.account_id, t.kind, t.at`,
    [timers.map(timer => timer.chargeId), timers.map(timer => timer.accountId), timers.map(timer => timer.kind), until],
  );
  const taken = new Set(rows.map(row => `${row.charge_id} ${row.kind}`));
  return timers.filter(({ chargeId, kind }) => taken.has(`${chargeId} ${kind}`));
}

type TimerRow = { charge_id: string; account_id: string; kind: TimerKind; at: Date };

function toTimer(row: TimerRow): Timer {
  return { chargeId: row.charge_id, accountId: row.account_id, kind: row.kind, at: row.at };
}

/** The next time up to `until` at which a moved sandbox clock must stop. */
export async function nextAwaitedAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>(
    `select at from charge_timers where is_awaited and at <= $1 order by at limit 1`,
    [until],
  );
  return row?.at;
}

/** Removes the overdue and expiry timers of charges that have ended. Their rails are still asked for payments. */
export async function clearTimers(tx: Sql, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return;
  await tx.query(`delete from charge_timers where charge_id = any($1) and kind in ('overdue', 'expire')`, [
    charges.map(({ id }) => id),
  ]);
}
