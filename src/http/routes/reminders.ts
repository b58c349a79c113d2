// Reminders: the rules of an account, what applies to all of them, and every reminder with its outcome.
import type { FastifyInstance } from 'fastify';
import { checkPage } from '../../api/paging.ts';
import {
  ChargeReminders,
  checkRule,
  REMINDER_EXAMPLE,
  REMINDER_SETTINGS_EXAMPLE,
  REMINDERS_EXAMPLE,
  ReminderSettingsChanges,
  ReminderSettingsView,
  RemindersPage,
  RemindersQuery,
  ReminderView,
  RULE_EXAMPLE,
  RULES_EXAMPLE,
  RuleBody,
  RuleChanges,
  RulesPage,
  RulesQuery,
  RuleView,
  toNewRule,
  toRuleChanges,
} from '../../api/reminders.ts';
import { Text } from '../../api/schemas.ts';
import { changeRule, createRule, type RuleDeps, removeRule } from '../../billing/reminders/change-rules.ts';
import { changeSettings } from '../../billing/reminders/change-settings.ts';
import { listReminders, listRemindersOfCharge, listRules } from '../../billing/reminders/list.ts';
import { requireReminder, requireRule } from '../../billing/reminders/require.ts';
import { findSettings } from '../../billing/reminders/store-rules.ts';
import { reminderView, ruleView, settingsView } from '../../billing/reminders/view.ts';
import { created, LOCATION, ok } from '../server/answers.ts';
import { accountOf } from '../server/auth.ts';
import { listQuery } from '../server/list-query.ts';
import { idOf, pathOf } from '../server/path.ts';
import { defineRoute } from '../server/route.ts';

const tag = 'Reminders';
const rulePath = idOf('rule');
const accountPath = pathOf({ id: Text({ description: 'The id of the account.' }) }, { id: 'account' });

export type ReminderRouteDeps = RuleDeps & {
  readonly pageSize: number;
  /** Whether the service has a mail server. */
  readonly isMailOn: boolean;
};

export function reminderRoutes(app: FastifyInstance, deps: ReminderRouteDeps): void {
  ruleRoutes(app, deps);
  settingsRoutes(app, deps);

  defineRoute(app, {
    method: 'GET',
    url: '/reminders',
    operationId: 'listReminders',
    summary: 'List reminders',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: RemindersQuery,
    check: checkPage,
    answer: ok(RemindersPage, 'A page of reminders', REMINDERS_EXAMPLE),
    handle: async ({ query, caller }) => listReminders(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/reminders/:id',
    operationId: 'getReminder',
    summary: 'Read a reminder',
    tag,
    path: idOf('reminder'),
    answer: ok(ReminderView, 'The reminder', REMINDER_EXAMPLE),
    handle: async ({ path: { id }, caller }) => reminderView(await requireReminder(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/charges/:id/reminders',
    operationId: 'listRemindersOfCharge',
    summary: 'List the reminders of a charge',
    description: 'What was sent and what was not, with its outcome.',
    tag,
    path: idOf('charge'),
    answer: ok(ChargeReminders, 'Its reminders', { reminders: [REMINDER_EXAMPLE] }),
    handle: async ({ path: { id }, caller }) => listRemindersOfCharge(deps, id, caller?.accountId),
  });
}

function ruleRoutes(app: FastifyInstance, deps: ReminderRouteDeps): void {
  defineRoute(app, {
    method: 'POST',
    url: '/reminders/rules',
    operationId: 'createReminderRule',
    summary: 'Create a rule',
    description:
      'One for each occasion. It begins with what happens from now on: nothing is sent for moments that have passed. A person must have shown a passkey within five minutes.',
    tag,
    body: RuleBody,
    check: checkRule,
    answer: created(RuleView, 'The rule', RULE_EXAMPLE, LOCATION),
    problems: ['wrong_state'],
    handle: async ({ body }, reply) => {
      const rule = await createRule(deps, toNewRule(body));
      reply.header('location', `/reminders/rules/${rule.id}`);
      return ruleView(rule);
    },
  });

  defineRoute(app, {
    method: 'GET',
    url: '/reminders/rules',
    operationId: 'listReminderRules',
    summary: 'List rules',
    description: 'Newest first, filtered and paged, with exact totals. A page past the end is empty.',
    tag,
    query: RulesQuery,
    check: checkPage,
    answer: ok(RulesPage, 'A page of rules', RULES_EXAMPLE),
    handle: async ({ query, caller }) => listRules(deps, listQuery(query, caller, deps.pageSize)),
  });

  defineRoute(app, {
    method: 'GET',
    url: '/reminders/rules/:id',
    operationId: 'getReminderRule',
    summary: 'Read a rule',
    tag,
    path: rulePath,
    answer: ok(RuleView, 'The rule', RULE_EXAMPLE),
    handle: async ({ path: { id }, caller }) => ruleView(await requireRule(deps.db, id, caller?.accountId)),
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/reminders/rules/:id',
    operationId: 'changeReminderRule',
    summary: 'Change a rule',
    description:
      'What is not named stays. For another occasion make another rule. A person must have shown a passkey within five minutes.',
    tag,
    path: rulePath,
    body: RuleChanges,
    answer: ok(RuleView, 'The rule as it is then', RULE_EXAMPLE),
    handle: async ({ path: { id }, body, caller }) =>
      ruleView(await changeRule(deps, id, toRuleChanges(body), caller?.accountId)),
  });

  defineRoute(app, {
    method: 'DELETE',
    url: '/reminders/rules/:id',
    operationId: 'removeReminderRule',
    summary: 'Remove a rule',
    description: 'Its reminders that wait are not sent. A person must have shown a passkey within five minutes.',
    tag,
    path: rulePath,
    answer: ok(RuleView, 'The rule as it was', RULE_EXAMPLE),
    handle: async ({ path: { id }, caller }) => ruleView(await removeRule(deps, id, caller?.accountId)),
  });
}

function settingsRoutes(app: FastifyInstance, deps: ReminderRouteDeps): void {
  const answer = ok(ReminderSettingsView, 'The settings as they are then', REMINDER_SETTINGS_EXAMPLE);

  defineRoute(app, {
    method: 'GET',
    url: '/accounts/:id/reminder-settings',
    operationId: 'getReminderSettings',
    summary: 'Read what applies to all reminders of an account',
    tag,
    path: accountPath,
    answer,
    handle: async ({ path: { id: asked }, caller }) => {
      const accountId = accountOf(caller, asked);
      return settingsView(accountId, await findSettings(deps.db, accountId), deps.isMailOn);
    },
  });

  defineRoute(app, {
    method: 'PATCH',
    url: '/accounts/:id/reminder-settings',
    operationId: 'changeReminderSettings',
    summary: 'Change what applies to all reminders of an account',
    description: 'What is not named stays. A person must have shown a passkey within five minutes.',
    tag,
    path: accountPath,
    body: ReminderSettingsChanges,
    answer,
    handle: async ({ path: { id: asked }, body, caller }) => {
      const accountId = accountOf(caller, asked);
      return settingsView(accountId, await changeSettings(deps, accountId, body), deps.isMailOn);
    },
  });
}
