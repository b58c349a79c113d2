// The life of a recurrence: what approves, refuses and ends it, and what ends with it.
import type { Core } from '../core.ts';
import { addDays, civilDay } from '../days.ts';
import { change, current } from '../state.ts';
import type { Ending, RecPayer } from './answers.ts';
import { momentOf } from './calendar.ts';
import { cancelCharge, isOpenCharge } from './charges.ts';
import type { Rec, RecVersion } from './model.ts';
import { notifyRec } from './notices.ts';
import { isOpenRequest, moveRequest } from './requests.ts';
import { type Journey, mayFollow, REC_TRANSITIONS, type RecStatus } from './states.ts';

export function mayRecBecome(rec: Rec, to: RecStatus): boolean {
  return mayFollow<RecStatus>(REC_TRANSITIONS, current(rec).status, to);
}

function moveRec(core: Core, rec: Rec, at: Date, to: RecStatus, changes: Partial<RecVersion> = {}): void {
  const { status, atualizacao } = current(rec);
  if (!mayRecBecome(rec, to)) throw new Error(`a recurrence cannot become ${to} from ${status}`);
  change(rec, at, { ...changes, status: to, atualizacao: [...atualizacao, { status: to, data: at.toISOString() }] });
  notifyRec(core, rec);
}

type Approval = { readonly journey: Exclude<Journey, 'AGUARDANDO_DEFINICAO'>; readonly payer: RecPayer };

/** By the norm the PSP drops the txid of journey 3 when the payer takes another journey. */
export function approveRec(core: Core, rec: Rec, at: Date, { journey, payer }: Approval): void {
  const txid = journey === 'JORNADA_3' ? current(rec).txid : undefined;
  endRequests(rec, at);
  moveRec(core, rec, at, 'APROVADA', { journey, payer, txid });
}

export function rejectRec(core: Core, rec: Rec, at: Date, encerramento: Ending): void {
  endRequests(rec, at);
  moveRec(core, rec, at, 'REJEITADA', { encerramento });
}

/** Charges for a later day end with it; those of today continue. */
export function cancelRec(core: Core, rec: Rec, at: Date, encerramento: Ending): void {
  const today = civilDay(at);
  endRequests(rec, at);
  moveRec(core, rec, at, 'CANCELADA', { encerramento });
  const reason = { codigo: 'CCLD', descricao: 'A recorrência foi cancelada' };
  const solicitante = encerramento.cancelamento?.solicitante ?? 'PSP_RECEBEDOR';
  for (const charge of rec.charges) {
    const isForToday = current(charge).attempts.some(
      ({ status, dataLiquidacao }) => status === 'AGENDADA' && dataLiquidacao <= today,
    );
    if (isOpenCharge(charge) && !isForToday) cancelCharge(core, charge, at, { ...reason, solicitante });
  }
}

export function expireRec(core: Core, rec: Rec, at: Date): void {
  endRequests(rec, at);
  moveRec(core, rec, at, 'EXPIRADA');
}

/** Ends it with the day of `dataFinal`, if it has one. */
export function planExpiry(core: Core, rec: Rec): void {
  const { dataFinal } = current(rec).terms.calendario;
  if (dataFinal === undefined) return;
  core.agenda.plan(momentOf(addDays(dataFinal, 1), 0), at => {
    if (mayRecBecome(rec, 'EXPIRADA')) expireRec(core, rec, at);
  });
}

function endRequests(rec: Rec, at: Date): void {
  for (const request of rec.requests.filter(isOpenRequest)) moveRequest(request, at, 'CANCELADA');
}
