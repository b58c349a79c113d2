// The SQL of single customers.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Customer } from './customer.ts';
import { searchWords } from './search.ts';

const COLUMNS = `id, account_id, external_id, name, document, type, is_separate, email, phone, address, locale, notes, metadata,
  event_count, created_at, updated_at, erased_at`;
export type CustomerRow = RowOf<Customer>;
export const toCustomer = recordOf<Customer>(COLUMNS);

/** Inserts a customer; false when its id, its externalId or, unless it is separate, its document is taken. */
export async function insertCustomer(tx: Sql, customer: Customer): Promise<boolean> {
  const rows = await tx.query(
    `insert into customers (${COLUMNS}, search)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, array_to_tsvector($18::text[]))
     on conflict do nothing returning id`,
    valuesOf(customer),
  );
  return rows.length > 0;
}

/** Replaces a customer, whose row the caller has locked. Fails when its externalId or its document is taken. */
export async function updateCustomer(tx: Sql, customer: Customer): Promise<void> {
  await tx.query(
    `update customers
        set external_id = $3, name = $4, document = $5, type = $6, is_separate = $7, email = $8, phone = $9, address = $10,
            locale = $11, notes = $12, metadata = $13, event_count = $14, created_at = $15, updated_at = $16, erased_at = $17,
            search = array_to_tsvector($18::text[])
      where id = $1 and account_id = $2`,
    valuesOf(customer),
  );
}

function valuesOf(customer: Customer): unknown[] {
  return [
    customer.id,
    customer.accountId,
    customer.externalId,
    customer.name,
    customer.document,
    customer.type,
    customer.isSeparate,
    customer.email,
    customer.phone,
    customer.address && JSON.stringify(customer.address),
    customer.locale,
    customer.notes,
    customer.metadata && JSON.stringify(customer.metadata),
    customer.eventCount,
    customer.createdAt,
    customer.updatedAt,
    customer.erasedAt,
    searchWords(customer),
  ];
}

/** Also one that was erased; `accountId` restricts the search to one account. */
export async function findCustomer(sql: Sql, id: string, accountId?: string): Promise<Customer | undefined> {
  const [row] = await sql.query<CustomerRow>(
    `select ${COLUMNS} from customers where id = $1 and ($2::text is null or account_id = $2)`,
    [id, accountId ?? null],
  );
  return row && toCustomer(row);
}

/** Also those that were erased, in no particular order. */
export async function findCustomers(sql: Sql, ids: readonly string[]): Promise<Customer[]> {
  const rows = await sql.query<CustomerRow>(`select ${COLUMNS} from customers where id = any($1)`, [ids]);
  return rows.map(toCustomer);
}

export async function findAndLockCustomer(tx: Sql, id: string, accountId?: string): Promise<Customer | undefined> {
  const [row] = await tx.query<CustomerRow>(
    `select ${COLUMNS} from customers where id = $1 and ($2::text is null or account_id = $2) for update`,
    [id, accountId ?? null],
  );
  return row && toCustomer(row);
}

type Named = Pick<Customer, 'id' | 'accountId' | 'document' | 'isSeparate' | 'externalId'>;

/** Those that keep a customer from being written: with its id, its externalId or its document. */
export async function findConflicting(tx: Sql, customer: Named): Promise<Customer[]> {
  const { id, accountId, document, isSeparate, externalId } = customer;
  const rows = await tx.query<CustomerRow>(
    `select ${COLUMNS} from customers
      where account_id = $2
        and (id = $1
             or erased_at is null and external_id = $3
             or erased_at is null and document = $4 and not is_separate and not $5)`,
    [id, accountId, externalId ?? null, document, isSeparate],
  );
  return rows.map(toCustomer);
}

/** The customer that charges of the account belong to when they name this document. */
export async function findByDocument(sql: Sql, accountId: string, document: string): Promise<Customer | undefined> {
  const [row] = await sql.query<CustomerRow>(
    `select ${COLUMNS} from customers
      where account_id = $1 and document = $2 and not is_separate and erased_at is null`,
    [accountId, document],
  );
  return row && toCustomer(row);
}

/** Every customer of a payer, of any account; locked until the transaction ends, in a fixed order, when `isLocked`. */
export async function findCustomersOfPayer(sql: Sql, document: string, isLocked = false): Promise<Customer[]> {
  const rows = await sql.query<CustomerRow>(
    `select ${COLUMNS} from customers where document = $1 and erased_at is null order by id${isLocked ? ' for update' : ''}`,
    [document],
  );
  return rows.map(toCustomer);
}
