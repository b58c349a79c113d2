// A pix on a checkout: its code, to scan or to paste.

import { type Html, html, trusted } from '../../html.ts';
import type { ByLanguage } from '../../language.ts';
import { qrSvg } from '../../qr-code.ts';
import type { View } from '../view-model.ts';
import { owedLines, type Way, type WayTexts } from './way.ts';

type PixTexts = WayTexts & {
  readonly steps: readonly string[];
  asksLess(amount: string, left: string): string;
  readonly qr: string;
  readonly copy: string;
  readonly code: string;
};

const TEXTS: ByLanguage<PixTexts> = {
  'pt-BR': {
    name: 'Pix',
    hint: 'Cai na hora, todos os dias',
    amount: 'Valor no Pix',
    unavailable: 'O Pix não está disponível para esta cobrança.',
    simulate: 'Simular pagamento por Pix',
    steps: [
      'Copie o código ou escaneie o QR Code.',
      'No aplicativo do seu banco, abra o Pix e escolha “Copia e cola” ou “Ler QR Code”.',
      'Confira nome e valor, e confirme.',
    ],
    asksLess: (amount, left) =>
      `Este código cobra apenas ${amount}; ${left} ficam em aberto. Combine com o vendedor como pagar o restante.`,
    qr: 'QR Code do Pix',
    copy: 'Copiar código Pix',
    code: 'Código Pix copia e cola',
  },
  en: {
    name: 'Pix',
    hint: 'Arrives at once, any day',
    amount: 'Amount by Pix',
    unavailable: 'Pix is not available for this charge.',
    simulate: 'Simulate a Pix payment',
    steps: [
      'Copy the code or scan the QR code.',
      'In your bank’s app open Pix and choose “Copia e cola” or scan.',
      'Check name and amount, and confirm.',
    ],
    asksLess: (amount, left) =>
      `This code asks for ${amount} only; ${left} stays open. Ask the seller how to pay the rest.`,
    qr: 'QR code of the Pix',
    copy: 'Copy Pix code',
    code: 'Pix code to paste',
  },
};

export const pix: Way<'pix'> = {
  texts: TEXTS,
  section: (view, { instrument, owed, asksCents }) => {
    const { formats, language } = view;
    const leftCents = owed.totalCents - asksCents;
    return html`${leftCents === 0n && owedLines(view, owed)}
${leftCents > 0n && html`<p class="note warn">${TEXTS[language].asksLess(formats.money(asksCents), formats.money(leftCents))}</p>`}
${pixCode(view, instrument.emv)}`;
  },
};

/** A page has at most one: that of the pix, or that of the boleto. */
export function pixCode({ texts, language }: View, emv: string): Html {
  const { copy, qr, steps, code } = TEXTS[language];
  return html`<button type="button" class="button copy no-print needs-script" id="copy-pix" data-copy="pix-code">${copy}</button>
<p class="copy-status" role="status" data-status="pix-code"></p>
<figure class="qr" aria-label="${qr}">${trusted(drawnQr(emv))}</figure>
<ol class="steps no-print">${steps.map((step, index) => html`<li>${step}${index === steps.length - 1 && html` <span class="needs-script">${texts.updatesItself}</span>`}</li>`)}</ol>
<label class="label" for="pix-code">${code}</label>
<textarea id="pix-code" class="code" readonly rows="4" spellcheck="false" autocomplete="off">${emv}</textarea>`;
}

const MAX_DRAWN = 500;
const drawn = new Map<string, string>();

/** Cached: a code takes 2 ms to draw, and every change of the page renders it again. */
function drawnQr(emv: string): string {
  const known = drawn.get(emv);
  if (known !== undefined) return known;
  const svg = qrSvg(emv);
  const [oldest] = drawn.size < MAX_DRAWN ? [] : drawn.keys();
  if (oldest !== undefined) drawn.delete(oldest);
  drawn.set(emv, svg);
  return svg;
}
