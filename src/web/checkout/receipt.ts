// A receipt for the payer's own files: printed without the rest of the page.
import { type Html, html } from '../html.ts';
import { maskedDocument, maskedName } from './masks.ts';
import { sellerOf, type View } from './view-model.ts';
import { wayTexts } from './ways/ways.ts';

export function receiptCard(view: View): Html | false {
  const { charge, texts, formats } = view;
  if (charge.payments.length === 0) return false;
  return html`<section class="card receipt" aria-labelledby="receipt-heading"><h2 id="receipt-heading">${texts.receipt}</h2>
${charge.payments.map(
  ({ amountCents, paidAt, method, reference }) => html`<dl class="facts">
<div><dt>${texts.amount}</dt><dd>${formats.money(amountCents)}</dd></div>
<div><dt>${texts.paidOn}</dt><dd>${formats.moment(paidAt)}</dd></div>
<div><dt>${texts.paidBy}</dt><dd>${wayTexts(view, method).name}</dd></div>
<div><dt>${texts.receiver}</dt><dd>${sellerOf(view)}</dd></div>
<div><dt>${texts.payer}</dt><dd>${maskedName(charge.customer.name)}, <span class="whole">${maskedDocument(charge.customer.document)}</span></dd></div>
<div><dt>${texts.reference}</dt><dd class="mono">${reference}</dd></div>
</dl>`,
)}
</section>`;
}
