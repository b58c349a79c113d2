// The quote that a caller names, when it is one that the caller may see.
import { AppError } from '../lib/errors.ts';
import type { Sql } from '../storage/database.ts';
import type { Quote } from './quote.ts';
import { findQuote } from './store.ts';

/** A caller with an account sees the quotes of that account alone; in live every quote has one. */
export async function requireQuote(db: Sql, id: string, accountId?: string): Promise<Quote> {
  const quote = await findQuote(db, id);
  if (!quote || (accountId !== undefined && quote.accountId !== accountId)) {
    throw new AppError('not_found', 'There is no such quote.');
  }
  return quote;
}
