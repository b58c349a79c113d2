// The SQL of quotes. There is no update: a quote never changes.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Currency } from '../lib/currency.ts';
import type { PriceInput } from '../prices/price.ts';
import type { Row, Sql } from '../storage/database.ts';
import type { Quote } from './quote.ts';

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
  const [row] = await sql.query<QuoteRow>(
    `select id, account_id, symbol, network, currency, price, fee_percent, fee_cents, cost_cents, units, network_fee_units, decimals,
            price_source, price_at, inputs, created_at, expires_at
       from quotes where id = $1`,
    [id],
  );
  return row && toQuote(row);
}

/** Locks the row of a quote until the transaction ends, so that only one order at a time checks whether it is used. */
export async function lockQuote(tx: Sql, id: string): Promise<void> {
  await tx.query('select from quotes where id = $1 for update', [id]);
}

type QuoteRow = Row & {
  id: string;
  account_id: string | null;
  symbol: AssetSymbol;
  network: Network;
  currency: Currency;
  price: string;
  fee_percent: string;
  fee_cents: string;
  cost_cents: string;
  units: string;
  network_fee_units: string;
  decimals: number;
  price_source: string;
  price_at: Date;
  inputs: PriceInput[];
  created_at: Date;
  expires_at: Date;
};

function toQuote(row: QuoteRow): Quote {
  return {
    id: row.id,
    ...(row.account_id !== null && { accountId: row.account_id }),
    symbol: row.symbol,
    network: row.network,
    currency: row.currency,
    price: row.price,
    feePercent: row.fee_percent,
    costCents: BigInt(row.cost_cents),
    feeCents: BigInt(row.fee_cents),
    units: BigInt(row.units),
    networkFeeUnits: BigInt(row.network_fee_units),
    decimals: row.decimals,
    source: row.price_source,
    priceAt: row.price_at,
    inputs: row.inputs,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
