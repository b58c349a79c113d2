// The SQL of quotes. There is no update: a quote never changes.
import type { Sql } from '../storage/database.ts';
import { type RowOf, recordOf } from '../storage/records.ts';
import type { Quote } from './quote.ts';

const COLUMNS = `id, account_id, symbol, network, currency, price, fee_percent, fee_cents, cost_cents, units, network_fee_units, decimals,
  price_source as source, price_at, inputs, created_at, expires_at`;
const toQuote = recordOf<Quote>(COLUMNS, ['feeCents', 'costCents', 'units', 'networkFeeUnits']);

/** Inserts a quote, unless its id exists: then a retry has inserted it before. */
export async function insertQuote(tx: Sql, quote: Quote): Promise<void> {
  await tx.query(
    `insert into quotes (id, account_id, symbol, network, currency, price, fee_percent, fee_cents, cost_cents, units,
                         network_fee_units, decimals, price_source, price_at, inputs, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)
     on conflict (id) do nothing`,
    [
      quote.id,
      quote.accountId,
      quote.symbol,
      quote.network,
      quote.currency,
      quote.price,
      quote.feePercent,
      quote.feeCents,
      quote.costCents,
      quote.units,
      quote.networkFeeUnits,
      quote.decimals,
      quote.source,
      quote.priceAt,
      JSON.stringify(quote.inputs),
      quote.createdAt,
      quote.expiresAt,
    ],
  );
}

export async function findQuote(sql: Sql, id: string): Promise<Quote | undefined> {
  const [row] = await sql.query<RowOf<Quote>>(`select ${COLUMNS} from quotes where id = $1`, [id]);
  return row && toQuote(row);
}

/** Locks the row of a quote until the transaction ends, so that only one order at a time checks whether it is used. */
export async function lockQuote(tx: Sql, id: string): Promise<void> {
  await tx.query('select from quotes where id = $1 for update', [id]);
}
