// Makes the mail of a reminder, with the codes and the PDF of what can be paid on that day.
import { findSettings as findAccountSettings } from '../../accounts/store-settings.ts';
import type { Mail, MailFacts } from '../../billing/reminders/mail.ts';
import { type Charge, isOf } from '../../charges/charge.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { boletoFile, type SlipDeps } from '../charge-pictures.ts';
import { type Facts, factsOf, pixCodeOf } from '../checkout/facts.ts';
import { withMaskedPayer } from '../checkout/masks.ts';
import { html, markupOf } from '../html.ts';
import type { Language } from '../language.ts';
import { type Content, type Written, write } from './write.ts';

export type ComposeDeps = SlipDeps & { readonly db: Sql };

export async function composeMail(
  deps: ComposeDeps,
  { charge, now, to, locale, texts, reminder }: MailFacts,
): Promise<Mail> {
  const { displayName, supportUrl } = await findAccountSettings(deps.db, charge.accountId);
  const seller = displayName ?? charge.accountId;
  const facts = factsOf(charge, now);
  const boleto = charge.methods.find(isOf('boleto'));
  const isBoletoPayable = facts.payable.some(({ method }) => method === boleto?.method);
  const attachments = isBoletoPayable ? [await attachedBoleto(deps, charge)] : [];
  const optOutUrl = deps.links.reminderOptOutUrl(reminder);
  const written = write({
    ...{ seller, locale, optOutUrl, occasion: reminder.occasion, own: texts, today: civilDay(now) },
    content: contentOf(charge, facts),
    checkoutUrl: deps.links.checkoutUrl(charge),
    isAttached: attachments.length > 0,
    isSandbox: deps.mode === 'sandbox',
  });
  return {
    ...{ to, subject: written.subject, text: written.text, attachments, optOutUrl, fromName: seller },
    html: document(locale, written),
    ...(supportUrl?.startsWith('mailto:') && { replyTo: supportUrl.slice('mailto:'.length) }),
  };
}

/** With the payer masked, as on the checkout: a mail may be passed on. */
async function attachedBoleto(deps: ComposeDeps, charge: Charge) {
  const content = await boletoFile(deps, withMaskedPayer(charge));
  return { filename: 'boleto.pdf', type: 'application/pdf', content };
}

function contentOf(charge: Charge, { amountCents, payable }: Facts): Content {
  const pixCode = payable.map(({ instrument }) => pixCodeOf(instrument)).find(code => code !== undefined);
  const boletoLine = payable
    .map(({ instrument }) => ('digitableLine' in instrument ? instrument.digitableLine : undefined))
    .find(line => line !== undefined);
  return {
    payerName: charge.customer.name,
    amountCents,
    dueDay: civilDay(charge.dueAt),
    isRefused: charge.state === 'FAILED',
    ...(charge.description !== undefined && { description: charge.description }),
    ...(pixCode !== undefined && { pixCode }),
    ...(boletoLine !== undefined && { boletoLine }),
  };
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
