// The status text of a charge: the first thing on the page, read aloud when it changes.
import { takesRemainder } from '../../charges/charge.ts';
import { civilDay } from '../../lib/civil-days.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import { type Html, html } from '../html.ts';
import { maskedDocument, maskedName } from './masks.ts';
import type { View } from './view-model.ts';
import { wayTexts } from './ways/ways.ts';

/** A countdown puts payers under pressure, so it is shown only when the end is near. */
const COUNTDOWN_MS = 15 * 60_000;

const TONES = {
  creating: 'plain',
  open: 'plain',
  overdue: 'warn',
  overdueNoFees: 'warn',
  paid: 'good',
  paidLate: 'good',
  paidInPart: 'warn',
  expired: 'bad',
  priceOver: 'bad',
  canceled: 'bad',
  refunded: 'plain',
  partlyRefunded: 'plain',
  failed: 'bad',
} as const;

/** Drawn, since not every phone has a font with a check mark. */
const CHECK_MARK = html`<svg viewBox="0 0 16 16" width="16" height="16"><path fill="none" stroke="currentColor" stroke-width="2.2" d="M3 8.5l3.5 3.5L13 4.5"/></svg>`;
const SIGNS = { plain: undefined, warn: html`!`, good: CHECK_MARK, bad: html`×` } as const;

export function statusCard(view: View): Html {
  const { texts, formats, facts, charge } = view;
  const [heading] = texts.state[facts.standing];
  const sentence = sentenceOf(view);
  const tone = TONES[facts.standing];
  const canPay = facts.payable.length > 0;
  return html`<section class="card status ${tone}" aria-labelledby="status-heading">
<h1 id="status-heading">${SIGNS[tone] && html`<span class="sign" aria-hidden="true">${SIGNS[tone]}</span>`}${heading}</h1>
${sentence !== '' && html`<p>${sentence}</p>`}
${notes(view).map(note => html`<p class="note">${note}</p>`)}
${amountsOf(view).map(({ name, label, amount }) => html`<p class="amount"><span class="visually-hidden">${label}: </span>${amount}${name !== undefined && html` <small>${name}</small>`}</p>`)}
${charge.currency !== 'BRL' && html`<p class="muted small">${texts.converted(formats.money(charge.amountCents, charge.currency))}</p>`}
${charge.description !== undefined && html`<p class="description">${charge.description}</p>`}
${
  canPay &&
  html`<p class="muted">${dueLine(view)}</p>
<p class="muted small">${texts.chargedTo} ${maskedName(charge.customer.name)}, <span class="whole">${maskedDocument(charge.customer.document)}</span></p>`
}
${mayPayRest(view) && html`<form method="post" action="/pay/${view.token}/remainder?lang=${view.language}" class="no-print"><button class="button" type="submit">${texts.payRest(formats.money(facts.missingCents))}</button></form>`}
${canPay && html`<p class="ending" data-live="ending">${ending(view)}</p>`}
</section>`;
}

/** The amount of each method when they differ, as they may for a late charge; one amount otherwise. */
export function amountsOf(view: View): readonly { label: string; name?: string; amount: string }[] {
  const { texts, formats, facts } = view;
  if (new Set(facts.payable.map(({ asksCents }) => asksCents)).size > 1) {
    return facts.payable.map(({ method, asksCents }) => {
      const { amount: label, name } = wayTexts(view, method);
      return { label, name, amount: formats.money(asksCents) };
    });
  }
  return [{ label: texts.amount, amount: formats.money(facts.amountCents) }];
}

/** Whether the account lets the payer pay the rest of a charge that was paid in part. */
function mayPayRest({ settings, facts, charge }: View): boolean {
  return settings.offersRemainder && facts.missingCents > 0n && takesRemainder(charge);
}

/** For a screen reader, which announces each change. */
export function spokenStatus(view: View): string {
  const [heading = ''] = view.texts.state[view.facts.standing];
  const parts = [heading, sentenceOf(view), ...notes(view)].filter(part => part !== '');
  return parts.map(part => (part.endsWith('.') ? part : `${part}.`)).join(' ');
}

/** «All is well» only when nothing is open. */
function sentenceOf({ texts, facts, bought }: View): string {
  const [, sentence = ''] = texts.state[facts.standing];
  const isOpen = facts.excessCents > 0n || facts.cameAfterEnd || bought?.order.hold || bought?.order.ended;
  return facts.standing === 'paid' && isOpen ? '' : sentence;
}

function notes(view: View): string[] {
  const { texts, formats, facts, charge } = view;
  const offersRest = mayPayRest(view);
  const money = (cents: bigint) => formats.money(cents);
  const isUncredited = ['PARTIALLY_PAID', 'PAID'].includes(charge.state);
  const creditedLater = charge.payments.find(({ method }) => ABILITIES[method].isCreditedLater);
  const found: (string | false)[] = [
    facts.priceEndsAt !== undefined && texts.priceUntil(formats.moment(facts.priceEndsAt)),
    facts.missingCents > 0n &&
      (offersRest ? texts.partialOffered : texts.partial)(money(facts.paidCents), money(facts.missingCents)),
    facts.excessCents > 0n && (facts.isTwice ? texts.twice : texts.over)(money(facts.excessCents)),
    facts.cameAfterEnd && texts.afterEnd,
    isUncredited && creditedLater !== undefined && (wayTexts(view, creditedLater.method).credit ?? false),
    facts.returnedCents > 0n && texts.refundedSum(money(facts.returnedCents)),
    facts.returningCents > 0n && texts.refundPending(money(facts.returningCents)),
  ];
  return found.filter(note => note !== false);
}

function dueLine({ texts, formats, charge, facts, now }: View): string {
  if (facts.endsAt && facts.isShort) return texts.payableUntil(formats.moment(facts.endsAt));
  const due = formats.day(civilDay(charge.dueAt));
  if (facts.standing === 'open') return texts.dueOn(due);
  const last = facts.payable[0]?.owed.lastPayableDay;
  return [texts.wasDueOn(due), last !== undefined && last >= civilDay(now) && texts.payableUntil(formats.day(last))]
    .filter(part => part !== false)
    .join('. ');
}

/** A part of its own: a new countdown must not swap the code that the payer is selecting. */
function ending({ texts, formats, facts, now }: View): Html | false {
  if (!facts.endsAt) return false;
  const leftMs = facts.endsAt.getTime() - now.getTime();
  if (leftMs <= 0 || leftMs > COUNTDOWN_MS) return false;
  return html`${texts.endsAt(formats.moment(facts.endsAt))}.
<span aria-hidden="true" data-live="left" data-left-ms="${leftMs}" hidden>${texts.timeLeft} <b></b></span>`;
}
