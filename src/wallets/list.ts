// Listing wallets: filtered, paged, with an exact total; total and rows come from one snapshot.
import { invalidRequest } from '../lib/errors.ts';
import { checkPageQuery, countPages, type PageCounts } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { readWalletPage, type WalletQuery } from './store.ts';
import { type WalletView, walletView } from './view.ts';

export type WalletPage = PageCounts & { readonly wallets: readonly WalletView[] };

export async function listWallets({ db }: { db: Sql }, query: WalletQuery): Promise<WalletPage> {
  const faults = checkPageQuery(query);
  if (faults.length > 0) throw invalidRequest(faults);
  const { wallets, total } = await readWalletPage(db, query);
  return { wallets: wallets.map(walletView), ...countPages(total, query) };
}
