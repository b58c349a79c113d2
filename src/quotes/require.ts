// Finds the quote of a request, if the caller may see it.
import { noSuch } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import type { Quote } from './quote.ts';
import { findQuote } from './store.ts';

/** A caller of one account sees only its quotes; in live every quote has an account. */
export async function requireQuote(db: Sql, id: string, accountId?: string): Promise<Quote> {
  const quote = await findQuote(db, id);
  if (!quote || (accountId !== undefined && quote.accountId !== accountId)) {
    throw noSuch('quote');
  }
  return quote;
}
