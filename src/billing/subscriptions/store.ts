// The SQL of subscriptions and of the cycles that a step needs.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Standing } from './life.ts';
import { nextMoment } from './moments.ts';
import type { Cycle, Subscription } from './subscription.ts';

const COLUMNS = `id, account_id, external_id, plan_id, customer_id, symbol, network, settlement_schedule, wallet_id, wallet_by, status, amount_cents, currency, interval, day, cycles, methods, is_automatic, days_ahead,
  past_due_after_days, unpaid_action, unpaid_after_days, description, fine_percent, interest_percent, metadata, trial_end_day, cancel_on,
  cancel_reason, link_epoch, event_count, created_at, updated_at, paused_at, resumed_at, ended_at`;
type SubscriptionRow = RowOf<Subscription>;
export const toSubscription = recordOf<Subscription>(COLUMNS, ['amountCents']);

/** The select list of a `SubscriptionRow`: a day is text, whatever the time zone of the process. */
export const SELECTED = COLUMNS.replace('trial_end_day, cancel_on', 'trial_end_day::text, cancel_on::text');

const CYCLE_COLUMNS = `subscription_id, account_id, number, day, status, amount_cents, currency, due_day, charge_id, attempts, reason,
  retry_at, paid_at, collection_id, fallback_reason, order_id, order_reason`;
export type CycleRow = RowOf<Cycle>;
export const toCycle = recordOf<Cycle>(CYCLE_COLUMNS, ['amountCents']);
export const SELECTED_CYCLE = CYCLE_COLUMNS.replace(' day,', ' day::text,').replace('due_day,', 'due_day::text,');

/** Types by column, for rows that come as JSON. */
const RECORD = `id uuid, account_id text, external_id text, plan_id uuid, customer_id uuid, symbol text, network text,
  settlement_schedule text, wallet_id uuid, wallet_by text, status text, amount_cents bigint, currency text,
  interval text, day integer, cycles integer, methods text[], is_automatic boolean, days_ahead integer, past_due_after_days integer, unpaid_action text,
  unpaid_after_days integer, description text, fine_percent numeric, interest_percent numeric, metadata jsonb, trial_end_day date,
  cancel_on date, cancel_reason text, link_epoch smallint, event_count integer, created_at timestamptz, updated_at timestamptz,
  paused_at timestamptz, resumed_at timestamptz, ended_at timestamptz, next_at timestamptz, content_hash text`;
const CYCLE_RECORD = `subscription_id uuid, account_id text, number integer, day date, status text, amount_cents bigint, currency text,
  due_day date, charge_id uuid, attempts integer, reason text, retry_at timestamptz, paid_at timestamptz, collection_id uuid, fallback_reason text,
  order_id uuid, order_reason text`;

/** Inserts a subscription with its cycles; false when its id or its externalId is taken. */
export async function insertSubscription(tx: Sql, standing: Standing, hash: string): Promise<boolean> {
  const rows = await tx.query(
    `insert into subscriptions (${COLUMNS}, next_at, content_hash)
     select ${COLUMNS}, next_at, content_hash from json_to_recordset($1) as new_subscription (${RECORD})
     on conflict do nothing returning id`,
    [JSON.stringify([{ ...columnsOf(standing), content_hash: hash }])],
  );
  if (rows.length === 0) return false;
  await writeCycles(tx, standing.cycles);
  return true;
}

const CHANGING = COLUMNS.split(',')
  .map(column => column.trim())
  .filter(column => !['id', 'account_id', 'created_at'].includes(column));

/** Replaces subscriptions, whose rows the caller has locked, and the cycles that changed. */
export async function updateStandings(tx: Sql, standings: readonly Standing[]): Promise<void> {
  if (standings.length === 0) return;
  await tx.query(
    `update subscriptions s
        set ${CHANGING.map(column => `${column} = u.${column}`).join(', ')}, next_at = u.next_at
       from json_to_recordset($1) as u (${RECORD})
      where s.id = u.id and s.account_id = u.account_id`,
    [JSON.stringify(standings.map(columnsOf))],
  );
  await writeCycles(
    tx,
    standings.flatMap(({ cycles }) => cycles),
  );
}

/** Every change also sets when the sweep looks at it next. */
function columnsOf(standing: Standing) {
  const { subscription } = standing;
  return { ...snaked(subscription), next_at: nextMoment(standing)?.at };
}

/** PostgreSQL converts each text to the type that the statement declares. */
function snaked(record: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([field, value]) => [
      field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`),
      typeof value === 'bigint' ? String(value) : value,
    ]),
  );
}

export async function storeLinkEpoch(tx: Sql, { id, accountId, linkEpoch }: Subscription): Promise<void> {
  await tx.query('update subscriptions set link_epoch = $3 where id = $1 and account_id = $2', [
    id,
    accountId,
    linkEpoch,
  ]);
}

/** A number is inserted once: the primary key prevents a duplicate cycle. */
async function writeCycles(tx: Sql, cycles: readonly Cycle[]): Promise<void> {
  await tx.query(
    `insert into subscription_cycles as c (${CYCLE_COLUMNS})
     select ${CYCLE_COLUMNS} from json_to_recordset($1) as written (${CYCLE_RECORD})
     on conflict (subscription_id, account_id, number) do update
        set (day, status, amount_cents, currency, due_day, charge_id, attempts, reason, retry_at, paid_at, collection_id,
             fallback_reason, order_id, order_reason)
          = (excluded.day, excluded.status, excluded.amount_cents, excluded.currency, excluded.due_day, excluded.charge_id,
             excluded.attempts, excluded.reason, excluded.retry_at, excluded.paid_at, excluded.collection_id,
             excluded.fallback_reason, excluded.order_id, excluded.order_reason)
      where c is distinct from excluded`,
    [JSON.stringify(cycles.map(snaked))],
  );
}

/** `accountId` restricts the search to one account. */
export async function findSubscription(sql: Sql, id: string, accountId?: string): Promise<Subscription | undefined> {
  const [row] = await sql.query<SubscriptionRow>(
    `select ${SELECTED} from subscriptions where id = $1 and ($2::text is null or account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toSubscription(row);
}

/** The cycle that has this charge now. */
export async function findCycleOfCharge(sql: Sql, chargeId: string): Promise<Cycle | undefined> {
  const [row] = await sql.query<CycleRow>(`select ${SELECTED_CYCLE} from subscription_cycles where charge_id = $1`, [
    chargeId,
  ]);
  return row && toCycle(row);
}

export async function findCycle(sql: Sql, subscriptionId: string, number: number): Promise<Cycle | undefined> {
  const [row] = await sql.query<CycleRow>(
    `select ${SELECTED_CYCLE} from subscription_cycles where subscription_id = $1 and number = $2`,
    [subscriptionId, number],
  );
  return row && toCycle(row);
}

/** Every subscription of a customer, the oldest first. */
export async function findOfCustomer(sql: Sql, customerId: string): Promise<Subscription[]> {
  const rows = await sql.query<SubscriptionRow>(
    `select ${SELECTED} from subscriptions where customer_id = $1 order by created_at, id`,
    [customerId],
  );
  return rows.map(toSubscription);
}

/** Subscriptions that time changes, the oldest first. */
export async function findDue(sql: Sql, until: Date, limit: number): Promise<string[]> {
  const rows = await sql.query<{ id: string }>(
    'select id from subscriptions where next_at <= $1 order by next_at, id limit $2',
    [until, limit],
  );
  return rows.map(({ id }) => id);
}

/** The next time up to `until` at which one of them changes. */
export async function nextDueAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>(
    'select next_at as at from subscriptions where next_at <= $1 order by next_at limit 1',
    [until],
  );
  return row?.at;
}

/** How many cycles that are past due a step needs: one to be paid, and another that keeps the subscription past due. */
const PAST_DUE_NEEDED = 2;

type LockOptions = {
  readonly accountId?: string | undefined;
  /** A cycle that the step is about, whatever its status. */
  readonly ofCharge?: string;
  /** With every cycle that is past due. */
  readonly isWhole?: boolean;
};

/** Locks subscriptions until the transaction ends, in a fixed order, and reads them with the cycles that a step needs. */
export async function lockStandings(
  tx: Sql,
  ids: readonly string[],
  { accountId, ofCharge, isWhole = false }: LockOptions = {},
): Promise<Standing[]> {
  const rows = await tx.query<SubscriptionRow>(
    `select ${SELECTED} from subscriptions
      where id = any($1) and ($2::text is null or account_id = $2)
      order by id for update`,
    [ids, accountId ?? null],
  );
  // A statement of its own: one that waited for the locks would read cycles as they were before.
  const cycles = await readNeededCycles(tx, ids, ofCharge, isWhole ? null : PAST_DUE_NEEDED);
  return rows.map(toSubscription).map(subscription => ({
    subscription,
    cycles: cycles.filter(({ subscriptionId }) => subscriptionId === subscription.id),
  }));
}

async function readNeededCycles(
  tx: Sql,
  ids: readonly string[],
  ofCharge: string | undefined,
  pastDueLimit: number | null,
): Promise<Cycle[]> {
  const rows = await tx.query<CycleRow>(
    // Each part is found by its index for one subscription, so the size of the table does not matter.
    `select ${SELECTED_CYCLE} from (
       select c.*
         from subscriptions s
         cross join lateral (
           (select ${CYCLE_COLUMNS} from subscription_cycles
             where subscription_id = s.id and status in ('waiting', 'open'))
           union
           (select ${CYCLE_COLUMNS} from subscription_cycles
             where subscription_id = s.id and status in ('waiting', 'past_due') and charge_id is null and attempts > 0)
           union
           (select ${CYCLE_COLUMNS} from subscription_cycles
             where subscription_id = s.id and status = 'past_due' order by number limit $3)
           union
           (select ${CYCLE_COLUMNS} from subscription_cycles
             where subscription_id = s.id and account_id = s.account_id and status <> 'waiting'
             order by number desc limit 1)) c
        where s.id = any($1)
       union
       select ${CYCLE_COLUMNS.split(',').map(column => `c.${column.trim()}`)}
         from charges h
         join subscription_cycles c
           on c.subscription_id = h.subscription_id and c.account_id = h.account_id and c.number = h.cycle_number
        where h.id = $2) needed
      order by subscription_id, number`,
    [ids, ofCharge ?? null, pastDueLimit],
  );
  return rows.map(toCycle);
}

/** The cycles that are not over of each of these subscriptions, for a list: the one to come and those that are to be paid. */
export async function findPendingCycles(sql: Sql, ids: readonly string[]): Promise<Cycle[]> {
  return readNeededCycles(sql, ids, undefined, PAST_DUE_NEEDED);
}

/** All cycles of one subscription that are not over: those that are to be paid and the one to come, the oldest first. */
export async function findUnpaidCycles(sql: Sql, id: string): Promise<Cycle[]> {
  const rows = await sql.query<CycleRow>(
    `select ${SELECTED_CYCLE} from subscription_cycles
      where subscription_id = $1 and status in ('waiting', 'open', 'past_due') order by number`,
    [id],
  );
  return rows.map(toCycle);
}
