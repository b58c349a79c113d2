// The SQL of single charges and of batches of them.
import type { First } from '../../accounts/once.ts';
import type { Instruments, Method } from '../../rails/methods/methods.ts';
import type { Sql } from '../../storage/database.ts';
import { type Charge, methodAwaitsBank } from '../charge.ts';
import { chargeAnswer } from '../create/answer.ts';
import { toStored } from './reductions.ts';
import { CHARGE_COLUMNS, type ChargeRow, toCharge } from './row.ts';

/** A charge to be written, with its content hash. */
type NewRow = { readonly charge: Charge; readonly hash: string };

/**
 * Inserts charges with their methods, except those whose id or externalId is taken, and returns the stored answers of the inserted ones
 * by id. Waits for open transactions that have taken one of them. The fixed order of the rows prevents a deadlock of two batches.
 */
export async function insertCharges(tx: Sql, rows: readonly NewRow[]): Promise<ReadonlyMap<string, string>> {
  if (rows.length === 0) return new Map();
  const written = await tx.query<{ id: string; answer: string }>(
    INSERT_CHARGES,
    [JSON.stringify(rows.map(chargeRecord)), JSON.stringify(rows.flatMap(({ charge }) => methodRecords(charge)))],
    { name: 'insert_charges' },
  );
  return new Map(written.map(({ id, answer }) => [id, answer]));
}

/** Columns by name; PostgreSQL converts each text to the type that the statement declares. */
function chargeRecord({ charge, hash }: NewRow) {
  return {
    id: charge.id,
    account_id: charge.accountId,
    external_id: charge.externalId,
    source_key: charge.sourceKey,
    description: charge.description,
    metadata: charge.metadata,
    amount_cents: String(charge.amountCents),
    currency: charge.currency,
    payable_cents: String(charge.payableCents),
    rate: charge.lockedRate?.rate,
    rate_source: charge.lockedRate?.source,
    rate_at: charge.lockedRate?.at,
    customer: charge.customer,
    fine_percent: charge.finePercent,
    interest_percent: charge.interestPercent,
    abatement: charge.abatement && toStored(charge.abatement),
    discounts: charge.discounts?.map(toStored),
    due_at: charge.dueAt,
    expire_at: charge.expireAt,
    pix_ends_at: charge.pixEndsAt,
    content_hash: hash,
    answer: chargeAnswer(charge),
    created_at: charge.createdAt,
    state: charge.state,
    event_count: charge.eventCount,
    order_id: charge.orderId,
    customer_id: charge.customerId,
    remainder_of: charge.remainderOf,
    instalment_plan_id: charge.instalment?.planId,
    instalment_number: charge.instalment?.number,
    subscription_id: charge.subscriptionId,
    cycle_number: charge.cycleNumber,
    is_for_crypto: charge.isForCrypto ?? false,
  };
}

/** A method that awaits the bank is sent to it after the commit, so it is marked as submitted here. */
function methodRecords({ id, methods, createdAt }: Charge) {
  return methods.map(chargeMethod => {
    const { method, rail, status, reference, instrument, location, reason } = chargeMethod;
    return {
      charge_id: id,
      method,
      rail,
      status,
      reference,
      instrument,
      location,
      reason,
      submitted_at: methodAwaitsBank(chargeMethod) ? createdAt : undefined,
    };
  });
}

const INSERT_CHARGES = `
  with charge as (
    insert into charges (
      id, account_id, external_id, source_key, description, metadata, amount_cents, currency, payable_cents, rate,
      rate_source, rate_at, customer, fine_percent, interest_percent, abatement, discounts, due_at, expire_at, pix_ends_at, content_hash,
      answer, created_at, state, event_count, order_id, customer_id, remainder_of, instalment_plan_id, instalment_number,
      subscription_id, cycle_number, is_for_crypto)
    select id, account_id, external_id, source_key, description, metadata, amount_cents, currency, payable_cents, rate,
           rate_source, rate_at, customer, fine_percent, interest_percent, abatement, discounts, due_at, expire_at, pix_ends_at,
           decode(content_hash, 'hex'), answer, created_at, state, event_count, order_id, customer_id, remainder_of,
           instalment_plan_id, instalment_number, subscription_id, cycle_number, is_for_crypto
      from json_to_recordset($1) as new_charge (
             id uuid, account_id text, external_id text, source_key text, description text, metadata jsonb,
             amount_cents bigint, currency text, payable_cents bigint, rate numeric, rate_source text, rate_at timestamptz, customer jsonb,
             fine_percent numeric, interest_percent numeric, abatement jsonb, discounts jsonb, due_at timestamptz, expire_at timestamptz,
             pix_ends_at timestamptz, content_hash text, answer json, created_at timestamptz, state text, event_count integer, order_id uuid,
             customer_id uuid, remainder_of uuid, instalment_plan_id uuid, instalment_number integer,
             subscription_id uuid, cycle_number integer, is_for_crypto boolean)
     order by account_id, external_id, id
    on conflict do nothing
    returning id, account_id, created_at, answer),
  methods as (
    insert into charge_methods (
      charge_id, account_id, method, rail, status, reference, instrument, location, reason, submitted_at, updated_at)
    select charge.id, charge.account_id, method, rail, status, reference, instrument, location, reason, submitted_at,
           charge.created_at
      from charge
      join json_to_recordset($2) as new_method (
             charge_id uuid, method text, rail text, status text, reference text, instrument jsonb, location jsonb,
             reason text, submitted_at timestamptz)
        on new_method.charge_id = charge.id)
  select id, answer::text as answer from charge`;

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

const SELECT_CHARGE = `select ${CHARGE_COLUMNS} from charges c`;

/** A charge with its methods, payments and refunds; `accountId` restricts the search to one account. */
export async function findCharge(sql: Sql, id: string, accountId?: string): Promise<Charge | undefined> {
  const [row] = await sql.query<ChargeRow>(
    `${SELECT_CHARGE} where c.id = $1 and ($2::text is null or c.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toCharge(row);
}

export async function chargeExists(sql: Sql, id: string, accountId: string): Promise<boolean> {
  const rows = await sql.query('select from charges where id = $1 and account_id = $2', [id, accountId]);
  return rows.length > 0;
}

/** The account of each charge that exists. It never changes, so it may be read before the charge is locked. */
export async function findAccounts(sql: Sql, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await sql.query<{ id: string; account_id: string }>(
    'select id, account_id from charges where id = any($1)',
    [ids],
  );
  return new Map(rows.map(row => [row.id, row.account_id]));
}

/** Charges with their methods, payments and refunds, in no particular order. */
export async function findCharges(sql: Sql, ids: readonly string[]): Promise<Charge[]> {
  const rows = await sql.query<ChargeRow>(`${SELECT_CHARGE} where c.id = any($1)`, [ids]);
  return rows.map(toCharge);
}

/** Locks the rows of charges until the transaction ends, and reads them. The fixed order prevents deadlocks. */
export async function lockCharges(tx: Sql, ids: readonly string[]): Promise<Charge[]> {
  const [, charges] = await Promise.all([
    tx.query('select from charges where id = any($1) order by id for update', [ids]),
    findCharges(tx, ids),
  ]);
  return charges;
}

/**
 * Updates the state, flags and method statuses of charges; the caller holds their row locks. Rows that would not change are
 * not written: when a second method is registered, its charge stays the same.
 */
export async function updateCharges(tx: Sql, charges: readonly Charge[], at: readonly Date[]): Promise<void> {
  const chargeUpdate = tx.query(
    `update charges c
        set state = u.state, timing = u.timing, paid_amount = u.paid_amount, owed_cents = u.owed_cents,
            event_count = u.event_count, is_paid_in_part = u.is_paid_in_part, is_remainder_paid = u.is_remainder_paid,
            rests_cents = u.rests_cents, rests_returned_cents = u.rests_returned_cents
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::integer[],
                   $8::boolean[], $9::boolean[], $10::bigint[], $11::bigint[])
            as u (id, account_id, state, timing, paid_amount, owed_cents, event_count, is_paid_in_part, is_remainder_paid,
                  rests_cents, rests_returned_cents)
      where c.id = any($1) and c.id = u.id and c.account_id = u.account_id
        and (c.state, c.timing, c.paid_amount, c.owed_cents, c.event_count, c.is_paid_in_part, c.is_remainder_paid,
             c.rests_cents, c.rests_returned_cents)
            is distinct from
            (u.state, u.timing, u.paid_amount, u.owed_cents, u.event_count, u.is_paid_in_part, u.is_remainder_paid,
             u.rests_cents, u.rests_returned_cents)`,
    [
      charges.map(charge => charge.id),
      charges.map(charge => charge.accountId),
      charges.map(charge => charge.state),
      charges.map(charge => charge.timing ?? null),
      charges.map(charge => charge.paidAmount ?? null),
      charges.map(charge => charge.owedCents ?? null),
      charges.map(charge => charge.eventCount),
      charges.map(charge => charge.isPaidInPart ?? false),
      charges.map(charge => charge.remainder?.isPaid ?? false),
      charges.map(charge => charge.rests?.broughtCents ?? 0n),
      charges.map(charge => charge.rests?.returnedCents ?? 0n),
    ],
  );
  const methods = charges.flatMap((charge, index) =>
    charge.methods.map(chargeMethod => ({ charge, chargeMethod, at: at[index] })),
  );
  const methodUpdate = tx.query(
    `update charge_methods m set status = u.status, reason = u.reason, updated_at = u.at
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::timestamptz[])
            as u (charge_id, account_id, method, status, reason, at)
      where m.charge_id = any($1) and m.charge_id = u.charge_id and m.account_id = u.account_id and m.method = u.method and m.status <> u.status`,
    [
      methods.map(({ charge }) => charge.id),
      methods.map(({ charge }) => charge.accountId),
      methods.map(({ chargeMethod }) => chargeMethod.method),
      methods.map(({ chargeMethod }) => chargeMethod.status),
      methods.map(({ chargeMethod }) => chargeMethod.reason ?? null),
      methods.map(item => item.at),
    ],
  );
  await Promise.all([chargeUpdate, methodUpdate]);
}

/** An instrument that the rail has made, such as a code that only the rail can generate. */
export type NewInstrument = {
  readonly chargeId: string;
  readonly accountId: string;
  readonly method: Method;
  readonly instrument?: Instruments[Method];
};

export async function storeInstruments(tx: Sql, made: readonly NewInstrument[]): Promise<void> {
  if (made.length === 0) return;
  await tx.query(
    `update charge_methods m set instrument = made.instrument
       from unnest($1::uuid[], $2::text[], $3::text[], $4::jsonb[]) as made (charge_id, account_id, method, instrument)
      where m.charge_id = any($1) and m.charge_id = made.charge_id and m.account_id = made.account_id
        and m.method = made.method`,
    [
      made.map(({ chargeId }) => chargeId),
      made.map(({ accountId }) => accountId),
      made.map(({ method }) => method),
      made.map(({ instrument }) => JSON.stringify(instrument)),
    ],
  );
}

/** Replaces the stored answer for repeats of the request. */
export async function storeAnswers(tx: Sql, charges: readonly Charge[]): Promise<void> {
  if (charges.length === 0) return;
  await tx.query(
    `update charges c set answer = new.answer::json
       from unnest($1::uuid[], $2::text[], $3::text[]) as new (id, account_id, answer)
      where c.id = any($1) and c.id = new.id and c.account_id = new.account_id`,
    [
      charges.map(({ id }) => id),
      charges.map(({ accountId }) => accountId),
      charges.map(charge => JSON.stringify(chargeAnswer(charge))),
    ],
  );
}
