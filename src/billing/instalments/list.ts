// Listing instalment plans: filtered, paged, with an exact total; total and rows come from one snapshot.
import type { Links } from '../../charges/links/links.ts';
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { type PlanQuery, readPlanPage } from './store-list.ts';
import { planView } from './view.ts';

export async function listPlans({ db, links }: { readonly db: Sql; readonly links: Links }, query: PlanQuery) {
  const { plans, total } = await readPlanPage(db, query);
  return { instalments: plans.map(plan => planView(links, plan)), ...countPages(total, query) };
}
