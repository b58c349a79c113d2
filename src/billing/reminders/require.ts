// The rule and the reminder that a caller names, when they are ones that the caller may see; `accountId` restricts it to one account.
import { requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Reminder } from './reminder.ts';
import type { Rule } from './rule.ts';
import { findReminder } from './store.ts';
import { findRule } from './store-rules.ts';

export async function requireRule(sql: Sql, id: string, accountId?: string): Promise<Rule> {
  return requireFound(await findRule(sql, id, accountId), 'rule');
}

/** Locks its row until the transaction ends. */
export async function lockRule(tx: Sql, id: string, accountId?: string): Promise<Rule> {
  return requireFound(await findRule(tx, id, accountId, { isLocked: true }), 'rule');
}

export async function requireReminder(sql: Sql, id: string, accountId?: string): Promise<Reminder> {
  return requireFound(await findReminder(sql, id, accountId), 'reminder');
}
