// The head and the foot of every page that payers reach by a link.
import type { AccountSettings } from '../../accounts/settings.ts';
import { type Html, html } from '../html.ts';
import type { Language } from '../language.ts';
import type { CheckoutTexts } from './texts.ts';

export type Frame = {
  readonly texts: CheckoutTexts;
  readonly language: Language;
  readonly settings: AccountSettings;
  /** The name above the page. */
  readonly seller: string;
  /** The address below which its logo is. */
  readonly address: string;
  readonly isSandbox: boolean;
  readonly canPay: boolean;
};

export function pageHead({ texts, address, settings, seller, isSandbox, language }: Frame): Html {
  const other: Language = language === 'en' ? 'pt-BR' : 'en';
  return html`<header>
${isSandbox && html`<p class="banner">${texts.sandbox}</p>`}
<div class="top">
<div class="seller">${settings.logo && html`<img class="logo" src="${address}/logo" alt="" width="40" height="40">`}<span>${seller}</span></div>
<a class="language no-print" href="?lang=${other}" hreflang="${other}" lang="${other}">${texts.otherLanguage}</a>
</div>
</header>`;
}

export function pageFoot({ texts, settings, canPay, language }: Frame): Html {
  return html`<footer class="foot no-print">
${canPay && html`<noscript><a class="button secondary" href="?lang=${language}">${texts.refresh}</a></noscript>`}
<div class="actions">
${settings.supportUrl !== undefined ? html`<a class="button secondary" href="${settings.supportUrl}" rel="noreferrer">${texts.help}</a>` : html`<p class="muted small">${texts.askSeller}</p>`}
${settings.returnUrl !== undefined && html`<a class="button secondary" href="${settings.returnUrl}" rel="noreferrer">${texts.back}</a>`}
<button type="button" class="button secondary needs-script" id="share" hidden>${texts.share}</button>
<button type="button" class="button secondary needs-script" id="print">${texts.print}</button>
</div>
</footer>
<template id="texts" data-copied="${texts.copied}" data-select="${texts.selectInstead}"></template>`;
}
