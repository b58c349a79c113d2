// The SQL of single charges.
import type { First } from '../accounts/once.ts';
import type { Currency } from '../lib/currency.ts';
import type { Instruments, Method } from '../rails/rail.ts';
import { type Row, run, type Sql } from '../storage/database.ts';
import type { Rows, Statement } from '../storage/together.ts';
import type {
  CameAfter,
  Charge,
  ChargeMethod,
  ChargeState,
  Customer,
  LivingCharge,
  MethodStatus,
  PaidAmount,
  Payment,
  Refund,
  Timing,
} from './charge.ts';

/** A charge to be written, with what a repeat is compared with and answered with. */
export type NewRow = { readonly charge: LivingCharge; readonly hash: string; readonly answer: string };

/** Writes one charge. Returns false when its id or its externalId is taken. */
export async function insertCharge(tx: Sql, charge: LivingCharge, hash: string, answer: string): Promise<boolean> {
  const [row] = await run<{ all: boolean }>(tx, chargesInsertion([{ charge, hash, answer }], { orNothing: false }));
  return row!.all;
}

/**
 * Writes charges with their methods, except those whose id or externalId is taken, and says whether that was all; with `orNothing`
 * it fails with those. Waits for those who are about to take one of them, in the one order that keeps two who write many from
 * blocking each other. What is JSON goes as one array of it: quoted once more for an array of the database it would be twice as long.
 */
export function chargesInsertion(rows: readonly NewRow[], { orNothing }: { readonly orNothing: boolean }): Statement {
  const charges = rows.map(({ charge }) => charge);
  const ways = charges.flatMap(charge => charge.ways.map(way => ({ charge, way })));
  return {
    name: 'insert_charges',
    text: INSERT_CHARGES,
    values: [
      charges.map(charge => charge.id),
      charges.map(charge => charge.accountId),
      charges.map(charge => charge.externalId),
      charges.map(charge => charge.sourceKey),
      charges.map(charge => charge.amountCents),
      charges.map(charge => charge.currency),
      charges.map(charge => charge.payableCents),
      charges.map(charge => charge.lockedRate?.rate),
      charges.map(charge => charge.lockedRate?.source),
      charges.map(charge => charge.lockedRate?.at),
      JSON.stringify(charges.map(charge => charge.customer)),
      charges.map(charge => charge.finePercent),
      charges.map(charge => charge.interestPercent),
      charges.map(charge => charge.dueAt),
      charges.map(charge => charge.expireAt),
      rows.map(row => row.hash),
      // To the letter.
      `[${rows.map(row => row.answer).join(',')}]`,
      charges.map(charge => charge.createdAt),
      charges.map(charge => charge.state),
      charges.map(charge => charge.eventCount),
      charges.map(charge => charge.transactionId),
      ways.map(({ charge }) => charge.id),
      ways.map(({ way }) => way.method),
      ways.map(({ way }) => way.rail),
      ways.map(({ way }) => way.status),
      JSON.stringify(ways.map(({ way }) => way.instrument ?? null)),
      ways.map(({ way }) => way.reason),
      orNothing,
    ],
  };
}

const INSERT_CHARGES = `with charge as (
    insert into charges (
      id, account_id, external_id, source_key, amount_cents, currency, payable_cents, rate, rate_source, rate_at,
      customer, fine_percent, interest_percent, due_at, expire_at, content_hash, answer, created_at, state,
      event_count, transaction_id)
    select id, account_id, external_id, source_key, amount_cents, currency, payable_cents, rate, rate_source, rate_at,
           customer, fine_percent, interest_percent, due_at, expire_at, decode(content_hash, 'hex'), answer, created_at,
           state, event_count, transaction_id
      from rows from (
             unnest(
               $1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::bigint[], $8::numeric[],
               $9::text[], $10::timestamptz[], $12::numeric[], $13::numeric[], $14::timestamptz[], $15::timestamptz[],
               $16::text[], $18::timestamptz[], $19::text[], $20::integer[], $21::uuid[]),
             jsonb_array_elements($11::jsonb),
             json_array_elements($17::json))
           as born (
             id, account_id, external_id, source_key, amount_cents, currency, payable_cents, rate, rate_source,
             rate_at, fine_percent, interest_percent, due_at, expire_at, content_hash, created_at, state, event_count,
             transaction_id, customer, answer)
     order by account_id, external_id, id
    on conflict do nothing
    returning id, account_id, created_at),
  methods as (
    insert into charge_methods (charge_id, account_id, method, rail, status, instrument, reason, updated_at)
    select charge.id, charge.account_id, method, rail, status, nullif(instrument, 'null'), reason, charge.created_at
      from charge
      join rows from (
             unnest($22::uuid[], $23::text[], $24::text[], $25::text[], $27::text[]),
             jsonb_array_elements($26::jsonb))
           as way (charge_id, method, rail, status, reason, instrument)
        on way.charge_id = charge.id)
  select all_written(array_agg(id::text), $1::uuid[]::text[], $28) as all from charge`;

const FIRST = `select id, encode(content_hash, 'hex') as content_hash, answer::text as answer from charges`;

export async function findByExternalId(tx: Sql, accountId: string, externalId: string): Promise<First | undefined> {
  const rows = await tx.query<FirstRow>(`${FIRST} where account_id = $1 and external_id = $2`, [accountId, externalId]);
  return rows[0] && toFirst(rows[0]);
}

export async function findFirstById(tx: Sql, accountId: string, id: string): Promise<First | undefined> {
  const rows = await tx.query<FirstRow>(`${FIRST} where id = $1 and account_id = $2`, [id, accountId]);
  return rows[0] && toFirst(rows[0]);
}

type FirstRow = { id: string; content_hash: string; answer: string };

function toFirst(row: FirstRow): First {
  return { id: row.id, contentHash: row.content_hash, answer: row.answer };
}

const LIVING_CHARGE = `
  select c.id, c.account_id, c.external_id, c.source_key, c.amount_cents, c.currency, c.payable_cents,
         trim_scale(c.rate) as rate, c.rate_source, c.rate_at, c.customer,
         trim_scale(c.fine_percent) as fine_percent, trim_scale(c.interest_percent) as interest_percent,
         c.due_at, c.expire_at, c.created_at, c.state, c.timing, c.paid_amount, c.owed_cents, c.event_count,
         c.transaction_id, c.committed_cents,
         (select json_agg(json_build_object('method', m.method, 'rail', m.rail, 'status', m.status,
                                            'instrument', m.instrument, 'reason', m.reason) order by m.method)
            from charge_methods m
           where m.charge_id = c.id and m.account_id = c.account_id) as ways,
         (select json_agg(json_build_object('id', p.id, 'method', p.method, 'amountCents', p.amount_cents::text,
                                            'paidAt', iso_utc(p.paid_at), 'source', p.source, 'reference', p.reference,
                                            'timing', p.timing, 'isRepeat', p.is_repeat, 'cameAfter', p.came_after)
                          order by p.recorded_at, p.is_repeat, p.id)
            from payments p
           where p.charge_id = c.id and p.account_id = c.account_id) as payments,
         (select json_agg(json_build_object('id', r.id, 'paymentId', r.payment_id, 'amountCents', r.amount_cents::text,
                                            'status', r.status, 'reason', r.reason, 'createdAt', iso_utc(r.created_at))
                          order by r.id)
            from refunds r
           where r.charge_id = c.id and r.account_id = c.account_id) as refunds
    from charges c`;

/** A charge with all that happened to it; `accountId` narrows it to one account's. */
export async function findCharge(sql: Sql, id: string, accountId?: string): Promise<LivingCharge | undefined> {
  const [row] = await sql.query<ChargeRow>(
    `${LIVING_CHARGE} where c.id = $1 and ($2::text is null or c.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toCharge(row);
}

export async function chargeExists(sql: Sql, id: string, accountId: string): Promise<boolean> {
  const rows = await sql.query('select from charges where id = $1 and account_id = $2', [id, accountId]);
  return rows.length > 0;
}

/** Charges with all that happened to them, in no order; `toCharges` reads them. */
export function chargesSelection(ids: readonly string[]): Statement {
  return { text: `${LIVING_CHARGE} where c.id = any($1)`, values: [ids] };
}

export function toCharges(rows: Rows): LivingCharge[] {
  return rows.map(row => toCharge(row as ChargeRow));
}

/** Charges whose rows are held until the transaction ends, in the order that keeps two of them from blocking each other. */
export async function lockCharges(tx: Sql, ids: readonly string[]): Promise<LivingCharge[]> {
  const [, rows] = await Promise.all([
    tx.query('select from charges where id = any($1) order by id for update', [ids]),
    run(tx, chargesSelection(ids)),
  ]);
  return toCharges(rows);
}

/**
 * Writes the standing of charges whose rows are held: state, flags and statuses. What stands already is not written again: a
 * second method that is registered changes nothing of its charge.
 */
export async function updateCharges(tx: Sql, charges: readonly LivingCharge[], at: readonly Date[]): Promise<void> {
  const standings = tx.query(
    `update charges c
        set state = u.state, timing = u.timing, paid_amount = u.paid_amount, owed_cents = u.owed_cents,
            event_count = u.event_count
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::integer[])
            as u (id, account_id, state, timing, paid_amount, owed_cents, event_count)
      where c.id = any($1) and c.id = u.id and c.account_id = u.account_id
        and (c.state, c.timing, c.paid_amount, c.owed_cents, c.event_count)
            is distinct from (u.state, u.timing, u.paid_amount, u.owed_cents, u.event_count)`,
    [
      charges.map(charge => charge.id),
      charges.map(charge => charge.accountId),
      charges.map(charge => charge.state),
      charges.map(charge => charge.timing ?? null),
      charges.map(charge => charge.paidAmount ?? null),
      charges.map(charge => charge.owedCents ?? null),
      charges.map(charge => charge.eventCount),
    ],
  );
  const ways = charges.flatMap((charge, index) => charge.ways.map(way => ({ charge, way, at: at[index] })));
  const statuses = tx.query(
    `update charge_methods m set status = u.status, reason = u.reason, updated_at = u.at
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
            as u (charge_id, account_id, method, status, reason, at)
      where m.charge_id = any($1) and m.charge_id = u.charge_id and m.account_id = u.account_id and m.method = u.method and m.status <> u.status`,
    [
      ways.map(({ charge }) => charge.id),
      ways.map(({ charge }) => charge.accountId),
      ways.map(({ way }) => way.method),
      ways.map(({ way }) => way.status),
      ways.map(({ way }) => way.reason ?? null),
      ways.map(item => item.at),
    ],
  );
  await Promise.all([standings, statuses]);
}

/** Keeps what the rail gave in place of what was made up front, such as a code that it alone can make. */
export async function replaceInstrument(
  tx: Sql,
  charge: Charge,
  method: Method,
  instrument: Instruments[Method],
): Promise<void> {
  await tx.query('update charge_methods set instrument = $4 where charge_id = $1 and account_id = $2 and method = $3', [
    charge.id,
    charge.accountId,
    method,
    instrument,
  ]);
}

/** A method that is about to be sent to its rail. */
export type Submission = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly method: Method;
  readonly at: Date;
};

/**
 * Notes that methods are about to be sent. Says of each, in the order given, whether that is new. The planner must not see what it
 * looks for: its statistics know of hardly any that was not sent, and for so few it would compare each with each.
 */
export async function markSubmitted(tx: Sql, submissions: readonly Submission[]): Promise<boolean[]> {
  const rows = await tx.query<{ charge_id: string; method: Method }>(
    `update charge_methods m set submitted_at = s.at
       from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[]) as s (charge_id, account_id, method, at)
      where m.charge_id = any($1) and m.charge_id = s.charge_id and m.account_id = s.account_id and m.method = s.method
        and case when s.at is not null then m.submitted_at is null end
      returning m.charge_id, m.method`,
    [
      submissions.map(({ chargeId }) => chargeId),
      submissions.map(({ accountId }) => accountId),
      submissions.map(({ method }) => method),
      submissions.map(({ at }) => at),
    ],
  );
  const marked = new Set(rows.map(row => `${row.charge_id} ${row.method}`));
  // The same method twice in a batch is new once.
  return submissions.map(({ chargeId, method }) => marked.delete(`${chargeId} ${method}`));
}

export type StatusCount = { readonly method: string; readonly status: string; readonly count: number };

export async function countByStatus(sql: Sql): Promise<StatusCount[]> {
  const rows = await sql.query<{ method: string; status: string; count: string }>(
    'select method, status, count(*) from charge_methods group by method, status',
  );
  return rows.map(row => ({ method: row.method, status: row.status, count: Number(row.count) }));
}

type ChargeRow = Row & {
  id: string;
  account_id: string;
  external_id: string | null;
  source_key: string | null;
  amount_cents: string;
  currency: Currency;
  payable_cents: string;
  rate: string | null;
  rate_source: string | null;
  rate_at: Date | null;
  customer: Customer;
  fine_percent: string | null;
  interest_percent: string | null;
  due_at: Date;
  expire_at: Date;
  created_at: Date;
  state: ChargeState;
  timing: Timing | null;
  paid_amount: PaidAmount | null;
  owed_cents: string | null;
  event_count: number;
  transaction_id: string | null;
  committed_cents: string;
  ways: WayRow[];
  payments: PaymentRow[] | null;
  refunds: RefundRow[] | null;
};

type WayRow = {
  method: Method;
  rail: string;
  status: MethodStatus;
  instrument: Instruments[Method] | null;
  reason: string | null;
};
type PaymentRow = Omit<Payment, 'amountCents' | 'paidAt' | 'cameAfter'> & {
  amountCents: string;
  paidAt: string;
  cameAfter: CameAfter | null;
};
type RefundRow = Omit<Refund, 'amountCents' | 'createdAt' | 'reason'> & {
  amountCents: string;
  createdAt: string;
  reason: string | null;
};

function toCharge(row: ChargeRow): LivingCharge {
  return {
    id: row.id,
    accountId: row.account_id,
    amountCents: BigInt(row.amount_cents),
    currency: row.currency,
    payableCents: BigInt(row.payable_cents),
    customer: row.customer,
    dueAt: row.due_at,
    expireAt: row.expire_at,
    createdAt: row.created_at,
    state: row.state,
    eventCount: row.event_count,
    committedCents: BigInt(row.committed_cents),
    methods: row.ways.map(way => way.method),
    ways: row.ways.map(toWay),
    payments: (row.payments ?? []).map(toPayment),
    refunds: (row.refunds ?? []).map(toRefund),
    ...(row.timing !== null && { timing: row.timing }),
    ...(row.paid_amount !== null && { paidAmount: row.paid_amount }),
    ...(row.owed_cents !== null && { owedCents: BigInt(row.owed_cents) }),
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...(row.source_key !== null && { sourceKey: row.source_key }),
    ...(row.transaction_id !== null && { transactionId: row.transaction_id }),
    ...(row.fine_percent !== null && { finePercent: row.fine_percent }),
    ...(row.interest_percent !== null && { interestPercent: row.interest_percent }),
    ...(row.rate !== null &&
      row.rate_source !== null &&
      row.rate_at !== null && { lockedRate: { rate: row.rate, source: row.rate_source, at: row.rate_at } }),
  };
}

function toWay({ method, rail, status, instrument, reason }: WayRow): ChargeMethod {
  return { method, rail, status, ...(instrument && { instrument }), ...(reason !== null && { reason }) };
}

function toPayment({ cameAfter, ...row }: PaymentRow): Payment {
  return {
    ...row,
    amountCents: BigInt(row.amountCents),
    paidAt: new Date(row.paidAt),
    ...(cameAfter !== null && { cameAfter }),
  };
}

function toRefund({ reason, ...row }: RefundRow): Refund {
  return {
    ...row,
    amountCents: BigInt(row.amountCents),
    createdAt: new Date(row.createdAt),
    ...(reason !== null && { reason }),
  };
}
