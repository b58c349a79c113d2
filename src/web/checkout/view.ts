// The page of a checkout, from what is known of a charge.
import { lightened, textOn } from '../../accounts/colours.ts';
import type { AccountSettings } from '../../accounts/settings.ts';
import { receiverIn } from '../../rails/br-code.ts';
import { writtenDocument } from '../boleto/format.ts';
import { type Html, html } from '../html.ts';
import type { Language } from '../language.ts';
import { boletoSection, pixSection } from './methods.ts';
import { orderCard } from './order-card.ts';
import { receiptCard } from './receipt.ts';
import { amountsOf, spokenStatus, statusCard } from './status.ts';
import { sellerOf, type View } from './view-model.ts';

export function titleOf(view: View): string {
  const { texts, formats, facts } = view;
  const seller = sellerOf(view);
  const title =
    facts.pix || facts.boleto ? texts.title(formats.money(facts.amountCents)) : texts.state[facts.standing][0];
  return [title, seller].filter(Boolean).join(' · ');
}

export function checkoutBody(view: View): Html {
  const { texts, token, settings, facts, isSandbox, language } = view;
  const other: Language = language === 'en' ? 'pt-BR' : 'en';
  const seller = sellerOf(view);
  return html`<header>
${isSandbox && html`<p class="banner">${texts.sandbox}</p>`}
<div class="top">
<div class="seller">${settings.logo && html`<img class="logo" src="/pay/${token}/logo" alt="" width="40" height="40">`}<span>${seller}</span></div>
<a class="language no-print" href="?lang=${other}" hreflang="${other}" lang="${other}">${texts.otherLanguage}</a>
</div>
</header>
<p class="visually-hidden" role="status" data-live="said">${spokenStatus(view)}</p>
<main data-live="main">
${statusCard(view)}
${view.bought && orderCard(view, view.bought)}
${(facts.pix || facts.boleto) && payPart(view)}
${receiptCard(view)}
</main>
<footer class="foot no-print">
${(facts.pix || facts.boleto) && html`<noscript><a class="button secondary" href="?lang=${language}">${texts.refresh}</a></noscript>`}
<div class="actions">
${settings.supportUrl !== undefined ? html`<a class="button secondary" href="${settings.supportUrl}" rel="noreferrer">${texts.help}</a>` : html`<p class="muted small">${texts.askSeller}</p>`}
${settings.returnUrl !== undefined && html`<a class="button secondary" href="${settings.returnUrl}" rel="noreferrer">${texts.back}</a>`}
<button type="button" class="button secondary needs-script" id="share" hidden>${texts.share}</button>
<button type="button" class="button secondary needs-script" id="print">${texts.print}</button>
</div>
</footer>
<template id="texts" data-copied="${texts.copied}" data-select="${texts.selectInstead}"></template>`;
}

function payPart(view: View): Html {
  const { texts, facts } = view;
  const { pix, boleto } = facts;
  const failed = facts.failed.map(method => html`<p class="note warn">${texts.methodFailed[method]}</p>`);
  if (pix && boleto) {
    return html`${receiverCard(view)}
<section class="card pay" aria-labelledby="method-heading"><h2 id="method-heading">${texts.method}</h2>
<details name="method" id="by-pix" open><summary><span>${texts.pix}</span><small>${texts.pixHint}</small></summary>${pixSection(view, pix)}</details>
<details name="method" id="by-boleto"><summary><span>${texts.boleto}</span><small>${texts.boletoHint}</small></summary>${boletoSection(view, boleto)}</details>
</section>`;
  }
  return html`${receiverCard(view)}
<section class="card pay" aria-labelledby="method-heading"><h2 id="method-heading">${pix ? texts.pix : texts.boleto}</h2>${failed}
${pix && pixSection(view, pix)}${boleto && boletoSection(view, boleto)}
</section>`;
}

/** Before the code: who pays a stranger finds out too late. */
function receiverCard(view: View): Html {
  const { texts, settings, facts, beneficiary } = view;
  const name = facts.pix ? receiverIn(facts.pix.instrument.emv) : beneficiary?.name;
  const document = settings.document ?? (facts.boleto && beneficiary?.document);
  const written = document === undefined ? undefined : writtenDocument(document);
  return html`<section class="card check" aria-labelledby="check-heading"><h2 id="check-heading">${texts.check}</h2>
<p>${texts.bankShows}</p>
<dl class="facts">
<div><dt>${texts.receiver}</dt><dd>${name ?? sellerOf(view)}</dd></div>
${written && html`<div><dt>${written.kind}</dt><dd>${written.number}</dd></div>`}
${amountsOf(view).map(({ label, amount }) => html`<div><dt>${label}</dt><dd>${amount}</dd></div>`)}
</dl>
<p class="strong">${texts.otherwise}</p></section>`;
}

const DARK_CARD = '#1a222b';
const READABLE = 4.5;

/** The colour of the account for both schemes; a colour is `#rrggbb`, so it can end no rule. */
export function styleOf({ colour }: AccountSettings): string {
  if (colour === undefined) return '';
  const dark = lightened(colour, DARK_CARD, READABLE);
  const light = `:root{--accent:${colour};--on-accent:${textOn(colour)}}`;
  return `${light}@media(prefers-color-scheme:dark){:root{--accent:${dark};--on-accent:${textOn(dark)}}}`;
}
