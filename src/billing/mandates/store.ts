// The SQL of single mandates.
import type { Recurrence, RecurrenceLocation } from '../../rails/automatic.ts';
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Mandate, PayerAccount } from './mandate.ts';

/** A mandate with what only the work on it needs. Not in any view. */
export type MandateRecord = Mandate & {
  readonly locationId?: RecurrenceLocation['id'];
  readonly payerAccount?: PayerAccount;
  readonly asksUntil?: Date;
  readonly requestId?: string;
  readonly askedAt?: Date;
  readonly firstSentAt?: Date;
  readonly sentAt?: Date;
};

const COLUMNS = `id, account_id, customer_id, external_id, rail, journey, approved_by, contract, description, period,
  first_day, last_day, amount_cents, minimum_cents, allows_retries, charge_id, status, psp_status, recurrence_id, emv, ending, reason,
  location_id, payer_account, asks_until, request_id, asked_at, first_sent_at, sent_at, cancel_asked_at, cancel_refusal, event_count,
  created_at, updated_at`;

/** The select list: days as text. */
export const MANDATE_COLUMNS = COLUMNS.replace(/\w+_day/g, '$&::text as $&');
type MandateRow = RowOf<MandateRecord>;
export const toMandate = recordOf<MandateRecord>(COLUMNS, ['amountCents', 'minimumCents']);

type Insert = { readonly mandate: MandateRecord; readonly contentHash: string; readonly nextLookAt: Date };

/** Inserts a mandate; false when its id or its externalId is taken. */
export async function insertMandate(tx: Sql, { mandate, contentHash, nextLookAt }: Insert): Promise<boolean> {
  const rows = await tx.query(
    `insert into mandates (${COLUMNS}, next_look_at, content_hash)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24, $25, $26,
             $27, $28, $29, $30, $31, $32, $33, $34, $35, decode($36, 'hex'))
     on conflict do nothing returning id`,
    [...valuesOf(mandate), nextLookAt, contentHash],
  );
  return rows.length > 0;
}

/** Replaces what may change of a mandate, whose row the caller has locked. `nextLookAt` undefined: never again. */
export async function updateMandate(tx: Sql, mandate: MandateRecord, nextLookAt: Date | undefined): Promise<void> {
  await tx.query(
    `update mandates
        set approved_by = $3, status = $4, psp_status = $5, recurrence_id = $6, emv = $7, ending = $8, reason = $9, location_id = $10,
            payer_account = $11, request_id = $12, asked_at = $13, first_sent_at = $14, sent_at = $15, cancel_asked_at = $16,
            cancel_refusal = $17, event_count = $18, updated_at = $19, next_look_at = $20
      where id = $1 and account_id = $2`,
    [
      mandate.id,
      mandate.accountId,
      mandate.approvedBy,
      mandate.status,
      mandate.pspStatus,
      mandate.recurrenceId,
      mandate.emv,
      mandate.ending && JSON.stringify(mandate.ending),
      mandate.reason,
      mandate.locationId,
      mandate.payerAccount && JSON.stringify(mandate.payerAccount),
      mandate.requestId,
      mandate.askedAt,
      mandate.firstSentAt,
      mandate.sentAt,
      mandate.cancelAskedAt,
      mandate.cancelRefusal,
      mandate.eventCount,
      mandate.updatedAt,
      nextLookAt,
    ],
  );
}

function valuesOf(mandate: MandateRecord): unknown[] {
  return [
    ...[mandate.id, mandate.accountId, mandate.customerId, mandate.externalId, mandate.rail, mandate.journey],
    ...[mandate.approvedBy, mandate.contract, mandate.description, mandate.period, mandate.firstDay, mandate.lastDay],
    ...[mandate.amountCents, mandate.minimumCents, mandate.allowsRetries, mandate.chargeId, mandate.status],
    ...[mandate.pspStatus, mandate.recurrenceId, mandate.emv, mandate.ending && JSON.stringify(mandate.ending)],
    ...[mandate.reason, mandate.locationId, mandate.payerAccount && JSON.stringify(mandate.payerAccount)],
    ...[mandate.asksUntil, mandate.requestId, mandate.askedAt, mandate.firstSentAt, mandate.sentAt],
    ...[mandate.cancelAskedAt, mandate.cancelRefusal, mandate.eventCount, mandate.createdAt, mandate.updatedAt],
  ];
}

/** `accountId` restricts the search to one account. */
export async function findMandate(sql: Sql, id: string, accountId?: string): Promise<MandateRecord | undefined> {
  return one(sql, id, accountId, '');
}

/** Locks its row until the transaction ends. */
export async function findAndLockMandate(tx: Sql, id: string, accountId?: string): Promise<MandateRecord | undefined> {
  return one(tx, id, accountId, 'for update');
}

async function one(sql: Sql, id: string, accountId: string | undefined, lock: string) {
  const [row] = await sql.query<MandateRow>(
    `select ${MANDATE_COLUMNS} from mandates where id = $1 and ($2::text is null or account_id = $2) ${lock}`,
    [id, accountId ?? null],
  );
  return row && toMandate(row);
}

/** Those of these customers, oldest first. */
export async function findMandatesOfCustomers(sql: Sql, customerIds: readonly string[]): Promise<MandateRecord[]> {
  const rows = await sql.query<MandateRow>(
    `select ${MANDATE_COLUMNS} from mandates where customer_id = any($1::uuid[]) order by created_at, id`,
    [customerIds],
  );
  return rows.map(toMandate);
}

export type MandateRef = { readonly accountId: string; readonly mandateId: string };

/** The mandates of rails with the same list that have these recurrences. */
export async function findMandatesOf(
  sql: Sql,
  rails: readonly string[],
  recurrenceIds: readonly string[],
): Promise<(MandateRef & { readonly recurrenceId: string })[]> {
  const rows = await sql.query<{ id: string; account_id: string; recurrence_id: string }>(
    'select id, account_id, recurrence_id from mandates where rail = any($1) and recurrence_id = any($2)',
    [rails, recurrenceIds],
  );
  return rows.map(row => ({ mandateId: row.id, accountId: row.account_id, recurrenceId: row.recurrence_id }));
}

/**
 * Those of these recurrences that no mandate has, at any rail: a PSP lists them for a whole receiver. One that a mandate of rails with this
 * list may still get, because its answer is missing, is not among them.
 */
export async function findWithoutMandate(
  sql: Sql,
  rails: readonly string[],
  recurrences: readonly Pick<Recurrence, 'id' | 'contract'>[],
): Promise<Set<string>> {
  const rows = await sql.query<{ id: string }>(
    `select r.id from unnest($2::text[], $3::text[]) as r (id, contract)
      where not exists (select from mandates m where m.rail in (select name from rails) and m.recurrence_id = r.id)
        and not exists (select from mandates m
                         where m.status = 'CREATING' and m.recurrence_id is null and m.rail = any($1) and m.contract = r.contract)`,
    [rails, recurrences.map(({ id }) => id), recurrences.map(({ contract }) => contract ?? null)],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether another mandate of the rail waits for its recurrence, under the same contract. */
export async function hasOtherWithContract(
  sql: Sql,
  { id, rail, contract }: Pick<MandateRecord, 'id' | 'rail' | 'contract'>,
): Promise<boolean> {
  const [row] = await sql.query<{ has: boolean }>(
    `select exists (select from mandates
                     where status = 'CREATING' and recurrence_id is null and rail = $1 and contract = $2 and id <> $3) as has`,
    [rail, contract, id],
  );
  return row!.has;
}

/** Takes those that are due to be looked at, and has them looked at again at `next` should their job be lost. */
export async function takeDueMandates(tx: Sql, until: Date, next: Date, limit: number): Promise<MandateRef[]> {
  const rows = await tx.query<{ id: string; account_id: string }>(
    `update mandates set next_look_at = $2
      where (id, account_id) in (select id, account_id from mandates where next_look_at <= $1
                                  order by next_look_at, id limit $3 for update skip locked)
     returning id, account_id`,
    [until, next, limit],
  );
  return rows.map(row => ({ mandateId: row.id, accountId: row.account_id }));
}
