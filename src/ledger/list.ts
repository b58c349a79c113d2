// The ledger as it is shown: balances and entries, with every amount as exact decimal text.
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery, countPages, type PageCounts } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { formatAmount, type LedgerCurrency } from './currency.ts';
import type { Entry, Line } from './entry.ts';
import { type Balance, type BalanceFilter, type EntryFilter, readBalances, readEntryPage } from './store-read.ts';

type Shown<T extends { amount: bigint }> = Omit<T, 'amount'> & { readonly amount: string };

export type BalancesView = {
  readonly balances: readonly Shown<Balance>[];
  /** What the books of each currency sum to, those not shown included. */
  readonly sums: { readonly [currency: string]: string };
  readonly hasMore: boolean;
};

/** As many as are shown at once; more accounts than that are asked for one by one. */
export const MAX_BALANCES = 1_000;

export async function listBalances({ db }: { db: Sql }, filter: BalanceFilter): Promise<BalancesView> {
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

/** Books that are right sum to a plain zero in every currency. */
function sumText(currency: LedgerCurrency, amount: bigint): string {
  return amount === 0n ? '0' : formatAmount(currency, amount);
}

export type EntryView = Omit<Entry, 'at' | 'lines'> & { readonly at: string; readonly lines: readonly Shown<Line>[] };

export type EntryPage = PageCounts & { readonly entries: readonly EntryView[] };

export async function listEntries({ db }: { db: Sql }, query: EntryFilter): Promise<EntryPage> {
  const faults = checkPageQuery(query);
  if (faults.length > 0) throw invalidRequest(faults);
  const { entries, total } = await readEntryPage(db, query);
  return { entries: entries.map(entryView), ...countPages(total, query) };
}

function entryView({ at, lines, ...entry }: Entry): EntryView {
  return {
    ...entry,
    at: at.toISOString(),
    lines: lines.map(({ book, currency, amount }) => ({ book, currency, amount: formatAmount(currency, amount) })),
  };
}
