// Listing instalment plans: filtered, paged, with an exact total; total and rows come from one snapshot.
import type { Links } from '../../charges/links/links.ts';
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { type InstalmentPlanQuery, readInstalmentPlanPage } from './store-list.ts';
import { instalmentPlanView } from './view.ts';

export async function listInstalmentPlans(
  { db, links }: { readonly db: Sql; readonly links: Links },
  query: InstalmentPlanQuery,
) {
  const { plans, total } = await readInstalmentPlanPage(db, query);
  return { instalments: plans.map(plan => instalmentPlanView(links, plan)), ...countPages(total, query) };
}
