// Hours and texts of the reminders of an account: a preview of each mail, and acts that change them.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findSettings as findAccountSettings } from '../../accounts/store-settings.ts';
import { MAX_INTRO_LENGTH, MAX_SUBJECT_LENGTH } from '../../api/reminders.ts';
import { LOCALES, type Locale } from '../../billing/customers/customer.ts';
import { OCCASIONS, type Occasion } from '../../billing/reminders/rule.ts';
import { findSettings } from '../../billing/reminders/store-rules.ts';
import { accountOf } from '../../http/server/auth.ts';
import { addDays, civilDay } from '../../lib/civil-days.ts';
import { html, trusted } from '../html.ts';
import type { Content } from '../reminders/write.ts';
import { PLACEHOLDERS, write } from '../reminders/write.ts';
import { sendHtml } from '../send-html.ts';
import { type ActDeps, defineAct, type Params } from './act.ts';
import { filled, textField } from './form.ts';
import { addressWith, facts, queryOf } from './parts.ts';
import { LOCALE_NAMES, OCCASION_NAMES } from './reminder-texts.ts';
import { noMailNote, type ReminderPageDeps } from './reminders.ts';
import { may, shell } from './shell.ts';

const section = 'reminders';

type Deps = ReminderPageDeps & ActDeps;

const SAMPLE_PIX_CODE = '00020126580014br.gov.bcb.pix…';

const SAMPLE: Omit<Content, 'dueDay'> = {
  payerName: 'Maria da Silva',
  amountCents: 15_990n,
  description: 'Plano mensal',
  pixCode: SAMPLE_PIX_CODE,
  boletoLine: '99991.76325 74800.240983 95153.362157 5 16560000015990',
  isRefused: false,
  wasTried: true,
};

export function reminderPreviewPages(app: FastifyInstance, deps: Deps): void {
  app.get<{ Params: { id: string } }>(
    '/dashboard/accounts/:id/reminders',
    { schema: { hide: true } },
    async (request, reply) => {
      const accountId = accountOf(request.caller, request.params.id);
      const { occasion, locale } = chosen(request);
      const settings = await findSettings(deps.db, accountId);
      const { sendAt, quietHours, texts: own } = settings;
      const mail = await sampleMail(deps, accountId, { occasion, locale, own });
      const at = atOf(accountId);
      const mayChange = may(request.caller, 'settings:write');
      const choice = `?when=${occasion}&locale=${locale}`;
      const page = shell(deps, request, {
        title: `Reminders of ${accountId}`,
        section,
        acts: mayChange && [
          html`<a class="button" href="${at}/text${choice}">Change this text</a> `,
          html`<a class="button secondary" href="${at}/hours">Change the hours</a> `,
        ],
        body: html`${noMailNote(deps)}<section class="card">${facts([
          ['Sent at', `${sendAt} in São Paulo`],
          ['Quiet hours', quietHours ? `${quietHours.from} to ${quietHours.until}` : 'none'],
        ])}</section>
<nav class="choice" aria-label="Occasions">${OCCASIONS.map(value => tab(request, { when: value }, OCCASION_NAMES[value], value === occasion))}</nav>
<nav class="choice" aria-label="Languages">${LOCALES.map(value => tab(request, { locale: value }, LOCALE_NAMES[value], value === locale))}</nav>
<section class="card mail" lang="${locale}"><h2>${mail.subject}</h2>${mail.body}</section>
<section class="card"><h2>As plain text</h2><pre class="long" lang="${locale}" tabindex="0">${mail.text}</pre></section>`,
      });
      return sendHtml(request, reply, page);
    },
  );

  defineAct(app, deps, {
    url: '/accounts/:id/reminders/hours',
    section,
    ask: async (request, { id = '' }) => {
      const { sendAt, quietHours } = await findSettings(deps.db, accountOf(request.caller, id));
      return {
        title: 'Hours of reminders',
        text: html`<p>Local times in São Paulo, such as 09:00. In the quiet hours nothing is sent; they may span midnight.</p>`,
        fields: [
          { name: 'sendAt', label: 'Sent at', value: sendAt, isRequired: true },
          { name: 'from', label: 'Quiet from', value: quietHours?.from ?? '', hint: 'Left empty: no quiet hours.' },
          { name: 'until', label: 'Quiet until', value: quietHours?.until ?? '' },
        ],
        button: 'Change the hours',
        back: atOf(id),
      };
    },
    call: (fields, { id = '' }) => {
      const quietHours = filled(fields, ['from', 'until']);
      return {
        method: 'PATCH',
        url: apiOf(id),
        body: {
          sendAt: textField(fields, 'sendAt'),
          quietHours: Object.keys(quietHours).length === 0 ? null : quietHours,
        },
      };
    },
    done: (_, { id = '' }) => atOf(id),
  });

  defineAct(app, deps, {
    url: '/accounts/:id/reminders/text',
    section,
    ask: async (request, { id = '' }) => {
      const accountId = accountOf(request.caller, id);
      const { occasion, locale } = chosen(request);
      const { texts } = await findSettings(deps.db, accountId);
      const { subject = '', intro = '' } = texts[locale]?.[occasion] ?? {};
      const names = PLACEHOLDERS.map(name => `{${name}}`).join(', ');
      return {
        title: 'Text of a reminder',
        text: html`<p>${OCCASION_NAMES[occasion]}, in ${LOCALE_NAMES[locale]}. ${names} are replaced. What is left empty is the text of the service.</p>`,
        fields: [
          { name: 'when', label: 'When', type: 'hidden', value: occasion },
          { name: 'locale', label: 'Language', type: 'hidden', value: locale },
          { name: 'subject', label: 'Subject', value: subject, maxLength: MAX_SUBJECT_LENGTH },
          { name: 'intro', label: 'First paragraph', type: 'textarea', value: intro, maxLength: MAX_INTRO_LENGTH },
        ],
        button: 'Change the text',
        back: `${atOf(id)}?when=${occasion}&locale=${locale}`,
      };
    },
    call: async (fields, { id = '' }, request) => {
      const { texts } = await findSettings(deps.db, accountOf(request.caller, id));
      const { occasion, locale } = chosenOf({ when: textField(fields, 'when'), locale: textField(fields, 'locale') });
      const own = filled(fields, ['subject', 'intro']);
      return {
        method: 'PATCH',
        url: apiOf(id),
        body: { texts: { ...texts, [locale]: { ...texts[locale], [occasion]: own } } },
      };
    },
    done: (_, { id = '' }) => atOf(id),
  });
}

const atOf = (accountId: string) => `/dashboard/accounts/${encodeURIComponent(accountId)}/reminders`;
const apiOf = (accountId: string) => `/accounts/${encodeURIComponent(accountId)}/reminder-settings`;

function tab(request: FastifyRequest, choice: Params, label: string, isCurrent: boolean) {
  const address = addressWith(request, choice);
  return isCurrent
    ? html`<a href="${address}" aria-current="page">${label}</a> `
    : html`<a href="${address}">${label}</a> `;
}

type Choice = { readonly occasion: Occasion; readonly locale: Locale };

const chosen = (request: FastifyRequest) => chosenOf(queryOf(request));

function chosenOf({ when, locale }: Readonly<Record<string, unknown>>): Choice {
  return {
    occasion: OCCASIONS.find(value => value === when) ?? 'before',
    locale: LOCALES.find(value => value === locale) ?? 'pt-BR',
  };
}

/** What the dates of a mail are, against its due day. */
const DAYS_TO_DUE: Readonly<Record<Occasion, number>> = { before: 3, on: 0, after: -3, paid: 0, failed: 0 };

async function sampleMail(
  { db, clock, mode }: Deps,
  accountId: string,
  { occasion, locale, own }: Choice & { readonly own: Parameters<typeof write>[0]['own'] },
) {
  const { displayName } = await findAccountSettings(db, accountId);
  const today = civilDay(clock.now());
  const { pixCode: _pix, boletoLine: _line, ...paid } = SAMPLE;
  const { qrSvg } = await import('../qr-code.ts');
  const unpaid = { ...SAMPLE, pixPicture: trusted(qrSvg(SAMPLE_PIX_CODE)) };
  return write({
    content: { ...(occasion === 'paid' ? paid : unpaid), dueDay: addDays(today, DAYS_TO_DUE[occasion]) },
    ...{ occasion, locale, own, today, seller: displayName ?? accountId },
    checkoutUrl: 'https://pay.example.com/pay/…',
    optOutUrl: 'https://pay.example.com/reminders/opt-out/…',
    isAttached: occasion !== 'paid',
    isSandbox: mode === 'sandbox',
  });
}
