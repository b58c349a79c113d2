// What is owed and was paid of several charges: those of a customer, those of an instalment plan.
import type { balanceView } from '../../charges/balance.ts';
import { html, type Piece } from '../html.ts';
import { count, reais } from './formats.ts';
import { facts } from './parts.ts';

type Balance = ReturnType<typeof balanceView>;

export function balanceCard({ open, overdue, missing, paid, refunded }: Balance): Piece {
  const sum = ({ count: number, amountCents }: Balance['open']) => `${reais(amountCents)} (${count(number)})`;
  return html`<section class="card"><h2>Owed and paid</h2>${facts([
    ['Open', sum(open)],
    ['Overdue, of that', sum(overdue)],
    ['Missing from partial payments', missing.count > 0 && sum(missing)],
    ['Paid', sum(paid)],
    ['Sent back', sum(refunded)],
  ])}<p class="muted small">The number of charges, payments or refunds is in brackets. Fines, interest, discounts and abatements are not included.</p></section>`;
}
