// Reminders: what was sent and what was not, as a list, as CSV, and at a charge.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { RemindersQuery } from '../../api/reminders.ts';
import { listReminders } from '../../billing/reminders/list.ts';
import { REMINDER_STATUSES } from '../../billing/reminders/reminder.ts';
import { listQuery } from '../../http/server/list-query.ts';
import type { Database } from '../../storage/database.ts';
import { html, type Piece } from '../html.ts';
import { sendHtml } from '../send-html.ts';
import type { ListDeps } from './charges.ts';
import { accountFilter } from './choices.ts';
import { type Columns, csvLink, csvOfList } from './csv.ts';
import { DAY_FILTERS, type Filter, filteredPage, filterForm, readFilters } from './filters.ts';
import { reais, when } from './formats.ts';
import { badge, idLink, pager, table } from './parts.ts';
import { causeText, occasionText } from './reminder-texts.ts';
import { may, shell } from './shell.ts';

/** `isMailOn`: whether the service has a mail server. */
export type ReminderPageDeps = ListDeps & { readonly db: Database; readonly isMailOn: boolean };

const RemindersFilter = Type.Object(RemindersQuery.properties, { additionalProperties: false });

export function reminderPages(app: FastifyInstance, deps: ReminderPageDeps): void {
  const filters = async (request: FastifyRequest): Promise<readonly Filter[]> => [
    { name: 'status', label: 'Status', options: REMINDER_STATUSES },
    { name: 'chargeId', label: 'Charge', hint: 'its id' },
    ...(await accountFilter(deps, request)),
    ...DAY_FILTERS,
  ];
  const section = 'reminders';

  const show = filteredPage(deps, { title: 'Reminders', section, filters }, async (request, reply, shown) => {
    const list = await listReminders(deps, queryFor(deps, request));
    const rows = list.reminders.map(reminder => [
      idLink(`/dashboard/charges/${reminder.chargeId}`, reminder.chargeId),
      occasionText(reminder),
      badge(reminder.status),
      causeText(reminder),
      reminder.channels.join(', '),
      reminder.amountCents === undefined ? '–' : reais(reminder.amountCents),
      reminder.accountId,
      when(reminder.scheduledAt),
      when(reminder.updatedAt),
    ]);
    const head = ['Charge', 'When', 'Status', 'Why', 'Channels', '#Amount', 'Account', 'Scheduled', 'Changed'];
    const page = shell(deps, request, {
      title: 'Reminders',
      section,
      version: await deps.versionOf(),
      acts: may(request.caller, 'settings:read') && html`<a class="button" href="/dashboard/reminders/rules">Rules</a>`,
      body: html`${noMailNote(deps)}${filterForm(request, shown, csvLink(request, '/dashboard/reminders.csv'))}
<div data-live="list">${table({ caption: 'Reminders', head, rows, empty: 'No reminder fits these filters.' })}
${pager(request, list)}</div>`,
    });
    return sendHtml(request, reply, page);
  });
  app.get('/dashboard/reminders', { schema: { hide: true } }, show);

  csvOfList(app, deps, {
    name: 'reminders',
    columns: CSV,
    query: request => queryFor(deps, request),
    read: async (db, query) => (await listReminders({ db }, query)).reminders,
  });
}

/** Shown while no mail can be sent. */
export function noMailNote({ isMailOn }: Pick<ReminderPageDeps, 'isMailOn'>): Piece {
  return (
    !isMailOn &&
    html`<p class="note warn">No mail server is set, so nothing is mailed: an operator sets TRILHO_SMTP_HOST and TRILHO_MAIL_FROM. Events are recorded all the same.</p>`
  );
}

function queryFor({ pageSize }: Pick<ReminderPageDeps, 'pageSize'>, request: FastifyRequest) {
  return listQuery(readFilters(RemindersFilter, request), request.caller, pageSize);
}

type Shown = Awaited<ReturnType<typeof listReminders>>['reminders'][number];

const CSV: Columns<Shown> = {
  id: reminder => reminder.id,
  account: reminder => reminder.accountId,
  charge: reminder => reminder.chargeId,
  when: reminder => reminder.when,
  days: reminder => reminder.days,
  'due day': reminder => reminder.dueDay,
  channels: reminder => reminder.channels.join(' '),
  status: reminder => reminder.status,
  why: reminder => reminder.cause,
  attempts: reminder => reminder.attempts,
  cents: reminder => reminder.amountCents,
  scheduled: reminder => reminder.scheduledAt,
  created: reminder => reminder.createdAt,
  updated: reminder => reminder.updatedAt,
};
