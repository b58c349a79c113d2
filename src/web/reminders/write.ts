// The words of a mail, as plain text and as HTML. The preview of the dashboard shows the same. Pure.
import type { Locale } from '../../billing/customers/customer.ts';
import type { Occasion } from '../../billing/reminders/rule.ts';
import type { OwnTexts } from '../../billing/reminders/settings.ts';
import type { CivilDay } from '../../lib/civil-days.ts';
import { type Html, html } from '../html.ts';
import { formatsOf } from '../language.ts';
import { REMINDER_TEXTS, type Topic } from './texts.ts';

/** What a mail says of a charge. */
export type Content = {
  readonly payerName: string;
  readonly amountCents: bigint;
  readonly dueDay: CivilDay;
  readonly description?: string;
  readonly pixCode?: string;
  /** The pix code as a picture, in a form that the reader can show. */
  readonly pixPicture?: Html;
  readonly boletoLine?: string;
  /** The bank refused to issue it. */
  readonly isRefused: boolean;
  /** The payer's bank tried to pay it by Pix Automático, and brought nothing. */
  readonly wasTried: boolean;
};

type ToWrite = {
  readonly content: Content;
  readonly occasion: Occasion;
  readonly locale: Locale;
  readonly own: OwnTexts;
  readonly today: CivilDay;
  readonly seller: string;
  readonly checkoutUrl: string;
  readonly optOutUrl: string;
  readonly isAttached: boolean;
  readonly isSandbox: boolean;
};

export type Written = { readonly subject: string; readonly text: string; readonly body: Html };

export function write(mail: ToWrite): Written {
  const { content, occasion, locale, seller, checkoutUrl, optOutUrl } = mail;
  const texts = REMINDER_TEXTS[locale];
  const { money, shortDay } = formatsOf(locale);
  const topic = topicOf(mail);
  const about = { amount: money(content.amountCents), day: shortDay(content.dueDay), seller };
  const own = filled(mail.own[locale]?.[occasion] ?? {}, about);
  const subject = own.subject ?? texts.topics[topic].subject(about);
  const intro = own.intro ?? texts.topics[topic].intro(about);
  const hello = texts.hello(content.payerName);
  const isPaid = topic === 'paid';
  const rows = [
    { name: isPaid ? texts.paidAmount : texts.amount, value: about.amount },
    ...(isPaid ? [] : [{ name: texts.dueDay, value: about.day }]),
    ...(content.description === undefined ? [] : [{ name: texts.description, value: content.description }]),
  ];
  const codes = [
    ...(content.pixCode === undefined
      ? []
      : [{ name: texts.pixCode, code: content.pixCode, picture: content.pixPicture }]),
    ...(content.boletoLine === undefined ? [] : [{ name: texts.boletoLine, code: content.boletoLine }]),
  ];
  const link = isPaid ? texts.see : texts.pay;
  const notes = [...(mail.isAttached ? [texts.attached] : []), ...(codes.length > 0 ? [texts.check(seller)] : [])];
  const warnings = mail.isSandbox ? [texts.sandbox] : [];
  const text = [
    ...warnings,
    hello,
    intro,
    rows.map(({ name, value }) => `${name}: ${value}`).join('\n'),
    `${link}: ${checkoutUrl}`,
    ...codes.map(({ name, code }) => `${name}:\n${code}`),
    ...notes,
    `${texts.optOut(seller)} ${texts.optOutLink}: ${optOutUrl}`,
  ].join('\n\n');
  const body = html`${warnings.map(warning => html`<p><strong>${warning}</strong></p>`)}
<p>${hello}</p>
<p>${withBreaks(intro)}</p>
<ul>${rows.map(({ name, value }) => html`<li>${name}: <strong>${value}</strong></li>`)}</ul>
<p><a href="${checkoutUrl}">${link}</a></p>
${codes.map(({ name, code, picture }) => html`<p>${name}:<br><code>${code}</code></p>${picture && html`<p>${picture}</p>`}`)}
${notes.map(note => html`<p>${note}</p>`)}
<p>${texts.optOut(seller)} <a href="${optOutUrl}">${texts.optOutLink}</a></p>`;
  return { subject, text: `${text}\n`, body };
}

/** The day of sending decides what is said of the due day: the quiet hours may have ended after it. */
function topicOf({ occasion, content: { isRefused, wasTried, dueDay }, today }: ToWrite): Topic {
  if (occasion === 'paid') return 'paid';
  if (occasion === 'failed' && isRefused) return 'notIssued';
  if (occasion === 'failed') return wasTried ? 'notCollected' : 'notAutomatic';
  if (today === dueDay) return 'today';
  return today < dueDay ? 'before' : 'after';
}

/** The names that an account may write in its own texts. */
export const PLACEHOLDERS = ['amount', 'day', 'seller'] as const;
const PLACEHOLDER = new RegExp(`\\{(${PLACEHOLDERS.join('|')})\\}`, 'g');
type About = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>;

function filled({ subject, intro }: { readonly subject?: string; readonly intro?: string }, about: About) {
  const fill = (text: string) => text.replace(PLACEHOLDER, (_, name: keyof About) => about[name]);
  return {
    ...(subject !== undefined && { subject: fill(subject) }),
    ...(intro !== undefined && { intro: fill(intro) }),
  };
}

function withBreaks(text: string) {
  return text.split(/\r?\n/).map((line, index) => html`${index > 0 && html`<br>`}${line}`);
}
