// The ways to pay on a checkout: a pix with its code, a boleto with its bars, each with what is owed by it today.
import type { AmountOwed } from '../../charges/amount.ts';
import { writtenLine } from '../boleto/format.ts';
import { type Html, html, trusted } from '../html.ts';
import { qrSvg } from '../qr-code.ts';
import { barsSvg } from './bars.ts';
import type { Payable } from './facts.ts';
import type { View } from './view-model.ts';

export function pixSection(view: View, { instrument, owed, asksCents }: Payable<'pix'>): Html {
  const { texts, formats } = view;
  const leftCents = owed.totalCents - asksCents;
  const { emv } = instrument;
  return html`<div class="method pix">
${leftCents === 0n && owedLines(view, owed)}
${leftCents > 0n && html`<p class="note warn">${texts.pixAsksLess(formats.money(asksCents), formats.money(leftCents))}</p>`}
${pixCode(view, emv)}
${sandboxPay(view, 'pix')}
</div>`;
}

/** A page has one at most: that of the pix, or that of the boleto. */
function pixCode({ texts }: View, emv: string): Html {
  return html`<button type="button" class="button copy no-print needs-script" id="copy-pix" data-copy="pix-code">${texts.copyPix}</button>
<p class="told" role="status" data-told="pix-code"></p>
<figure class="qr" aria-label="${texts.qr}">${trusted(drawnQr(emv))}</figure>
<ol class="steps no-print">${texts.pixSteps.map((step, index) => html`<li>${step}${index === texts.pixSteps.length - 1 && html` <span class="needs-script">${texts.updatesItself}</span>`}</li>`)}</ol>
<label class="label" for="pix-code">${texts.pixCode}</label>
<textarea id="pix-code" class="code" readonly rows="4" spellcheck="false" autocomplete="off">${emv}</textarea>`;
}

export function boletoSection(view: View, { instrument, owed }: Payable<'boleto'>): Html {
  const { texts, token } = view;
  const { barcode, digitableLine, pix } = instrument;
  const isOnlyPix = pix !== undefined && view.facts.pix === undefined;
  return html`<div class="method boleto">
${owedLines(view, owed)}
<p class="muted small">${texts.payableUntil(view.formats.day(owed.lastPayableDay))}</p>
<button type="button" class="button copy no-print needs-script" id="copy-line" data-copy="boleto-line" data-text="${digitableLine}">${texts.copyLine}</button>
<p class="told" role="status" data-told="boleto-line"></p>
<label class="label" for="boleto-line">${texts.line}</label>
<textarea id="boleto-line" class="code" readonly rows="2" spellcheck="false" autocomplete="off">${writtenLine(barcode)}</textarea>
<figure class="bars" aria-label="${texts.bars}">${trusted(barsSvg(barcode))}</figure>
<a class="button secondary no-print" href="/pay/${token}/boleto.pdf">${texts.pdf}</a>
${isOnlyPix && html`<h3>${texts.boletoByPix}</h3>${pixCode(view, pix.emv)}`}
${sandboxPay(view, 'boleto')}
</div>`;
}

/** Line by line when there is more than the amount that was asked for. */
function owedLines({ texts, formats }: View, { lines, totalCents }: AmountOwed): Html | false {
  if (lines.length < 2) return false;
  const named = lines.map(line => {
    const rate = (line.rate ?? '').replace('.', formats.decimalSign);
    if (line.kind === 'fine') return { name: texts.fine(rate), cents: line.amountCents };
    if (line.kind === 'interest') return { name: texts.interest(rate, line.days ?? 0), cents: line.amountCents };
    return { name: texts.original, cents: line.amountCents };
  });
  return html`<dl class="lines">
${named.map(({ name, cents }) => html`<div><dt>${name}</dt><dd>${formats.money(cents)}</dd></div>`)}
<div class="sum"><dt>${texts.total}</dt><dd>${formats.money(totalCents)}</dd></div>
</dl>`;
}

function sandboxPay({ texts, token, isSandbox, language }: View, method: 'pix' | 'boleto'): Html | false {
  if (!isSandbox) return false;
  return html`<form method="post" action="/pay/${token}/sandbox/${method}?lang=${language}" class="no-print">
<button class="button test" type="submit">${texts.sandboxPay[method]}</button></form>`;
}

const MAX_DRAWN = 500;
const drawn = new Map<string, string>();

/** A code takes 2 ms to draw and is asked for again with each change of the page. */
function drawnQr(emv: string): string {
  const known = drawn.get(emv);
  if (known !== undefined) return known;
  const svg = qrSvg(emv);
  const [oldest] = drawn.size < MAX_DRAWN ? [] : drawn.keys();
  if (oldest !== undefined) drawn.delete(oldest);
  drawn.set(emv, svg);
  return svg;
}
