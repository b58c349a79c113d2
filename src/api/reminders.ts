// Reminders: the rules of an account, what applies to all of them, and every reminder with its outcome.
import { type Static, Type } from 'typebox';
import { LOCALES } from '../billing/customers/customer.ts';
import type { RuleChanges as Changes, NewRule } from '../billing/reminders/change-rules.ts';
import { LOCAL_TIME_PATTERN } from '../billing/reminders/local-time.ts';
import { REMINDER_STATUSES } from '../billing/reminders/reminder.ts';
import { CHANNELS, MAX_DAYS, OCCASIONS } from '../billing/reminders/rule.ts';
import type { Fault } from '../lib/errors.ts';
import { ONE_PAGE, pageCounts, pageParameters } from './paging.ts';
import { AccountId, DateTime, Day, OneOf, optional, orNull, Ref, Text, Uuid } from './schemas.ts';
import type { DeepPartial } from './wire.ts';

const WHEN =
  'Days before the due day, on the due day, days after it; once the charge is paid; when it could not be issued, or a collection by Pix Automático failed.';
const when = OneOf(OCCASIONS, { description: WHEN });
const days = Type.Integer({ minimum: 1, maximum: MAX_DAYS, description: 'Before or after the due day.' });
const channels = Type.Array(OneOf(CHANNELS), {
  minItems: 1,
  maxItems: CHANNELS.length,
  uniqueItems: true,
  description: '`email`: a mail to the payer. `event`: the event `reminder.due`, for channels of your own.',
});
const locale = OneOf(LOCALES, { description: 'The language of the mail; that of the customer when absent.' });
const enabled = Type.Boolean({ description: 'False: the rule waits. Enabled again, it begins anew.' });

export const RuleBody = Type.Object(
  {
    accountId: AccountId({ description: 'The account whose payers are reminded.' }),
    when,
    channels,
    ...optional({ days, locale }),
    enabled: Type.Optional({ ...enabled, default: true }),
  },
  {
    $id: 'NewReminderRule',
    additionalProperties: false,
    examples: [{ accountId: 'acme', when: 'before', days: 3, channels: ['email', 'event'] }],
  },
);
export type RuleBody = Static<typeof RuleBody>;

export const RuleChanges = Type.Object(
  { ...optional({ channels, enabled }), locale: orNull(locale) },
  { $id: 'ReminderRuleChanges', additionalProperties: false, examples: [{ enabled: false }] },
);
export type RuleChanges = Static<typeof RuleChanges>;

export const RuleView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.String(),
    when,
    days: Type.Optional(days),
    channels,
    locale: Type.Optional(locale),
    enabled,
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  { $id: 'ReminderRule', additionalProperties: false },
);

export const RulesQuery = Type.Object(
  { accountId: Type.Optional(Text({ description: 'Only rules of this account.' })), ...pageParameters },
  { additionalProperties: false },
);

export const RulesPage = Type.Object(
  { rules: Type.Array(Ref(RuleView)), ...pageCounts },
  { $id: 'ReminderRulesPage', additionalProperties: false },
);

const LocalTime = (description: string) => Type.String({ pattern: LOCAL_TIME_PATTERN, description });
const sendAt = LocalTime('When reminders of due days are sent: a time in São Paulo, `HH:MM`.');
const quietHours = Type.Object(
  { from: LocalTime('`HH:MM` in São Paulo.'), until: LocalTime('May be earlier than `from`: they span midnight.') },
  { additionalProperties: false, description: 'Nothing is sent in these hours; it waits for their end.' },
);

export const MAX_SUBJECT_LENGTH = 120;
export const MAX_INTRO_LENGTH = 1_000;

const OwnText = Type.Object(
  {
    subject: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_SUBJECT_LENGTH,
        pattern: '^[^\\r\\n]*\\S[^\\r\\n]*$',
        'x-storable': true,
      }),
    ),
    intro: Type.Optional(Text({ maxLength: MAX_INTRO_LENGTH })),
  },
  { additionalProperties: false },
);
const ofOccasions = Type.Object(
  Object.fromEntries(OCCASIONS.map(name => [name, Type.Optional(OwnText)])) as Record<
    (typeof OCCASIONS)[number],
    ReturnType<typeof Type.Optional<typeof OwnText>>
  >,
  { additionalProperties: false },
);
const texts = Type.Object(
  { 'pt-BR': Type.Optional(ofOccasions), en: Type.Optional(ofOccasions) },
  {
    additionalProperties: false,
    description: 'Own subjects and first paragraphs, by language and occasion; they are replaced as a whole.',
  },
);

export const ReminderSettingsChanges = Type.Object(
  { ...optional({ sendAt, texts }), quietHours: orNull(quietHours) },
  {
    $id: 'ReminderSettingsChanges',
    additionalProperties: false,
    examples: [{ sendAt: '10:00', quietHours: { from: '21:00', until: '09:00' } }],
  },
);

export const ReminderSettingsView = Type.Object(
  {
    accountId: Type.String(),
    sendAt,
    quietHours: Type.Union([quietHours, Type.Null()]),
    texts,
    mailEnabled: Type.Boolean({
      description: 'False: the service has no mail server, and no mail is sent. See TRILHO_SMTP_HOST.',
    }),
  },
  { $id: 'ReminderSettings', additionalProperties: false },
);

export const ReminderView = Type.Object(
  {
    id: Uuid(),
    accountId: Type.String(),
    chargeId: Uuid(),
    when,
    days: Type.Optional(days),
    dueDay: Type.Optional(Day({ description: 'The due day that it is about.' })),
    channels,
    locale: Type.Optional(locale),
    status: OneOf(REMINDER_STATUSES, {
      description:
        'SENT: the mail server has taken the mail. ANNOUNCED: its only channel is the event. SKIPPED: it was no longer right, or could not be sent. UNKNOWN: the service or the connection ended while it was sent, so it may have arrived; it is not sent again.',
    }),
    cause: Type.Optional(
      Type.String({
        description:
          'Why it was skipped (`paid`, `not_paid`, `charge_ended`, `due_day_changed`, `collected`, `rule_off`, `opted_out`, `no_address`, `mail_off`, `too_late`, `restored`), that its mail could not be made (`not_composed`), or the code of the mail server or the connection; `sender_refused` and `login_refused` before the code of an answer are about the settings of the service.',
      }),
    ),
    attempts: Type.Integer({ minimum: 0, description: 'How often its mail was given to the mail server.' }),
    amountCents: Type.Optional(Type.Integer({ minimum: 0, description: 'What was asked for on that day, in reais.' })),
    checkoutUrl: Type.Optional(
      Type.String({ description: 'Only in `reminder.due`: where the payer sees and pays the charge.' }),
    ),
    scheduledAt: DateTime({ description: 'Not sent before: its moment, or the end of the quiet hours.' }),
    createdAt: DateTime(),
    updatedAt: DateTime(),
  },
  { $id: 'Reminder', additionalProperties: false },
);

export const RemindersQuery = Type.Object(
  {
    accountId: Type.Optional(Text({ description: 'Only reminders of this account.' })),
    status: Type.Optional(OneOf(REMINDER_STATUSES, { description: 'Only reminders in this state.' })),
    chargeId: Type.Optional(Uuid({ description: 'Only reminders of this charge.' })),
    ...pageParameters,
  },
  { additionalProperties: false },
);

export const RemindersPage = Type.Object(
  { reminders: Type.Array(Ref(ReminderView)), ...pageCounts },
  { $id: 'RemindersPage', additionalProperties: false },
);

export const ChargeReminders = Type.Object(
  { reminders: Type.Array(Ref(ReminderView), { description: 'The newest 200, newest first.' }) },
  { $id: 'ChargeReminders', additionalProperties: false },
);

export const REMINDER_SCHEMAS = [
  RuleBody,
  RuleChanges,
  RuleView,
  RulesPage,
  ReminderSettingsChanges,
  ReminderSettingsView,
  ReminderView,
  RemindersPage,
  ChargeReminders,
];

export const RULE_EXAMPLE: Static<typeof RuleView> = {
  id: '019a8b5e-3d00-7b11-8a02-0b1c2d3e4f60',
  accountId: 'acme',
  when: 'before',
  days: 3,
  channels: ['email', 'event'],
  enabled: true,
  createdAt: '2026-11-16T12:00:00.000Z',
  updatedAt: '2026-11-16T12:00:00.000Z',
};

export const RULES_EXAMPLE: Static<typeof RulesPage> = { rules: [RULE_EXAMPLE], ...ONE_PAGE };

export const REMINDER_SETTINGS_EXAMPLE: Static<typeof ReminderSettingsView> = {
  accountId: 'acme',
  sendAt: '09:00',
  quietHours: { from: '20:00', until: '08:00' },
  texts: {},
  mailEnabled: true,
};

export const REMINDER_EXAMPLE: Static<typeof ReminderView> = {
  id: '019a8b5e-3d10-7c11-9a02-1c2d3e4f5a70',
  accountId: 'acme',
  chargeId: '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17',
  when: 'before',
  days: 3,
  dueDay: '2026-12-10',
  channels: ['email', 'event'],
  status: 'SENT',
  attempts: 1,
  amountCents: 15_990,
  scheduledAt: '2026-12-07T12:00:00.000Z',
  createdAt: '2026-12-07T12:00:00.000Z',
  updatedAt: '2026-12-07T12:00:02.000Z',
};

export const REMINDERS_EXAMPLE: Static<typeof RemindersPage> = { reminders: [REMINDER_EXAMPLE], ...ONE_PAGE };

/** The rule that a body asks for. */
export function toNewRule({ when: occasion, days: count = 0, enabled: isEnabled = true, ...body }: RuleBody): NewRule {
  return { ...body, occasion, days: count, isEnabled };
}

export function toRuleChanges({ enabled: isEnabled, ...changes }: RuleChanges): Changes {
  return { ...changes, isEnabled };
}

/** What the schema cannot say: only days before and after the due day are counted. */
export function checkRule({ body }: { readonly body: DeepPartial<RuleBody> }): Fault[] {
  if (body.when === undefined) return [];
  const isCounted = body.when === 'before' || body.when === 'after';
  if (isCounted === (body.days !== undefined)) return [];
  if (isCounted) return [{ path: 'days', code: 'required', message: `is required with when "${body.when}"` }];
  return [{ path: 'days', code: 'not_together', message: `must not come with when "${body.when}"` }];
}
