// The SQL of collections.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Collection } from './collection.ts';

const COLUMNS = `id, account_id, mandate_id, charge_id, amount_cents, due_day, status, psp_status, attempts, ending, reason, sent_at,
  cancel_asked_at, cancel_refusal, event_count, created_at, updated_at`;
const SELECTED = COLUMNS.replace(/\w+_day/g, '$&::text as $&');
const toCollection = recordOf<Collection>(COLUMNS, ['amountCents']);

/** Inserts a collection; false when one of its charge is open or has brought the money. */
export async function insertCollection(tx: Sql, collection: Collection, nextLookAt: Date): Promise<boolean> {
  const rows = await tx.query(
    `insert into mandate_collections (${COLUMNS}, next_look_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18) on conflict do nothing returning id`,
    [
      ...[collection.id, collection.accountId, collection.mandateId, collection.chargeId, collection.amountCents],
      ...[collection.dueDay, collection.status, collection.pspStatus, JSON.stringify(collection.attempts)],
      ...[collection.ending && JSON.stringify(collection.ending), collection.reason, collection.sentAt],
      ...[collection.cancelAskedAt, collection.cancelRefusal, collection.eventCount, collection.createdAt],
      ...[collection.updatedAt, nextLookAt],
    ],
  );
  return rows.length > 0;
}

/** Replaces what may change of a collection, whose row the caller has locked. */
export async function updateCollection(tx: Sql, collection: Collection, nextLookAt: Date | undefined): Promise<void> {
  await tx.query(
    `update mandate_collections
        set status = $3, psp_status = $4, attempts = $5, ending = $6, reason = $7, sent_at = $8, cancel_asked_at = $9, cancel_refusal = $10,
            event_count = $11, updated_at = $12, next_look_at = $13
      where id = $1 and account_id = $2`,
    [
      ...[collection.id, collection.accountId, collection.status, collection.pspStatus],
      ...[JSON.stringify(collection.attempts), collection.ending && JSON.stringify(collection.ending)],
      ...[collection.reason, collection.sentAt, collection.cancelAskedAt, collection.cancelRefusal],
      ...[collection.eventCount, collection.updatedAt, nextLookAt],
    ],
  );
}

export async function findCollection(sql: Sql, id: string, accountId?: string): Promise<Collection | undefined> {
  return one(sql, id, accountId, '');
}

/** Locks its row until the transaction ends. */
export async function findAndLockCollection(tx: Sql, id: string, accountId?: string): Promise<Collection | undefined> {
  return one(tx, id, accountId, 'for update');
}

async function one(sql: Sql, id: string, accountId: string | undefined, lock: string) {
  const [row] = await sql.query<RowOf<Collection>>(
    `select ${SELECTED} from mandate_collections where id = $1 and ($2::text is null or account_id = $2) ${lock}`,
    [id, accountId ?? null],
  );
  return row && toCollection(row);
}

/** The most that a mandate is shown with. */
const MAX_SHOWN = 200;

/** The newest collections of a mandate, oldest first. */
export async function findCollectionsOf(sql: Sql, mandateId: string, accountId: string): Promise<Collection[]> {
  const rows = await sql.query<RowOf<Collection>>(
    `select ${SELECTED} from mandate_collections where mandate_id = $1 and account_id = $2
      order by mandate_collections.created_at desc, id desc limit ${MAX_SHOWN}`,
    [mandateId, accountId],
  );
  return rows.map(toCollection).reverse();
}

/** The collection of a charge that is open or has brought the money. */
export async function findCollectionOfCharge(sql: Sql, chargeId: string): Promise<Collection | undefined> {
  const [row] = await sql.query<RowOf<Collection>>(
    `select ${SELECTED} from mandate_collections
      where charge_id = $1 and status in ('WAITING', 'CREATED', 'ACTIVE', 'COMPLETED')`,
    [chargeId],
  );
  return row && toCollection(row);
}

/** Whether the payer's bank pays a charge by itself: it has an open collection of a mandate that the payer has approved. */
export async function isCollected(sql: Sql, chargeId: string): Promise<boolean> {
  const rows = await sql.query(
    `select from mandate_collections c join mandates m on m.id = c.mandate_id and m.account_id = c.account_id
      where c.charge_id = $1 and c.status in ('WAITING', 'CREATED', 'ACTIVE', 'COMPLETED') and m.status = 'APPROVED'`,
    [chargeId],
  );
  return rows.length > 0;
}

/** The newest collection of a charge, whatever its end. */
export async function findLastCollectionOfCharge(sql: Sql, chargeId: string): Promise<Collection | undefined> {
  const [row] = await sql.query<RowOf<Collection>>(
    `select ${SELECTED} from mandate_collections where charge_id = $1
      order by mandate_collections.created_at desc, id desc limit 1`,
    [chargeId],
  );
  return row && toCollection(row);
}

export type CollectionRef = { readonly accountId: string; readonly collectionId: string };

export async function findCollectionRefs(sql: Sql, ids: readonly string[]): Promise<CollectionRef[]> {
  const rows = await sql.query<{ id: string; account_id: string }>(
    'select id, account_id from mandate_collections where id = any($1::uuid[])',
    [ids],
  );
  return rows.map(row => ({ collectionId: row.id, accountId: row.account_id }));
}

/** The open collections of a mandate that has ended are looked at now. */
export async function lookAtCollectionsOf(tx: Sql, mandateId: string, accountId: string, at: Date): Promise<void> {
  await tx.query(
    `update mandate_collections set next_look_at = $3
      where mandate_id = $1 and account_id = $2 and status in ('WAITING', 'CREATED', 'ACTIVE')`,
    [mandateId, accountId, at],
  );
}

/** Takes those that are due to be looked at, and has them looked at again at `next` should their job be lost. */
export async function takeDueCollections(tx: Sql, until: Date, next: Date, limit: number): Promise<CollectionRef[]> {
  const rows = await tx.query<{ id: string; account_id: string }>(
    `update mandate_collections set next_look_at = $2
      where (id, account_id) in (select id, account_id from mandate_collections where next_look_at <= $1
                                  order by next_look_at, id limit $3 for update skip locked)
     returning id, account_id`,
    [until, next, limit],
  );
  return rows.map(row => ({ collectionId: row.id, accountId: row.account_id }));
}

/** Whether any mandate or collection is due to be looked at. */
export async function hasDueLooks(sql: Sql, until: Date): Promise<boolean> {
  const [row] = await sql.query<{ has: boolean }>(
    `select exists (select from mandates where next_look_at <= $1)
         or exists (select from mandate_collections where next_look_at <= $1) as has`,
    [until],
  );
  return row!.has;
}
