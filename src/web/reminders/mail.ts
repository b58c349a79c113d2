// Writes the mail of a reminder: subject, plain text and HTML, with the code, the line and the PDF of what can be paid on that day.
import { findSettings as findAccountSettings } from '../../accounts/store-settings.ts';
import type { Mail, MailFacts } from '../../billing/reminders/mail.ts';
import type { Occasion } from '../../billing/reminders/rule.ts';
import type { OwnTexts } from '../../billing/reminders/settings.ts';
import { type Charge, isOf } from '../../charges/charge.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { boletoFile, type SlipDeps } from '../charge-pictures.ts';
import { type Facts, factsOf, pixCodeOf } from '../checkout/facts.ts';
import { withMaskedPayer } from '../checkout/masks.ts';
import { type Html, html, markupOf } from '../html.ts';
import { formatsOf, type Language } from '../language.ts';
import { REMINDER_TEXTS, type Topic } from './texts.ts';

export type ComposeDeps = SlipDeps & { readonly db: Sql };

/** The seller as payers know it, and where they can ask. */
export type Seller = { readonly name: string; readonly replyTo?: string };

export async function composeMail(deps: ComposeDeps, facts: MailFacts): Promise<Mail> {
  const { charge, now, to, reminder } = facts;
  const { displayName, supportUrl } = await findAccountSettings(deps.db, charge.accountId);
  const seller = {
    name: displayName ?? charge.accountId,
    ...(supportUrl?.startsWith('mailto:') && { replyTo: supportUrl.slice('mailto:'.length) }),
  };
  const payable = factsOf(charge, now);
  const boleto = payable.payable.find(({ method }) => method === charge.methods.find(isOf('boleto'))?.method);
  const attachments = boleto ? [await attachedBoleto(deps, charge)] : [];
  const optOutUrl = deps.links.reminderOptOutUrl(reminder);
  const written = write({
    ...{ facts, payable, seller, optOutUrl, isAttached: attachments.length > 0 },
    checkoutUrl: deps.links.checkoutUrl(charge),
    isSandbox: deps.mode === 'sandbox',
  });
  return {
    ...{ to, subject: written.subject, text: written.text, attachments, optOutUrl },
    html: document(facts.locale, written),
    fromName: seller.name,
    ...(seller.replyTo !== undefined && { replyTo: seller.replyTo }),
  };
}

/** With the payer masked, as on the checkout: a mail may be passed on. */
async function attachedBoleto(deps: ComposeDeps, charge: Charge) {
  const content = await boletoFile(deps, withMaskedPayer(charge));
  return { filename: 'boleto.pdf', type: 'application/pdf', content };
}

type ToWrite = {
  readonly facts: Pick<MailFacts, 'reminder' | 'charge' | 'locale' | 'texts' | 'now'>;
  readonly payable: Facts;
  readonly seller: Seller;
  readonly checkoutUrl: string;
  readonly optOutUrl: string;
  readonly isAttached: boolean;
  readonly isSandbox: boolean;
};

export type Written = { readonly subject: string; readonly text: string; readonly body: Html };

/** The texts of a mail; the preview shows them too. */
export function write({ facts, payable, seller, checkoutUrl, optOutUrl, isAttached, isSandbox }: ToWrite): Written {
  const { reminder, charge, locale, texts: own, now } = facts;
  const texts = REMINDER_TEXTS[locale];
  const { money, shortDay } = formatsOf(locale);
  const topic = topicOf(reminder.occasion, charge, now);
  const about = { amount: money(payable.amountCents), day: shortDay(civilDay(charge.dueAt)), seller: seller.name };
  const { subject, intro } = withOwn(own, locale, reminder.occasion, about) ?? {};
  const lines = {
    subject: subject ?? texts.topics[topic].subject(about),
    intro: intro ?? texts.topics[topic].intro(about),
    hello: texts.hello(charge.customer.name),
  };
  const isPaid = topic === 'paid';
  const rows = [
    [isPaid ? texts.paidAmount : texts.amount, about.amount],
    ...(isPaid ? [] : [[texts.dueDay, about.day]]),
    ...(charge.description === undefined ? [] : [[texts.description, charge.description]]),
  ] as [string, string][];
  const codes = isPaid ? [] : codesOf(payable, texts);
  const link = [isPaid ? texts.see : texts.pay, checkoutUrl] as const;
  const notes = [...(isAttached ? [texts.attached] : []), ...(isPaid ? [] : [texts.check(seller.name)])];
  const warning = isSandbox ? [texts.sandbox] : [];
  const text = [
    ...warning,
    lines.hello,
    lines.intro,
    rows.map(([name, value]) => `${name}: ${value}`).join('\n'),
    `${link[0]}: ${link[1]}`,
    ...codes.map(([name, code]) => `${name}:\n${code}`),
    ...notes,
    `${texts.optOut(seller.name)} ${texts.optOutLink}: ${optOutUrl}`,
  ].join('\n\n');
  const body = html`${warning.map(line => html`<p><strong>${line}</strong></p>`)}
<p>${lines.hello}</p>
<p>${paragraph(lines.intro)}</p>
<ul>${rows.map(([name, value]) => html`<li>${name}: <strong>${value}</strong></li>`)}</ul>
<p><a href="${link[1]}">${link[0]}</a></p>
${codes.map(([name, code]) => html`<p>${name}:<br><code>${code}</code></p>`)}
${notes.map(note => html`<p>${note}</p>`)}
<p><small>${texts.optOut(seller.name)} <a href="${optOutUrl}">${texts.optOutLink}</a></small></p>`;
  return { subject: lines.subject, text: `${text}\n`, body };
}

/** The day of sending decides what is said of the due day: the quiet hours may have ended after it. */
function topicOf(occasion: Occasion, charge: Charge, now: Date): Topic {
  if (occasion === 'paid') return 'paid';
  if (occasion === 'failed') return charge.state === 'FAILED' ? 'notIssued' : 'notCollected';
  const [today, dueDay] = [civilDay(now), civilDay(charge.dueAt)];
  if (today === dueDay) return 'today';
  return today < dueDay ? 'before' : 'after';
}

type About = { readonly amount: string; readonly day: string; readonly seller: string };

/** The account's own texts, with `{amount}`, `{day}` and `{seller}` filled in. */
function withOwn(own: OwnTexts, locale: Language, occasion: Occasion, about: About) {
  const { subject, intro } = own[locale]?.[occasion] ?? {};
  const filled = (text: string) => text.replace(/\{(amount|day|seller)\}/g, (_, name: keyof About) => about[name]);
  return {
    ...(subject !== undefined && { subject: filled(subject) }),
    ...(intro !== undefined && { intro: filled(intro) }),
  };
}

function codesOf({ payable }: Facts, texts: (typeof REMINDER_TEXTS)[Language]): [string, string][] {
  return payable.flatMap(({ instrument }): [string, string][] => {
    const pix = pixCodeOf(instrument);
    if (pix !== undefined) return [[texts.pixCode, pix]];
    return 'digitableLine' in instrument ? [[texts.boletoLine, instrument.digitableLine]] : [];
  });
}

function paragraph(text: string) {
  return text.split(/\r?\n/).map((line, index) => html`${index > 0 && html`<br>`}${line}`);
}

/** Plain markup that every mail program shows, in light and dark. */
function document(language: Language, { subject, body }: Written): string {
  return markupOf(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
</head>
<body>
${body}
</body>
</html>
`);
}
