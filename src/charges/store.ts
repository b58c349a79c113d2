// All SQL of charges.
import type { Currency } from '../lib/currency.ts';
import type { Instruments, Method } from '../rails/rail.ts';
import type { Row, Sql } from '../storage/database.ts';
import { type Charge, type ChargeMethod, type Customer, METHOD_TRANSITIONS, type MethodStatus } from './charge.ts';

/** What a repeat is compared with and answered with. */
export type FirstCharge = { readonly id: string; readonly contentHash: Buffer; readonly answer: string };

/**
 * Writes the charge unless its id or its externalId is taken; waits for a transaction that is about to take them.
 * Returns false when one is.
 */
export async function insertCharge(tx: Sql, charge: Charge, contentHash: Buffer, answer: string): Promise<boolean> {
  const inserted = await tx.query(
    `insert into charges (
       id, account_id, external_id, source_key, amount_cents, currency, payable_cents, rate, rate_source, rate_at,
       customer, fine_percent, interest_percent, due_at, expire_at, content_hash, answer, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)
     on conflict do nothing
     returning id`,
    [
      charge.id,
      charge.accountId,
      charge.externalId,
      charge.sourceKey,
      charge.amountCents,
      charge.currency,
      charge.payableCents,
      charge.lockedRate?.rate,
      charge.lockedRate?.source,
      charge.lockedRate?.at,
      charge.customer,
      charge.finePercent,
      charge.interestPercent,
      charge.dueAt,
      charge.expireAt,
      contentHash,
      answer,
      charge.createdAt,
    ],
  );
  return inserted.length > 0;
}

export async function insertMethods(tx: Sql, charge: Charge, methods: readonly ChargeMethod[]): Promise<void> {
  for (const { method, rail, status, instrument, reason } of methods) {
    await tx.query(
      `insert into charge_methods (charge_id, account_id, method, rail, status, instrument, reason, updated_at)
       values ($1, $2, $3, $4, $5, $6, $7, $8)`,
      [charge.id, charge.accountId, method, rail, status, instrument, reason, charge.createdAt],
    );
  }
}

export async function findByExternalId(
  tx: Sql,
  accountId: string,
  externalId: string,
): Promise<FirstCharge | undefined> {
  const rows = await tx.query<FirstChargeRow>(
    `select id, content_hash, answer::text as answer from charges where account_id = $1 and external_id = $2`,
    [accountId, externalId],
  );
  return rows[0] && toFirstCharge(rows[0]);
}

export async function findFirstById(tx: Sql, accountId: string, id: string): Promise<FirstCharge | undefined> {
  const rows = await tx.query<FirstChargeRow>(
    `select id, content_hash, answer::text as answer from charges where id = $1 and account_id = $2`,
    [id, accountId],
  );
  return rows[0] && toFirstCharge(rows[0]);
}

type FirstChargeRow = { id: string; content_hash: Buffer; answer: string };

function toFirstCharge(row: FirstChargeRow): FirstCharge {
  return { id: row.id, contentHash: row.content_hash, answer: row.answer };
}

export type KeyUse = { readonly contentHash: Buffer; readonly chargeId: string; readonly accountId: string };

/** Takes an idempotency key for a charge; when it is taken, waits until its holder is done and returns what it was used for. */
export async function takeKey(tx: Sql, scope: string, key: string, use: KeyUse, at: Date): Promise<KeyUse | undefined> {
  const taken = await tx.query(
    `insert into idempotency_keys (scope, key, content_hash, charge_id, account_id, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (scope, key) do nothing
     returning key`,
    [scope, key, use.contentHash, use.chargeId, use.accountId, at],
  );
  return taken.length > 0 ? undefined : findKeyUse(tx, scope, key);
}

/** What a key was used for, when it was. */
export async function findKeyUse(sql: Sql, scope: string, key: string): Promise<KeyUse | undefined> {
  const [row] = await sql.query<{ content_hash: Buffer; charge_id: string; account_id: string }>(
    `select content_hash, charge_id, account_id from idempotency_keys where scope = $1 and key = $2`,
    [scope, key],
  );
  return row && { contentHash: row.content_hash, chargeId: row.charge_id, accountId: row.account_id };
}

/** Lets a key that was just taken stand for the charge that was there before. */
export async function pointKeyAt(tx: Sql, scope: string, key: string, chargeId: string): Promise<void> {
  await tx.query('update idempotency_keys set charge_id = $3 where scope = $1 and key = $2', [scope, key, chargeId]);
}

export type StoredCharge = Charge & { readonly methods: readonly Method[]; readonly ways: readonly ChargeMethod[] };

/** A charge with all its methods; `accountId` narrows it to one account's. */
export async function findCharge(sql: Sql, id: string, accountId?: string): Promise<StoredCharge | undefined> {
  const [row] = await sql.query<ChargeRow>(
    `select c.id, c.account_id, c.external_id, c.source_key, c.amount_cents, c.currency, c.payable_cents,
            trim_scale(c.rate) as rate, c.rate_source, c.rate_at, c.customer,
            trim_scale(c.fine_percent) as fine_percent, trim_scale(c.interest_percent) as interest_percent,
            c.due_at, c.expire_at, c.created_at,
            (select json_agg(json_build_object('method', m.method, 'rail', m.rail, 'status', m.status,
                                               'instrument', m.instrument, 'reason', m.reason) order by m.method)
               from charge_methods m
              where m.charge_id = c.id and m.account_id = c.account_id) as ways
       from charges c
      where c.id = $1 and ($2::text is null or c.account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toCharge(row);
}

/** Notes that a method is about to be sent to its rail. Returns false when it had been noted before. */
export async function markSubmitted(tx: Sql, charge: Charge, method: Method, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `update charge_methods set submitted_at = $4
      where charge_id = $1 and account_id = $2 and method = $3 and submitted_at is null
      returning method`,
    [charge.id, charge.accountId, method, at],
  );
  return rows.length > 0;
}

type Change = { readonly to: MethodStatus; readonly at: Date; readonly reason?: string };

/** Moves a method to a status that its present one leads to. Returns false when somebody was first: the row is the judge. */
export async function changeStatus(
  tx: Sql,
  charge: Charge,
  method: Method,
  { to, at, reason }: Change,
): Promise<boolean> {
  const rows = await tx.query(
    `update charge_methods set status = $4, reason = $5, updated_at = $6
      where charge_id = $1 and account_id = $2 and method = $3 and status = any($7)
      returning method`,
    [charge.id, charge.accountId, method, to, reason, at, statusesLeadingTo(to)],
  );
  return rows.length > 0;
}

function statusesLeadingTo(to: MethodStatus): string[] {
  return Object.entries(METHOD_TRANSITIONS).flatMap(([from, targets]) =>
    (targets as readonly MethodStatus[]).includes(to) ? [from] : [],
  );
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
  ways: WayRow[];
};

type WayRow = {
  method: Method;
  rail: string;
  status: MethodStatus;
  instrument: Instruments[Method] | null;
  reason: string | null;
};

function toCharge(row: ChargeRow): StoredCharge {
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
    methods: row.ways.map(way => way.method),
    ways: row.ways.map(toWay),
    ...(row.external_id !== null && { externalId: row.external_id }),
    ...(row.source_key !== null && { sourceKey: row.source_key }),
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
