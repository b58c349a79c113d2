// Makes the mail of a reminder, with the codes and the PDF of what can be paid on that day.
import { findSettings as findAccountSettings } from '../../accounts/store-settings.ts';
import type { Locale } from '../../billing/customers/customer.ts';
import type { Mail, MailFacts } from '../../billing/reminders/mail.ts';
import { type Charge, isOf } from '../../charges/charge.ts';
import { civilDay } from '../../lib/civil-days.ts';
import type { Sql } from '../../storage/database.ts';
import { boletoFile, type SlipDeps } from '../charge-pictures.ts';
import { type Facts, factsOf, pixCodeOf } from '../checkout/facts.ts';
import { withMaskedPayer } from '../checkout/masks.ts';
import { html, markupOf } from '../html.ts';
import type { Language } from '../language.ts';
import { REMINDER_TEXTS } from './texts.ts';
import { type Content, type Written, write } from './write.ts';

export type ComposeDeps = SlipDeps & { readonly db: Sql };

export async function composeMail(
  deps: ComposeDeps,
  { charge, now, to, locale, texts, reminder, wasTried }: MailFacts,
): Promise<Mail> {
  const { displayName, supportUrl } = await findAccountSettings(deps.db, charge.accountId);
  const seller = displayName ?? charge.accountId;
  const facts = factsOf(charge, now);
  const boleto = charge.methods.find(isOf('boleto'));
  const isBoletoPayable = facts.payable.some(({ method }) => method === boleto?.method);
  const content = contentOf(charge, facts, wasTried);
  const picture = content.pixCode === undefined ? undefined : await attachedQrCode(content.pixCode, reminder.id);
  const pdf = isBoletoPayable ? await attachedBoleto(deps, charge) : undefined;
  const optOutUrl = deps.links.reminderOptOutUrl(reminder);
  const written = write({
    ...{ seller, locale, optOutUrl, occasion: reminder.occasion, own: texts, today: civilDay(now) },
    content: { ...content, ...(picture && { pixPicture: shownQrCode(picture, locale) }) },
    checkoutUrl: deps.links.checkoutUrl(charge),
    isAttached: pdf !== undefined,
    isSandbox: deps.mode === 'sandbox',
  });
  return {
    ...{ to, subject: written.subject, text: written.text, optOutUrl, fromName: seller },
    attachments: [...(picture ? [picture] : []), ...(pdf ? [pdf] : [])],
    html: document(locale, written),
    // Without the subject that such a link may have.
    ...(supportUrl?.startsWith('mailto:') && { replyTo: new URL(supportUrl).pathname }),
  };
}

/** Inside of the mail, because mail programs do not load pictures from elsewhere. */
async function attachedQrCode(pixCode: string, reminderId: string) {
  const { qrPng } = await import('../qr-code.ts');
  return {
    filename: 'pix.png',
    type: 'image/png',
    content: await qrPng(pixCode),
    contentId: `${reminderId}@pix`,
  };
}

const QR_CODE_PIXELS = 224;

function shownQrCode({ contentId }: { readonly contentId: string }, locale: Locale) {
  const text = REMINDER_TEXTS[locale].pixPicture;
  return html`<img src="cid:${contentId}" width="${QR_CODE_PIXELS}" height="${QR_CODE_PIXELS}" alt="${text}">`;
}

/** With the payer masked, as on the checkout: a mail may be passed on. */
async function attachedBoleto(deps: ComposeDeps, charge: Charge) {
  const content = await boletoFile(deps, withMaskedPayer(charge));
  return { filename: 'boleto.pdf', type: 'application/pdf', content };
}

function contentOf(charge: Charge, { amountCents, payable }: Facts, wasTried: boolean): Content {
  const pixCode = payable.map(({ instrument }) => pixCodeOf(instrument)).find(code => code !== undefined);
  const boletoLine = payable
    .map(({ instrument }) => ('digitableLine' in instrument ? instrument.digitableLine : undefined))
    .find(line => line !== undefined);
  return {
    payerName: charge.customer.name,
    amountCents,
    dueDay: civilDay(charge.dueAt),
    isRefused: charge.state === 'FAILED',
    wasTried,
    ...(charge.description !== undefined && { description: charge.description }),
    ...(pixCode !== undefined && { pixCode }),
    ...(boletoLine !== undefined && { boletoLine }),
  };
}

/** Plain markup that every mail program shows, in light and dark. A code breaks anywhere, or a phone shows the mail too wide. */
function document(language: Language, { subject, body }: Written): string {
  return markupOf(html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${subject}</title>
<style>
body { max-width: 36em; margin: 0 auto; padding: 1em; font: 16px/1.5 system-ui, sans-serif; }
code { word-break: break-all; }
</style>
</head>
<body>
${body}
</body>
</html>
`);
}
