// How a checkout offers a method: its texts, and what is shown to pay with it. Each method has a file; ways.ts lists them.

import type { AmountOwed } from '../../../charges/amount.ts';
import type { Method } from '../../../rails/methods/methods.ts';
import { type Html, html } from '../../html.ts';
import type { ByLanguage } from '../../language.ts';
import type { Payable } from '../facts.ts';
import type { View } from '../view-model.ts';

export type WayTexts = {
  readonly name: string;
  /** When its money arrives. */
  readonly hint: string;
  /** Where the amount differs by method. */
  readonly amount: string;
  readonly unavailable: string;
  /** The button of a sandbox. */
  readonly simulate: string;
  /** What is said of a payment that its bank credits later. */
  readonly credit?: string;
};

export type Way<M extends Method = Method> = {
  readonly texts: ByLanguage<WayTexts>;
  /** What the payer needs: a code, a line, where to send the money. */
  section(view: View, payable: Payable<M>): Html;
};

/** Line by line when there is more than the amount that was asked for. */
export function owedLines({ texts, formats }: View, { lines, totalCents }: AmountOwed): Html | false {
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
