// Listing rules and reminders: filtered, paged, with an exact total; total and rows come from one snapshot.
import { requireCharge } from '../../charges/require.ts';
import { countPages } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { findRemindersOf } from './store.ts';
import { type ReminderQuery, readReminderPage } from './store-list.ts';
import { type RuleQuery, readRulePage } from './store-rules.ts';
import { reminderView, ruleView } from './view.ts';

export async function listRules({ db }: { readonly db: Sql }, query: RuleQuery) {
  const { rules, total } = await readRulePage(db, query);
  return { rules: rules.map(ruleView), ...countPages(total, query) };
}

export async function listReminders({ db }: { readonly db: Sql }, query: ReminderQuery) {
  const { reminders, total } = await readReminderPage(db, query);
  return { reminders: reminders.map(reminderView), ...countPages(total, query) };
}

/** The reminders of a charge that the caller may see. */
export async function listRemindersOfCharge({ db }: { readonly db: Sql }, chargeId: string, accountId?: string) {
  const charge = await requireCharge(db, chargeId, accountId);
  return { reminders: (await findRemindersOf(db, charge.id, charge.accountId)).map(reminderView) };
}
