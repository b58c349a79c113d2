// All SQL of what charges wait for.
import type { Sql } from '../storage/database.ts';
import type { Statement } from '../storage/together.ts';
import type { Charge } from './charge.ts';

export type TimerKind = 'overdue' | 'expire' | 'settle' | 'reconcile';
export type Timer = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly kind: TimerKind;
  readonly at: Date;
};

/** A timer to be set. */
export type NewTimer = Timer & {
  /** Whether somebody outside is asked at it, or an order goes on: then moved time stops there. */
  readonly isAwaited?: boolean;
};

/** Sets timers; one that is set already keeps the earlier moment. */
export async function setTimers(tx: Sql, timers: readonly NewTimer[]): Promise<void> {
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

/** What a charge waits for from the first. */
export type FirstTimers = {
  readonly charge: Pick<Charge, 'id' | 'accountId' | 'dueAt'>;
  readonly closesAt: Date;
  /** Whether an order goes on when it closes. */
  readonly isOrdered: boolean;
};

/** The first timers of charges: none can be set already, and not to look for them spares nearly a third of the cost. */
export function firstTimersInsertion(firsts: readonly FirstTimers[]): Statement {
  return {
    name: 'insert_first_timers',
    text: `insert into charge_timers (charge_id, account_id, kind, at, is_awaited)
           select id, account_id, kind, at, is_awaited
             from unnest($1::uuid[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::boolean[])
                    as charge (id, account_id, due_at, closes_at, is_ordered)
            cross join lateral (values ('overdue', due_at, false), ('expire', closes_at, is_ordered))
                    as timer (kind, at, is_awaited)`,
    values: [
      firsts.map(({ charge }) => charge.id),
      firsts.map(({ charge }) => charge.accountId),
      firsts.map(({ charge }) => charge.dueAt),
      firsts.map(({ closesAt }) => closesAt),
      firsts.map(({ isOrdered }) => isOrdered),
    ],
  };
}

/** Timers that are due, oldest first. */
export async function findDueTimers(tx: Sql, until: Date, limit: number): Promise<Timer[]> {
  const rows = await tx.query<TimerRow>(
    `select charge_id, account_id, kind, at from charge_timers where at <= $1 order by at, charge_id, kind limit $2`,
    [until, limit],
  );
  return rows.map(toTimer);
}

/** Takes timers out of the table and returns those that were still there, in the order given. */
export async function takeTimers(tx: Sql, timers: readonly Timer[]): Promise<Timer[]> {
  const rows = await tx.query<TimerRow>(
    `delete from charge_timers t
      using unnest($1::uuid[], $2::text[], $3::text[]) as due (charge_id, account_id, kind)
      where t.charge_id = any($1) and t.charge_id = due.charge_id and t.account_id = due.account_id and t.kind = due.kind
      returning t.charge_id, t.account_id, t.kind, t.at`,
    [timers.map(timer => timer.chargeId), timers.map(timer => timer.accountId), timers.map(timer => timer.kind)],
  );
  const taken = new Set(rows.map(row => `${row.charge_id} ${row.kind}`));
  return timers.filter(({ chargeId, kind }) => taken.has(`${chargeId} ${kind}`));
}

type TimerRow = { charge_id: string; account_id: string; kind: TimerKind; at: Date };

function toTimer(row: TimerRow): Timer {
  return { chargeId: row.charge_id, accountId: row.account_id, kind: row.kind, at: row.at };
}

/** The next moment that moved time must stop at, up to another. */
export async function nextAwaitedAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>(
    `select at from charge_timers where is_awaited and at <= $1 order by at limit 1`,
    [until],
  );
  return row?.at;
}

/** A charge that has ended waits for its time no more; its banks are still asked for money, as long as they want to be. */
export async function clearTimers(tx: Sql, charge: Charge): Promise<void> {
  await tx.query(
    `delete from charge_timers where charge_id = $1 and account_id = $2 and kind in ('overdue', 'expire')`,
    [charge.id, charge.accountId],
  );
}
