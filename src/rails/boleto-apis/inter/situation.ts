// What a boleto as Inter shows it means for its request. Pure.
import { centsAt, idAt, readableAt, textAt } from '../../bank-client/read-answer.ts';
import type { CancelOutcome, Finding, Outcome, PaymentRequest } from '../../rail.ts';
import { instrumentIn } from '../instrument.ts';

export const PATHS = {
  line: 'boleto.linhaDigitavel',
  number: 'boleto.nossoNumero',
  code: 'pix.pixCopiaECola',
  txid: 'pix.txid',
} as const;

export const situationIn = (body: unknown) => textAt(body, 'cobranca.situacao')?.toUpperCase();
const OVER: readonly (string | undefined)[] = ['CANCELADO', 'EXPIRADO', 'FALHA_EMISSAO'];
/** The bank's id of it. */
export const codeIn = (body: unknown) => idAt(body, 'cobranca.codigoSolicitacao');
export const isOver = (body: unknown) => OVER.includes(situationIn(body));

export function findingOf(body: unknown): Finding {
  const situation = situationIn(body);
  const bankId = codeIn(body);
  if (situation === 'CANCELADO' || situation === 'EXPIRADO') return { kind: 'withdrawn' };
  if (situation === 'FALHA_EMISSAO') {
    const message = readableAt(body, 'cobranca.motivoCancelamento') ?? 'the bank gives no reason';
    return { kind: 'rejected', reason: `FALHA_EMISSAO: ${message}` };
  }
  const instrument = situation === 'EM_PROCESSAMENTO' ? undefined : instrumentIn(body, PATHS);
  const known = bankId !== undefined && { bankId };
  return instrument ? { kind: 'registered', instrument, ...known } : { kind: 'accepted', ...known };
}

export function asOutcome(finding: Finding): Outcome {
  if (finding.kind === 'withdrawn') return { kind: 'rejected', reason: 'The boleto was canceled at the bank.' };
  return finding.kind === 'absent' ? { kind: 'unknown' } : finding;
}

export const dueDayIn = (body: unknown) => textAt(body, 'cobranca.dataVencimento')?.slice(0, 10);

/** Undefined while it can be paid. */
export function endOf(body: unknown): CancelOutcome | undefined {
  const situation = situationIn(body);
  if (situation === 'RECEBIDO' || situation === 'MARCADO_RECEBIDO') return { kind: 'too_late' };
  return isOver(body) ? { kind: 'withdrawn' } : undefined;
}

/** A filter may return more than was asked for, and a person may enter any number on the bank's own site. */
export function isSameRequest(body: unknown, request: PaymentRequest, reference: string): boolean {
  const { amountCents, dueDay, askedDueDay } = request;
  const isOurs = textAt(body, 'cobranca.seuNumero')?.trim() === reference;
  const dueOn = dueDayIn(body);
  const isDue = dueOn !== undefined && (dueOn === dueDay || dueOn === askedDueDay);
  return isOurs && isDue && centsAt(body, 'cobranca.valorNominal') === amountCents;
}
