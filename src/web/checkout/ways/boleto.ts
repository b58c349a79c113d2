// A boleto on a checkout: its line, its bars and its page to print.
import { ABILITIES } from '../../../rails/abilities.ts';
import { writtenLine } from '../../boleto/format.ts';
import { html, trusted } from '../../html.ts';
import type { ByLanguage } from '../../language.ts';
import { barsSvg } from '../bars.ts';
import { pixCode } from './pix.ts';
import { owedLines, type Way, type WayTexts } from './way.ts';

type BoletoTexts = WayTexts & {
  readonly copy: string;
  readonly line: string;
  readonly bars: string;
  readonly pdf: string;
  readonly byPix: string;
};

const TEXTS: ByLanguage<BoletoTexts> = {
  'pt-BR': {
    name: 'Boleto',
    hint: 'Confirmado até o próximo dia útil',
    amount: 'Valor no boleto',
    unavailable: 'O boleto não está disponível para esta cobrança.',
    simulate: 'Simular pagamento do boleto',
    credit: 'O banco credita o boleto até o próximo dia útil.',
    copy: 'Copiar linha digitável',
    line: 'Linha digitável',
    bars: 'Código de barras do boleto',
    pdf: 'Abrir boleto em PDF',
    byPix: 'Pague este boleto por Pix',
  },
  en: {
    name: 'Boleto',
    hint: 'Confirmed by the next banking day',
    amount: 'Amount by boleto',
    unavailable: 'Boleto is not available for this charge.',
    simulate: 'Simulate paying the boleto',
    credit: 'The bank credits the boleto by the next banking day.',
    copy: 'Copy digitable line',
    line: 'Digitable line',
    bars: 'Barcode of the boleto',
    pdf: 'Open boleto as PDF',
    byPix: 'Pay this boleto by Pix',
  },
};

export const boleto: Way<'boleto'> = {
  texts: TEXTS,
  section: (view, { instrument, owed }) => {
    const { texts, formats, facts, language, token } = view;
    const { copy, line, bars, pdf, byPix } = TEXTS[language];
    const { barcode, digitableLine, pix } = instrument;
    const isOnlyPix = pix !== undefined && facts.payable.every(({ method }) => method !== ABILITIES.boleto.carries);
    return html`${owedLines(view, owed)}
<p class="muted small">${texts.payableUntil(formats.day(owed.lastPayableDay))}</p>
<button type="button" class="button copy no-print needs-script" id="copy-line" data-copy="boleto-line" data-text="${digitableLine}">${copy}</button>
<p class="copy-status" role="status" data-status="boleto-line"></p>
<label class="label" for="boleto-line">${line}</label>
<textarea id="boleto-line" class="code" readonly rows="2" spellcheck="false" autocomplete="off">${writtenLine(barcode)}</textarea>
<figure class="bars" aria-label="${bars}">${trusted(barsSvg(barcode))}</figure>
<a class="button secondary no-print" href="/pay/${token}/boleto.pdf">${pdf}</a>
${isOnlyPix && html`<h3>${byPix}</h3>${pixCode(view, pix.emv)}`}`;
  },
};
