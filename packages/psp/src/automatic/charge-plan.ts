// When a charge goes to the payer's bank, and when it ends.
import type { Core } from '../core.ts';
import { addDays } from '../days.ts';
import { current } from '../state.ts';
import { askAttempt } from './attempts.ts';
import { momentOf } from './calendar.ts';
import { endOf, hasOpenAttempt, moveCharge } from './charges.ts';
import type { CobR } from './model.ts';

const SENT_DAYS_AHEAD = 10;

/** When its first attempt goes to the payer's bank, and when it ends unless an attempt is open. */
export function planCharge(core: Core, charge: CobR): void {
  const { stepMs } = core.automatic.rules;
  const { dataDeVencimento } = charge.body.calendario;
  const soonMs = charge.createdAt.getTime() + stepMs;
  const windowMs = momentOf(addDays(dataDeVencimento, -SENT_DAYS_AHEAD), 0).getTime();
  core.agenda.plan(new Date(Math.max(soonMs, windowMs)), at => sendCharge(core, charge, at));
  core.agenda.plan(endOf(charge), at => {
    if (current(charge).status === 'ATIVA' && !hasOpenAttempt(charge)) moveCharge(core, charge, at, 'EXPIRADA');
  });
}

export function sendCharge(core: Core, charge: CobR, at: Date): void {
  if (current(charge).status === 'CRIADA') askAttempt(core, charge, at, 'AGND', charge.settlesOn);
}
