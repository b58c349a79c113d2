// How a checkout offers a method: its texts and its section. Each method has a file; ways.ts lists them.

import type { AmountLine, AmountOwed } from '../../../charges/amount.ts';
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
  /** For a method whose bank credits payments later. */
  readonly credit?: string;
};

export type Way<M extends Method = Method> = {
  readonly texts: ByLanguage<WayTexts>;
  /** What the payer needs: a code, a line, where to send the money. */
  section(view: View, payable: Payable<M>): Html;
};

function lineName({ texts, formats }: Pick<View, 'texts' | 'formats'>, line: AmountLine): string {
  const rate = line.rate?.replace('.', formats.decimalSign);
  switch (line.kind) {
    case 'original':
      return texts.original;
    case 'abatement':
      return texts.abatement(rate);
    case 'discount':
      if (line.until !== undefined) return texts.discountUntil(rate, formats.day(line.until));
      return (line.rule === 'discount_per_banking_day' ? texts.discountEarlyBanking : texts.discountEarly)(
        line.days ?? 0,
      );
    case 'fine':
      return texts.fine(rate ?? '');
    case 'interest':
      return texts.interest(rate ?? '', line.days ?? 0);
  }
}

/** Line by line when fees are added to the amount. */
export function owedLines({ texts, formats }: View, { lines, totalCents }: AmountOwed): Html | false {
  if (lines.length < 2) return false;
  const named = lines.map(line => ({ name: lineName({ texts, formats }, line), cents: line.amountCents }));
  return html`<dl class="lines">
${named.map(({ name, cents }) => html`<div><dt>${name}</dt><dd>${formats.money(cents)}</dd></div>`)}
<div class="sum"><dt>${texts.total}</dt><dd>${formats.money(totalCents)}</dd></div>
</dl>`;
}
