// The life of the charge of one cycle, around its attempts.
import type { Core } from '../core.ts';
import { addDays, civilDay } from '../days.ts';
import { change, current } from '../state.ts';
import type { Ending } from './answers.ts';
import { EVENING_HOURS, lastRetryDay, momentOf } from './calendar.ts';
import type { Attempt, CobR, CobRVersion } from './model.ts';
import { notifyCobR } from './notices.ts';
import { COBR_TRANSITIONS, type CobRStatus, mayFollow } from './states.ts';

function isOpenAttempt({ status }: Attempt): boolean {
  return status === 'SOLICITADA' || status === 'AGENDADA';
}

export function isOpenCharge(charge: CobR): boolean {
  return ['CRIADA', 'ATIVA'].includes(current(charge).status);
}

export function hasOpenAttempt(charge: CobR): boolean {
  return current(charge).attempts.some(isOpenAttempt);
}

type ChargeChanges = Partial<Pick<CobRVersion, 'attempts' | 'encerramento' | 'pix'>>;

export function moveCharge(core: Core, charge: CobR, at: Date, to: CobRStatus, changes: ChargeChanges = {}): void {
  const { status, atualizacao } = current(charge);
  if (!mayFollow<CobRStatus>(COBR_TRANSITIONS, status, to))
    throw new Error(`a charge cannot become ${to} from ${status}`);
  change(charge, at, { ...changes, status: to, atualizacao: [...atualizacao, { status: to, data: at.toISOString() }] });
  notifyCobR(core, charge);
}

/** With the attempts that are open. */
export function cancelCharge(
  core: Core,
  charge: CobR,
  at: Date,
  cancelamento: NonNullable<Ending['cancelamento']>,
): void {
  const data = at.toISOString();
  const attempts = current(charge).attempts.map(attempt =>
    isOpenAttempt(attempt)
      ? {
          ...attempt,
          status: 'CANCELADA' as const,
          atualizacao: [...attempt.atualizacao, { status: 'CANCELADA' as const, data }],
        }
      : attempt,
  );
  moveCharge(core, charge, at, 'CANCELADA', { attempts, encerramento: { cancelamento } });
}

/** The moment from which no further attempt may be requested. */
export function endOf(charge: CobR): Date {
  const { politicaRetentativa, calendario } = current(charge.rec).terms;
  const last = momentOf(charge.settlesOn, EVENING_HOURS[1]);
  if (politicaRetentativa === 'NAO_PERMITE') return last;
  const retries = momentOf(addDays(lastRetryDay(calendario, charge.body.calendario.dataDeVencimento), 1), 0);
  return retries > last ? retries : last;
}

export const MAX_RETRIES = 3;

/** After a failed attempt: the charge ends at once when no other may follow. */
export function closeIfOver(core: Core, charge: CobR, at: Date): void {
  const { attempts, status } = current(charge);
  const { politicaRetentativa, calendario } = current(charge.rec).terms;
  if (status !== 'ATIVA' || hasOpenAttempt(charge) || civilDay(at) < charge.settlesOn) return;
  const retries = attempts.filter(({ tipo }) => tipo === 'NTAG').length;
  const mayRetry =
    politicaRetentativa === 'PERMITE_3R_7D' &&
    retries < MAX_RETRIES &&
    civilDay(at) < lastRetryDay(calendario, charge.body.calendario.dataDeVencimento);
  if (!mayRetry) moveCharge(core, charge, at, 'EXPIRADA');
}
