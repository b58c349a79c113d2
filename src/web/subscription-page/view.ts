// Renders the payer's page of a subscription: what is due, what comes next, the history, and a button that stops it.
import type { Customer } from '../../billing/customers/customer.ts';
import { hasEnded } from '../../billing/subscriptions/life.ts';
import type { Cycle, Subscription } from '../../billing/subscriptions/subscription.ts';
import type { nextCycleView } from '../../billing/subscriptions/view.ts';
import { NETWORK_FACTS } from '../../chains/networks.ts';
import type { Charge } from '../../charges/charge.ts';
import type { Links } from '../../charges/links/links.ts';
import { factsOf } from '../checkout/facts.ts';
import { type Frame, pageFoot, pageHead } from '../checkout/frame.ts';
import { maskedDocument, maskedName } from '../checkout/masks.ts';
import { type Html, html } from '../html.ts';
import { type Formats, formatsOf } from '../language.ts';
import { SUBSCRIPTION_TEXTS, type SubscriptionTexts } from './texts.ts';

export type SubscriptionPage = {
  readonly subscription: Subscription;
  readonly customer: Customer;
  /** The cycles that are to be paid, the oldest first. */
  readonly due: readonly Cycle[];
  readonly next: ReturnType<typeof nextCycleView>;
  readonly history: { readonly cycles: readonly Cycle[]; readonly page: number; readonly totalPages: number };
  /** Of all these cycles, by their ids. */
  readonly charges: ReadonlyMap<string, Charge>;
  readonly links: Links;
  readonly frame: Frame;
  readonly now: Date;
};

export function subscriptionTitleOf({ subscription, frame }: SubscriptionPage): string {
  const { title } = SUBSCRIPTION_TEXTS[frame.language];
  return [title, subscription.description, frame.seller].filter(Boolean).join(' · ');
}

export function subscriptionBody(page: SubscriptionPage): Html {
  const { frame } = page;
  const view = { ...page, texts: SUBSCRIPTION_TEXTS[frame.language], formats: formatsOf(frame.language) };
  return html`${pageHead(frame)}
<p class="visually-hidden" role="status" data-live="said">${statusOf(view)}</p>
<main data-live="main">
${statusCard(view)}
${dueCard(view)}
${historyCard(view)}
${stopCard(view)}
</main>
${pageFoot(frame)}`;
}

type View = SubscriptionPage & { readonly texts: SubscriptionTexts; readonly formats: Formats };

function statusOf({ subscription: { status }, texts }: View): string {
  return texts.status[status];
}

const TONES = {
  ...{ trialing: 'plain', active: 'good', past_due: 'warn', paused: 'plain', canceled: 'bad', completed: 'good' },
} as const;

function statusCard(view: View): Html {
  const { subscription, customer, next, texts, formats, frame } = view;
  const { status, description, amountCents, currency, interval, trialEndDay, cancelOn } = subscription;
  const { symbol, network } = subscription;
  const price = formats.money(amountCents, currency);
  return html`<section class="card status ${TONES[status]}" aria-labelledby="status-heading">
<h1 id="status-heading">${statusOf(view)}</h1>
<p class="description">${description}</p>
<p class="amount">${price} <small class="whole">${texts.period[interval]}</small></p>
${symbol && network && html`<p>${texts.buys(symbol.toUpperCase(), NETWORK_FACTS[network].label)}</p>`}
${status === 'trialing' && trialEndDay !== undefined && html`<p>${texts.freeUntil(formats.shortDay(trialEndDay))}</p>`}
${cancelOn !== undefined && !hasEnded(subscription) ? html`<p>${texts.endsOn(formats.shortDay(cancelOn))}</p>` : next && html`<p>${texts.next(price, formats.shortDay(next.day))}</p>`}
${customer.erasedAt === undefined && html`<p class="muted small">${frame.texts.chargedTo} ${maskedName(customer.name)}${customer.document !== undefined && html`, <span class="whole">${maskedDocument(customer.document)}</span>`}</p>`}
</section>`;
}

function dueCard(view: View): Html {
  const { due, texts } = view;
  const lines = due.map(cycle => dueLine(view, cycle)).filter(line => line !== undefined);
  const [payable, owed] = [lines.filter(line => !line.isOver), lines.filter(line => line.isOver)];
  return html`<section class="card" aria-labelledby="due-heading"><h2 id="due-heading">${payable.length > 0 ? texts.due : texts.nothingDue}</h2>
${payable.map(({ line }) => line)}
</section>
${
  owed.length > 0 &&
  html`<section class="card" aria-labelledby="owed-heading"><h2 id="owed-heading">${texts.owed}</h2>
${owed.map(({ line }) => line)}
<p>${texts.askSeller}</p>
</section>`
}`;
}

/**
 * A charge that is still being made cannot be paid yet: its checkout says so. `isOver`: it has expired or was refused, and cannot be paid
 * here any more.
 */
function dueLine(
  { charges, links, texts, formats, frame, now }: View,
  { day, chargeId }: Cycle,
): { readonly isOver: boolean; readonly line: Html } | undefined {
  const charge = chargeId === undefined ? undefined : charges.get(chargeId);
  if (!charge) return undefined;
  const { amountCents, standing, payable } = factsOf(charge, now);
  const [state] = frame.texts.state[standing];
  const amount = formats.money(amountCents);
  if (standing === 'expired' || standing === 'failed') {
    const line = html`<p>${texts.of(formats.shortDay(day))}: ${amount} <small class="muted">${state}</small></p>`;
    return { isOver: true, line };
  }
  const line = html`<p>${texts.of(formats.shortDay(day))} <small class="muted">${state}</small></p>
<a class="button ${payable.length === 0 && 'secondary'} no-print" href="/pay/${links.tokenOf(charge)}?lang=${frame.language}">${payable.length > 0 ? texts.pay(amount) : amount}</a>`;
  return { isOver: false, line };
}

function historyCard(view: View): Html | false {
  const { history, texts, frame } = view;
  const { cycles, page, totalPages } = history;
  const charged = cycles.filter(({ status }) => status !== 'waiting');
  if (charged.length === 0 && page === 1) return false;
  const to = (other: number, label: string) =>
    html`<a class="button secondary" href="?lang=${frame.language}&page=${other}">${label}</a>`;
  const pages = html`<div class="actions no-print">${page > 1 && to(page - 1, texts.newer)}${page < totalPages && to(page + 1, texts.older)}</div>`;
  return html`<section class="card" aria-labelledby="history-heading"><h2 id="history-heading">${texts.history}</h2>
<ol class="instalments">${charged.map(cycle => html`<li>${historyLine(view, cycle)}</li>`)}</ol>
${totalPages > 1 && pages}
</section>`;
}

function historyLine({ charges, links, texts, formats, frame }: View, cycle: Cycle): Html {
  const { day, dueDay = day, status, amountCents, currency, chargeId, paidAt } = cycle;
  const charge = chargeId === undefined ? undefined : charges.get(chargeId);
  const { wasDueOn, dueOn } = frame.texts;
  const when = (status === 'open' ? dueOn : wasDueOn)(formats.shortDay(dueDay));
  const state = paidAt && status === 'paid' ? `${texts.cycle.paid}, ${formats.moment(paidAt)}` : texts.cycle[status];
  const line = html`<span>${when} <small>${state}</small></span><span>${amountCents !== undefined && formats.money(amountCents, currency)}${paidAt && charge && html` <small>${texts.receipt}</small>`}</span>`;
  if (!charge) return html`<p>${line}</p>`;
  return html`<a href="/pay/${links.tokenOf(charge)}?lang=${frame.language}">${line}</a>`;
}

/** Two steps without a script: the first opens the question. */
function stopCard({ subscription, links, texts, frame }: View): Html | false {
  if (hasEnded(subscription)) return false;
  const at = `/my/${links.tokenOf(subscription)}`;
  const lang = `?lang=${frame.language}`;
  if (subscription.cancelOn !== undefined) {
    return html`<section class="card no-print"><form method="post" action="${at}/keep${lang}"><button class="button secondary" type="submit">${texts.keep}</button></form></section>`;
  }
  const { status } = subscription;
  return html`<section class="card pay no-print"><details id="stop"><summary><span>${texts.stop}</span></summary>
<div class="method"><p>${status === 'paused' ? texts.stopNow : texts.stopAtEnd}${status === 'past_due' && ` ${texts.owedStays}`}</p>
<form method="post" action="${at}/stop${lang}"><button class="button secondary" type="submit">${texts.stopConfirm}</button></form></div>
</details></section>`;
}
