// Listing wallets: filtered, paged, with an exact total; total and rows come from one snapshot.
import { countPages } from '../lib/paging.ts';
import type { Sql } from '../storage/database.ts';
import { readWalletPage, type WalletQuery } from './store.ts';
import { walletView } from './view.ts';

export async function listWallets({ db }: { readonly db: Sql }, query: WalletQuery) {
  const { wallets, total } = await readWalletPage(db, query);
  return { wallets: wallets.map(wallet => walletView(wallet)), ...countPages(total, query) };
}
