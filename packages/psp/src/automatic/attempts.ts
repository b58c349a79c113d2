// The payer's bank: it schedules an attempt or rejects it, and on its day tries between 0 h and 8 h and, without money, again
// between 18 h and 21 h.
import { amountText, centsOf } from '../checks.ts';
import type { Core } from '../core.ts';
import { type CivilDay, civilDay } from '../days.ts';
import { type PixRecord, settlementId } from '../pix-record.ts';
import { change, current } from '../state.ts';
import type { Reason } from './answers.ts';
import { EVENING_HOURS, momentOf, NIGHT_HOURS } from './calendar.ts';
import { closeIfOver, moveCharge } from './charges.ts';
import type { Attempt, CobR } from './model.ts';
import { notifyCobR } from './notices.ts';
import {
  ATTEMPT_TRANSITIONS,
  type AttemptKind,
  type AttemptStatus,
  CODES_THAT_LEAVE_THE_CHARGE,
  mayFollow,
} from './states.ts';

/** Sends an attempt to the payer's bank, which answers a step later. The first one makes the charge ATIVA. */
export function askAttempt(core: Core, charge: CobR, at: Date, tipo: AttemptKind, day: CivilDay): void {
  const attempt: Attempt = {
    dataLiquidacao: day,
    tipo,
    endToEndId: settlementId('E', at, core.random),
    status: 'SOLICITADA',
    atualizacao: [{ status: 'SOLICITADA', data: at.toISOString() }],
  };
  const { status, attempts } = current(charge);
  if (status === 'CRIADA') moveCharge(core, charge, at, 'ATIVA', { attempts: [...attempts, attempt] });
  else write(core, charge, at, [...attempts, attempt]);
  core.agenda.plan(new Date(at.getTime() + core.automatic.rules.stepMs), then => {
    decide(core, charge, attempt.endToEndId, then);
  });
}

/** The answer of the payer's bank to an attempt that it should schedule. */
export function decide(core: Core, charge: CobR, endToEndId: string, at: Date): void {
  const attempt = attemptOf(charge, endToEndId);
  if (attempt?.status !== 'SOLICITADA') return;
  const reason = reasonAgainst(core, charge);
  if (reason) {
    reject(core, charge, attempt, reason, at);
    return;
  }
  write(core, charge, at, replaced(charge, stepped(attempt, 'AGENDADA', at)));
  planTries(core, charge, attempt, at);
}

function planTries(core: Core, charge: CobR, { dataLiquidacao, endToEndId }: Attempt, at: Date): void {
  for (const [from, to] of [NIGHT_HOURS, EVENING_HOURS]) {
    const planned = momentOf(dataLiquidacao, from + core.random.next() * (to - from));
    const moment = planned > at ? planned : at;
    if (moment <= momentOf(dataLiquidacao, to))
      core.agenda.plan(moment, then => void settle(core, charge, endToEndId, then));
  }
  const end = momentOf(dataLiquidacao, EVENING_HOURS[1]);
  core.agenda.plan(end > at ? end : at, then => expire(core, charge, endToEndId, then));
}

/** Pays when there is money; returns whether it did. */
export function settle(core: Core, charge: CobR, endToEndId: string, at: Date): boolean {
  const attempt = attemptOf(charge, endToEndId);
  if (attempt?.status !== 'AGENDADA') return false;
  const { account, clientId } = charge.rec;
  const valor = charge.body.valor.original;
  const cents = centsOf(valor);
  if (account.balance !== undefined && account.balance < cents) return false;
  if (account.balance !== undefined) account.balance -= cents;
  const { payer, terms } = current(charge.rec);
  const { ispbParticipante: _, codMun: __, ...id } = payer!;
  const pix: PixRecord = {
    endToEndId,
    clientId,
    txid: charge.txid,
    chave: undefined,
    valor,
    componentesValor: { original: { valor } },
    horario: at,
    infoPagador: undefined,
    pagador: { ...id, nome: terms.vinculo.devedor.nome },
    atMs: at.getTime(),
    refunds: [{ atMs: at.getTime(), devolucoes: [] }],
  };
  core.state.pix.set(endToEndId, pix);
  const attempts = replaced(charge, stepped(attempt, 'PAGA', at));
  moveCharge(core, charge, at, 'CONCLUIDA', { attempts, pix: [...current(charge).pix, pix] });
  return true;
}

function expire(core: Core, charge: CobR, endToEndId: string, at: Date): void {
  const attempt = attemptOf(charge, endToEndId);
  if (attempt?.status !== 'AGENDADA') return;
  write(core, charge, at, replaced(charge, stepped(attempt, 'EXPIRADA', at)));
  closeIfOver(core, charge, at);
}

const BANK_FAILED = 'AB10';

function reject(core: Core, charge: CobR, attempt: Attempt, rejeicao: Reason, at: Date): void {
  const attempts = replaced(charge, { ...stepped(attempt, 'REJEITADA', at), rejeicao });
  const goesOn = (CODES_THAT_LEAVE_THE_CHARGE as readonly string[]).includes(rejeicao.codigo);
  if (!goesOn) {
    moveCharge(core, charge, at, 'REJEITADA', { attempts, encerramento: { rejeicao } });
    return;
  }
  write(core, charge, at, attempts);
  const { tipo, dataLiquidacao } = attempt;
  // A failure of the bank is not an answer of the payer: the PSP sends the first attempt again once (derived).
  if (rejeicao.codigo === BANK_FAILED && tipo === 'AGND' && civilDay(at) < dataLiquidacao) {
    askAttempt(core, charge, at, 'RIFL', dataLiquidacao);
  } else closeIfOver(core, charge, at);
}

function reasonAgainst({ automatic }: Core, { rec, body }: CobR): Reason | undefined {
  const { refusal } = automatic;
  if (refusal && refusal.left > 0) {
    refusal.left--;
    return { codigo: refusal.codigo, descricao: refusal.descricao };
  }
  const { valorRec } = current(rec).terms.valor ?? {};
  const cents = centsOf(body.valor.original);
  if (valorRec !== undefined && centsOf(valorRec) !== cents) {
    return { codigo: 'AM09', descricao: `O valor da cobrança difere do valor da recorrência, ${valorRec}` };
  }
  const { maximum } = rec.account;
  if (maximum === undefined || cents <= maximum) return undefined;
  return { codigo: 'AM02', descricao: `O valor da cobrança passa do máximo do pagador, ${amountText(maximum)}` };
}

function attemptOf(charge: CobR, endToEndId: string): Attempt | undefined {
  return current(charge).attempts.find(attempt => attempt.endToEndId === endToEndId);
}

function stepped(attempt: Attempt, status: AttemptStatus, at: Date): Attempt {
  if (!mayFollow<AttemptStatus>(ATTEMPT_TRANSITIONS, attempt.status, status))
    throw new Error(`an attempt cannot become ${status} from ${attempt.status}`);
  return { ...attempt, status, atualizacao: [...attempt.atualizacao, { status, data: at.toISOString() }] };
}

function replaced(charge: CobR, attempt: Attempt): Attempt[] {
  return current(charge).attempts.map(one => (one.endToEndId === attempt.endToEndId ? attempt : one));
}

function write(core: Core, charge: CobR, at: Date, attempts: readonly Attempt[]): void {
  change(charge, at, { attempts });
  notifyCobR(core, charge);
}
