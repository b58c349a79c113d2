// The rules of reminders: the list, and acts that create, change and remove one.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { LOCALES } from '../../billing/customers/customer.ts';
import { listRules } from '../../billing/reminders/list.ts';
import { requireRule } from '../../billing/reminders/require.ts';
import { CHANNELS, type Channel, OCCASIONS, type Rule } from '../../billing/reminders/rule.ts';
import { ruleView } from '../../billing/reminders/view.ts';
import { accountOf } from '../../http/server/auth.ts';
import { MAX_PAGE_SIZE } from '../../lib/paging.ts';
import { html } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, accountIn, defineAct, type Field, type Params } from './act.ts';
import { accountField } from './choices.ts';
import { type Fields, filled, numbersIn, textField } from './form.ts';
import { badge, pager, queryOf, table } from './parts.ts';
import { LOCALE_NAMES, OCCASION_NAMES, occasionText } from './reminder-texts.ts';
import { noMailNote, type ReminderPageDeps } from './reminders.ts';
import { may, shell } from './shell.ts';

const section = 'reminders';
const PAGE = '/dashboard/reminders/rules';

const CHANNEL_NAMES: Readonly<Record<Channel, string>> = {
  email: 'By e-mail',
  event: 'By the event reminder.due, for channels of your own',
};

const WHEN_FIELDS: readonly Field[] = [
  {
    ...{ name: 'when', label: 'When', type: 'select', value: 'before' },
    options: OCCASIONS.map(value => ({ value, label: OCCASION_NAMES[value] })),
  },
  { name: 'days', label: 'Days', hint: 'Before or after the due day. Left empty for the other occasions.' },
];

export function reminderRulePages(app: FastifyInstance, deps: ReminderPageDeps & ActDeps): void {
  app.get(PAGE, { schema: { hide: true } }, async (request, reply) => {
    const { caller } = request;
    const accountId = accountOf(caller);
    const page = Math.max(1, Number(queryOf(request)['page']) || 1);
    const query = { page, pageSize: MAX_PAGE_SIZE, ...(accountId !== undefined && { accountId }) };
    const list = await listRules(deps, query);
    const mayChange = may(caller, 'settings:write');
    const rows = list.rules.map(rule => [
      occasionText(rule),
      rule.channels.join(', '),
      rule.locale === undefined ? 'that of the customer' : LOCALE_NAMES[rule.locale],
      badge(rule.enabled ? 'on' : 'off'),
      html`<a href="/dashboard/accounts/${encodeURIComponent(rule.accountId)}/reminders?when=${rule.when}">${rule.accountId}</a>`,
      mayChange && [
        html`<a class="button secondary small" href="${PAGE}/${rule.id}/change">Change</a> `,
        html`<a class="button secondary small" href="${PAGE}/${rule.id}/remove">Remove</a>`,
      ],
    ]);
    const head = ['When', 'Channels', 'Language', 'Rule', 'Hours and texts of', ''];
    const shown = shell(deps, request, {
      title: 'Rules of reminders',
      section,
      acts: mayChange && html`<a class="button" href="${PAGE}/new">New rule</a>`,
      body: html`${noMailNote(deps)}${table({ caption: 'Rules', head, rows, empty: 'There is no rule yet: payers are not reminded.' })}
${pager(request, list)}`,
    });
    return sendHtml(request, reply, shown);
  });

  const read = ({ caller }: FastifyRequest, { id = '' }: Params) =>
    requireRule(deps.db, id.toLowerCase(), caller?.accountId);

  defineAct(app, deps, {
    url: '/reminders/rules/new',
    section,
    ask: async request => ({
      title: 'New rule',
      text: html`<p>Payers are reminded by it from now on; nothing is sent for moments that have passed.</p>`,
      fields: [...(await accountField(deps, request)), ...WHEN_FIELDS, ...howFields()],
      button: 'Create the rule',
      back: PAGE,
    }),
    call: (fields, _, request) => ({
      method: 'POST',
      url: '/reminders/rules',
      body: {
        ...accountIn(fields, request),
        ...filled(fields, ['when', 'locale']),
        ...numbersIn(fields, ['days']),
        channels: channelsIn(fields),
      },
    }),
    done: () => PAGE,
  });

  defineAct(app, deps, {
    url: '/reminders/rules/:id/change',
    section,
    ask: async (request, params) => {
      const rule = await read(request, params);
      return {
        title: 'Change the rule',
        text: html`<p>Reminds ${occasionText(ruleView(rule))}. A rule that is turned on again begins anew.</p>`,
        fields: [
          ...howFields(rule),
          { name: 'enabled', label: 'The rule is on', type: 'checkbox', ...(rule.isEnabled && { value: 'true' }) },
        ],
        button: 'Change the rule',
        back: PAGE,
      };
    },
    call: (fields, { id }) => ({
      method: 'PATCH',
      url: `/reminders/rules/${id}`,
      body: {
        channels: channelsIn(fields),
        locale: textField(fields, 'locale') || null,
        enabled: textField(fields, 'enabled') === 'true',
      },
    }),
    done: () => PAGE,
  });

  defineAct(app, deps, {
    url: '/reminders/rules/:id/remove',
    section,
    ask: async (request, params) => ({
      title: 'Remove this rule?',
      text: html`<p>Payers are no longer reminded ${occasionText(ruleView(await read(request, params)))}. What was sent stays on record.</p>`,
      button: 'Remove the rule',
      back: PAGE,
    }),
    call: (_, { id }) => ({ method: 'DELETE', url: `/reminders/rules/${id}` }),
    done: () => PAGE,
  });
}

function howFields(rule?: Rule): Field[] {
  const channels: readonly Channel[] = rule?.channels ?? ['email'];
  return [
    ...CHANNELS.map((name): Field => {
      return { name, label: CHANNEL_NAMES[name], type: 'checkbox', ...(channels.includes(name) && { value: 'true' }) };
    }),
    {
      ...{ name: 'locale', label: 'Language of the mail', type: 'select', value: rule?.locale ?? '' },
      options: [
        { value: '', label: 'that of the customer' },
        ...LOCALES.map(value => ({ value, label: LOCALE_NAMES[value] })),
      ],
    },
  ];
}

function channelsIn(fields: Fields): Channel[] {
  return CHANNELS.filter(name => textField(fields, name) === 'true');
}
