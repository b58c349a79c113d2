// The rule and the reminder that a caller names, when they are ones that the caller may see; `accountId` restricts it to one account.
import { AppError } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Reminder } from './reminder.ts';
import type { Rule } from './rule.ts';
import { findReminder } from './store.ts';
import { findRule } from './store-rules.ts';

export async function requireRule(sql: Sql, id: string, accountId?: string): Promise<Rule> {
  return found(await findRule(sql, id, accountId), 'rule');
}

/** Locks its row until the transaction ends. */
export async function lockRule(tx: Sql, id: string, accountId?: string): Promise<Rule> {
  return found(await findRule(tx, id, accountId, { isLocked: true }), 'rule');
}

export async function requireReminder(sql: Sql, id: string, accountId?: string): Promise<Reminder> {
  return found(await findReminder(sql, id, accountId), 'reminder');
}

function found<T>(object: T | undefined, name: string): T {
  if (!object) throw new AppError('not_found', `There is no such ${name}.`);
  return object;
}
