// The SQL that finds charges and their money by an id of any kind. Every condition has an index.
import { uuidIn } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import { namePattern } from '../plain-name.ts';

export type FoundCharge = {
  readonly kind: 'charge' | 'unmatched';
  readonly id: string;
  /** What matched. */
  readonly by: string;
  readonly accountId?: string;
};

const MAX_FOUND = 20;

/** Charges by id, external id, txid or nosso número, a payment or its reference, or a refund; and unmatched money by its reference. */
export async function findChargesByAnyId(sql: Sql, text: string, accountId?: string): Promise<FoundCharge[]> {
  const rows = await sql.query<{ kind: FoundCharge['kind']; id: string; by: string; account_id: string | null }>(
    `select distinct kind, id, by, account_id from (
       select 'charge' as kind, id::text, 'id' as by, account_id from charges where id = $3::uuid
       union all select 'charge', id::text, 'external id', account_id from charges where external_id = $1
       union all select 'charge', charge_id::text, 'reference', account_id from charge_methods where reference in ($1, upper($1))
       union all select 'charge', charge_id::text, 'payment', account_id from payments where id = $3::uuid
       union all select 'charge', charge_id::text, 'refund', account_id from refunds where id = $3::uuid
       union all select 'charge', p.charge_id::text, 'payment', p.account_id
                   from accounts a join payments p on p.account_id = a.id and p.reference in ($1, upper($1))
       union all select 'unmatched', reference, 'reference', null from unmatched_receipts where reference in ($1, upper($1))
     ) found where $2::text is null or account_id = $2 limit ${MAX_FOUND}`,
    [text, accountId ?? null, uuidIn(text)],
  );
  return rows.map(row => ({
    kind: row.kind,
    id: row.id,
    by: row.by,
    ...(row.account_id !== null && { accountId: row.account_id }),
  }));
}

/** How many charges are searched for a part of a name, an amount or a method, newest first: these have no index. */
export const SEARCHED_CHARGES = 20_000;

/** What a text may mean besides an id. */
export type PayerSearch = { readonly name?: string; readonly document?: string; readonly amountCents?: number };

/** Charges by the payer's document; by a part of the payer's name or by the amount in reais, among the newest. */
export async function findChargesOfPayerOrAmount(
  sql: Sql,
  { name, document, amountCents }: PayerSearch,
  accountId?: string,
): Promise<FoundCharge[]> {
  if (name === undefined && document === undefined && amountCents === undefined) return [];
  const rows = await sql.query<{ id: string; by: string; account_id: string }>(
    document === undefined
      ? `with newest as (
           select id, account_id, customer, payable_cents, created_at from charges
            where $1::text is null or account_id = $1
            order by created_at desc, id desc limit ${SEARCHED_CHARGES}
         )
         select id::text, account_id, case when payable_cents = $3 then 'amount' else 'payer' end as by
           from newest
          where payable_cents = $3 or customer ->> 'name' ~ $2
          order by created_at desc, id desc limit ${MAX_FOUND}`
      : `select id::text, account_id, 'document' as by from charges
          where customer ->> 'document' = $2 and ($1::text is null or account_id = $1)
          order by created_at desc, id desc limit ${MAX_FOUND}`,
    [
      accountId ?? null,
      ...(document === undefined ? [name === undefined ? null : namePattern(name), amountCents ?? null] : [document]),
    ],
  );
  return rows.map(row => ({ kind: 'charge', id: row.id, by: row.by, accountId: row.account_id }));
}
