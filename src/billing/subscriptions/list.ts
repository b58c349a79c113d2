// Listing subscriptions and their cycles: filtered, paged, with an exact total.
import type { Links } from '../../charges/links/links.ts';
import { countPages, type PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readCyclePage, readSubscriptionPage, type SubscriptionQuery } from './store-list.ts';
import { cycleView, subscriptionView } from './view.ts';

type Deps = { readonly db: Sql };
type ListDeps = Deps & { readonly links: Links };

export async function listSubscriptions({ db, links }: ListDeps, query: SubscriptionQuery) {
  const { subscriptions, total } = await readSubscriptionPage(db, query);
  return { subscriptions: subscriptions.map(one => subscriptionView(links, one)), ...countPages(total, query) };
}

export async function listCycles({ db }: Deps, subscriptionId: string, query: PageQuery) {
  const { cycles, total } = await readCyclePage(db, subscriptionId, query);
  return { cycles: cycles.map(cycleView), ...countPages(total, query) };
}
