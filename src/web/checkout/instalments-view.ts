// The page of an instalment plan: the next instalment due first, then all of them, each with a link to its own checkout.
import type { InstalmentPlan } from '../../billing/instalments/instalment-plan.ts';
import type { PlanPart } from '../../billing/instalments/show.ts';
import type { Charge } from '../../charges/charge.ts';
import type { Links } from '../../charges/links/links.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { boletosOfPlan } from '../boletos-of-plan.ts';
import { type Html, html } from '../html.ts';
import { type Facts, factsOf } from './facts.ts';
import { pageFoot, pageHead } from './frame.ts';
import { maskedDocument, maskedName } from './masks.ts';
import { frameOf, sellerOf, type View } from './view-model.ts';

export type PlanView = {
  readonly plan: InstalmentPlan;
  /** In their order. */
  readonly parts: readonly PlanPart[];
  /** Of the charge that is shown first, or of the first one where none can be paid. */
  readonly view: View;
  readonly links: Links;
};

export function planTitleOf({ view, plan }: PlanView): string {
  return [view.texts.instalments.title, plan.description, sellerOf(view)].filter(Boolean).join(' · ');
}

export function planBody(page: PlanView): Html {
  const { view, parts } = page;
  return html`${pageHead(frameOf(view))}
<p class="visually-hidden" role="status" data-live="said">${progressOf(page)}</p>
<main data-live="main">
${nextCard(page)}
<section class="card" aria-labelledby="all-heading"><h2 id="all-heading">${view.texts.instalments.all}</h2>
<ol class="instalments">${parts.map(({ charge }) => html`<li>${line(page, charge)}</li>`)}</ol>
${hasOpenBoleto(page) && html`<a class="button secondary no-print" href="/pay/instalments/${page.links.tokenOf(page.plan)}/slips.pdf">${view.texts.instalments.pdf}</a>`}
</section>
</main>
${pageFoot(frameOf(view))}`;
}

function progressOf({ plan: { paidCount, instalmentCount }, view: { texts } }: PlanView): string {
  return texts.instalments.progress(paidCount, instalmentCount);
}

function nextCard(page: PlanView): Html {
  const { plan, view, links } = page;
  const { texts, formats, facts, charge, language } = view;
  const said = texts.instalments;
  const canPay = facts.payable.length > 0;
  const [heading, tone] = canPay ? [said.next, 'plain'] : ENDS[plan.state](view);
  return html`<section class="card status ${tone}" aria-labelledby="status-heading">
<h1 id="status-heading">${heading}</h1>
<p>${progressOf(page)}</p>
${plan.description !== undefined && html`<p class="description">${plan.description}</p>`}
${
  canPay &&
  html`<p class="amount">${formats.money(facts.amountCents)}</p>
<p class="muted">${nameOf(page, charge)} · ${dueOf(view, charge)}</p>
<p class="muted small">${texts.chargedTo} ${maskedName(charge.customer.name)}, <span class="whole">${maskedDocument(charge.customer.document)}</span></p>
<a class="button no-print" href="/pay/${links.tokenOf(charge)}?lang=${language}">${said.pay(nameOf(page, charge))}</a>`
}
</section>`;
}

/** What is said when nothing can be paid. */
const ENDS = {
  OPEN: ({ texts }: View) => [texts.instalments.nothing, 'warn'],
  COMPLETED: ({ texts }: View) => [texts.instalments.completed, 'good'],
  CANCELED: ({ texts }: View) => [texts.instalments.canceled, 'bad'],
} as const satisfies Record<InstalmentPlan['state'], (view: View) => readonly [string, string]>;

function line(page: PlanView, charge: Charge): Html {
  const { view, links } = page;
  const { texts, formats, now, language } = view;
  const facts: Facts = factsOf(charge, now);
  const [state] = texts.state[facts.standing];
  return html`<a href="/pay/${links.tokenOf(charge)}?lang=${language}"><span>${nameOf(page, charge)} <small>${dueOf(view, charge)}</small></span><span>${formats.money(facts.amountCents)} <small>${state}</small></span></a>`;
}

function nameOf({ plan, parts, view }: PlanView, { id, instalment }: Charge): string {
  const { name, rest } = view.texts.instalments;
  const number = parts.find(({ charge }) => charge.id === id)?.number ?? 0;
  return (instalment ? name : rest)(number, plan.instalmentCount);
}

function dueOf({ texts, formats, now }: View, { dueAt }: Charge): string {
  const day = formats.shortDay(civilDay(dueAt));
  return dueAt < now ? texts.wasDueOn(day) : texts.dueOn(day);
}

/** Until the banks have made all of them, there is no file. */
function hasOpenBoleto({ parts }: PlanView): boolean {
  const { open, missing } = boletosOfPlan(parts);
  return open.length > 0 && missing === 0;
}
