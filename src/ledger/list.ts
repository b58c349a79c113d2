// Lists balances and entries of the ledger, with every amount as exact decimal text.
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { formatAmount, type LedgerCurrency } from './currency.ts';
import type { Entry } from './entry.ts';
import { type BalanceFilter, type EntryFilter, readBalances, readEntryPage } from './store-read.ts';

/** The maximum number of balances in one answer; with more accounts, filter by account. */
export const MAX_BALANCES = 1_000;

/** Balances, and the sum of all books of each currency, including those not shown. */
export async function listBalances({ db }: { readonly db: Sql }, filter: BalanceFilter) {
  const { balances, sums } = await readBalances(db, filter, MAX_BALANCES + 1);
  return {
    balances: balances.slice(0, MAX_BALANCES).map(({ accountId, book, currency, amount }) => ({
      accountId,
      book,
      currency,
      amount: formatAmount(currency, amount),
    })),
    sums: Object.fromEntries(sums.map(({ currency, amount }) => [currency, sumText(currency, amount)])),
    hasMore: balances.length > MAX_BALANCES,
  };
}

/** Correct books sum to zero in every currency, written as plain `0`. */
function sumText(currency: LedgerCurrency, amount: bigint): string {
  return amount === 0n ? '0' : formatAmount(currency, amount);
}

export async function listEntries({ db }: { readonly db: Sql }, query: EntryFilter) {
  const { entries, total } = await readEntryPage(db, query);
  return { entries: entries.map(entryView), ...countPages(total, query) };
}

/** The API calls an order a crypto transaction. */
function entryView({ at, lines, orderId, ...entry }: Entry) {
  return {
    ...entry,
    ...(orderId !== undefined && { transactionId: orderId }),
    at: at.toISOString(),
    lines: lines.map(({ book, currency, amount }) => ({ book, currency, amount: formatAmount(currency, amount) })),
  };
}
