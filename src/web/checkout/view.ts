// Renders the page of a checkout.
import { lightened, textOn } from '../../accounts/colours.ts';
import type { AccountSettings } from '../../accounts/settings.ts';
import { receiverIn } from '../../rails/br-code.ts';
import { writtenDocument } from '../boleto/format.ts';
import { type Html, html } from '../html.ts';
import { type Payable, pixCodeOf } from './facts.ts';
import { pageFoot, pageHead } from './frame.ts';
import { orderCard } from './order-card.ts';
import { receiptCard } from './receipt.ts';
import { amountsOf, spokenStatus, statusCard } from './status.ts';
import { frameOf, sellerOf, type View } from './view-model.ts';
import { wayOf, wayTexts } from './ways/ways.ts';

export function titleOf(view: View): string {
  const { texts, formats, facts } = view;
  const seller = sellerOf(view);
  const title =
    facts.payable.length > 0 ? texts.title(formats.money(facts.amountCents)) : texts.state[facts.standing][0];
  return [title, seller].filter(Boolean).join(' · ');
}

export function checkoutBody(view: View): Html {
  const canPay = view.facts.payable.length > 0;
  return html`${pageHead(frameOf(view))}
<p class="visually-hidden" role="status" data-live="said">${spokenStatus(view)}</p>
<main data-live="main">
${statusCard(view)}
${view.bought && orderCard(view, view.bought)}
${canPay && payPart(view)}
${receiptCard(view)}
</main>
${pageFoot(frameOf(view))}`;
}

function payPart(view: View): Html {
  const { texts, facts } = view;
  const [first, ...others] = facts.payable;
  const failed = facts.failed.map(method => html`<p class="note warn">${wayTexts(view, method).unavailable}</p>`);
  if (others.length === 0) {
    return html`${receiverCard(view)}
<section class="card pay" aria-labelledby="method-heading"><h2 id="method-heading">${first && wayTexts(view, first.method).name}</h2>${failed}
${first && section(view, first)}
</section>`;
  }
  return html`${receiverCard(view)}
<section class="card pay" aria-labelledby="method-heading"><h2 id="method-heading">${texts.method}</h2>${failed}
${facts.payable.map(payable => {
  const { name, hint } = wayTexts(view, payable.method);
  return html`<details name="method" id="by-${payable.method}"${payable === first && html` open`}><summary><span>${name}</span><small>${hint}</small></summary>${section(view, payable)}</details>
`;
})}</section>`;
}

function section(view: View, payable: Payable): Html {
  const { token, isSandbox, language } = view;
  const { method } = payable;
  return html`<div class="method ${method}">
${wayOf(method).section(view, payable)}
${
  isSandbox &&
  html`<form method="post" action="/pay/${token}/sandbox/${method}?lang=${language}" class="no-print">
<button class="button test" type="submit">${wayTexts(view, method).simulate}</button></form>`
}
</div>`;
}

/** Shown before the code: a payer who sees the wrong name afterwards has already paid. */
function receiverCard(view: View): Html {
  const { texts, settings, facts, beneficiary } = view;
  const code = facts.payable.map(({ instrument }) => pixCodeOf(instrument)).find(emv => emv !== undefined);
  const name = code === undefined ? beneficiary?.name : receiverIn(code);
  const isShown = facts.payable.some(({ method }) => method === beneficiary?.method);
  const document = settings.document ?? (isShown ? beneficiary?.document : undefined);
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
