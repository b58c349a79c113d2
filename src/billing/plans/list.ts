// Listing plans: filtered, paged, with an exact total; total and rows come from one snapshot.
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { type PlanQuery, readPlanPage } from './store.ts';
import { planView } from './view.ts';

export async function listPlans({ db }: { readonly db: Sql }, query: PlanQuery) {
  const { plans, total } = await readPlanPage(db, query);
  return { plans: plans.map(planView), ...countPages(total, query) };
}
