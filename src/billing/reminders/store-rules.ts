// The SQL of rules and of the settings of an account.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { PageQuery } from '../../lib/paging.ts';
import type { Sql } from '../../storage/database.ts';
import { readNewest } from '../../storage/read-newest.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Occasion, Progress, Rule } from './rule.ts';
import { DEFAULT_SETTINGS, type OwnTexts, type ReminderSettings } from './settings.ts';

const COLUMNS = 'id, account_id, occasion, days, channels, locale, is_enabled, created_at, updated_at';
type RuleRow = RowOf<Rule>;
const toRule = recordOf<Rule>(COLUMNS);

/** Inserts a rule; false when the account has one for the same occasion. */
export async function insertRule(tx: Sql, rule: Rule, progress: Progress): Promise<boolean> {
  const rows = await tx.query(
    `insert into reminder_rules (${COLUMNS}, done_until, next_at, feed_position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) on conflict do nothing returning id`,
    [
      ...[rule.id, rule.accountId, rule.occasion, rule.days, rule.channels, rule.locale, rule.isEnabled],
      ...[rule.createdAt, rule.updatedAt, progress.doneUntil, progress.nextAt, progress.feedPosition],
    ],
  );
  return rows.length > 0;
}

/** Replaces what may change of a rule, whose row the caller has locked. It goes on from where it is unless a progress is given. */
export async function updateRule(tx: Sql, rule: Rule, progress?: Progress): Promise<void> {
  const { id, accountId, channels, locale, isEnabled, updatedAt } = rule;
  await tx.query(
    'update reminder_rules set channels = $3, locale = $4, is_enabled = $5, updated_at = $6 where id = $1 and account_id = $2',
    [id, accountId, channels, locale, isEnabled, updatedAt],
  );
  if (progress) await moveRule(tx, rule, progress);
}

/** Replaces how far a rule has come. */
export async function moveRule(tx: Sql, { id, accountId }: Pick<Rule, 'id' | 'accountId'>, progress: Progress) {
  await tx.query(
    `update reminder_rules
        set done_until = $3, done_due_at = $4, done_charge_id = $5, next_at = $6, feed_position = $7
      where id = $1 and account_id = $2`,
    [
      ...[id, accountId, progress.doneUntil, progress.doneDueAt, progress.doneChargeId],
      ...[progress.nextAt, progress.feedPosition],
    ],
  );
}

export async function deleteRule(tx: Sql, { id, accountId }: Pick<Rule, 'id' | 'accountId'>): Promise<void> {
  await tx.query('delete from reminder_rules where id = $1 and account_id = $2', [id, accountId]);
}

/** `accountId` restricts the search to one account. */
export async function findRule(
  sql: Sql,
  id: string,
  accountId?: string,
  { isLocked = false } = {},
): Promise<Rule | undefined> {
  const [row] = await sql.query<RuleRow>(
    `select ${COLUMNS} from reminder_rules
      where id = $1 and ($2::text is null or account_id = $2)${isLocked ? ' for update' : ''}`,
    [id, accountId ?? null],
  );
  return row && toRule(row);
}

export async function countRulesOf(sql: Sql, accountId: string): Promise<number> {
  const [row] = await sql.query<{ count: string }>('select count(*) from reminder_rules where account_id = $1', [
    accountId,
  ]);
  return Number(row!.count);
}

/** Whether the account still wants reminders of this occasion. */
export async function isRuleOn(
  sql: Sql,
  accountId: string,
  { occasion, days }: { readonly occasion: Occasion; readonly days: number },
): Promise<boolean> {
  const rows = await sql.query(
    'select from reminder_rules where account_id = $1 and occasion = $2 and days = $3 and is_enabled',
    [accountId, occasion, days],
  );
  return rows.length > 0;
}

export type RuleQuery = PageQuery & { readonly accountId?: string };

/** A page of rules, newest first, and their total number. */
export async function readRulePage(sql: Sql, query: RuleQuery): Promise<{ rules: Rule[]; total: number }> {
  const { rows, total } = await readNewest(sql, query, {
    from: 'reminder_rules',
    columns: COLUMNS,
    equals: { account_id: query.accountId },
    read: toRule,
  });
  return { rules: rows, total };
}

export type DueRule = Rule & Pick<Progress, 'doneDueAt' | 'doneChargeId'> & { readonly doneUntil: CivilDay };
const DUE_COLUMNS = `${COLUMNS}, done_until::text as done_until, done_due_at, done_charge_id`;
const toDueRule = recordOf<DueRule>(DUE_COLUMNS);

export async function hasDueRule(sql: Sql, until: Date): Promise<boolean> {
  const rows = await sql.query('select from reminder_rules where next_at <= $1 limit 1', [until]);
  return rows.length > 0;
}

/** The rule whose next day is the longest due. The caller holds the sweep lock. */
export async function findDueRule(tx: Sql, until: Date): Promise<DueRule | undefined> {
  const [row] = await tx.query<RowOf<DueRule>>(
    `select ${DUE_COLUMNS} from reminder_rules
      where next_at <= $1 order by next_at, id limit 1 for update`,
    [until],
  );
  return row && toDueRule(row);
}

/** The enabled rules of an account about due days, locked until the transaction ends. */
export async function lockRulesAboutDays(tx: Sql, accountId: string): Promise<DueRule[]> {
  const rows = await tx.query<RowOf<DueRule>>(
    `select ${DUE_COLUMNS} from reminder_rules
      where account_id = $1 and next_at is not null order by id for update`,
    [accountId],
  );
  return rows.map(toDueRule);
}

type SettingsRow = {
  readonly send_at: string;
  readonly quiet_from: string | null;
  readonly quiet_until: string | null;
  readonly texts: OwnTexts;
};

export async function findSettings(sql: Sql, accountId: string): Promise<ReminderSettings> {
  const [row] = await sql.query<SettingsRow>(
    'select send_at, quiet_from, quiet_until, texts from reminder_settings where account_id = $1',
    [accountId],
  );
  if (!row) return DEFAULT_SETTINGS;
  const { send_at: sendAt, quiet_from: from, quiet_until: until, texts } = row;
  return { sendAt, texts, ...(from !== null && until !== null && { quietHours: { from, until } }) };
}

export async function storeSettings(tx: Sql, accountId: string, settings: ReminderSettings, at: Date): Promise<void> {
  const { sendAt, quietHours, texts } = settings;
  await tx.query(
    `insert into reminder_settings (account_id, send_at, quiet_from, quiet_until, texts, updated_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (account_id) do update
        set (send_at, quiet_from, quiet_until, texts, updated_at)
          = (excluded.send_at, excluded.quiet_from, excluded.quiet_until, excluded.texts, excluded.updated_at)`,
    [accountId, sendAt, quietHours?.from, quietHours?.until, JSON.stringify(texts), at],
  );
}

/** Every enabled rule of every account. */
export async function findEnabledRules(sql: Sql): Promise<Rule[]> {
  const rows = await sql.query<RuleRow>(`select ${COLUMNS} from reminder_rules where is_enabled order by id`);
  return rows.map(toRule);
}
