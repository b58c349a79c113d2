// Refunds: requested by the receiver or taken by the MED, and how they end.
import { amountText, centsOf } from './checks.ts';
import type { Core } from './core.ts';
import { type Devolucao, type PixRecord, type RefundNature, refundsOf, settlementId } from './pix-record.ts';

type NewRefund = {
  readonly id: string;
  readonly valor: string;
  readonly natureza: RefundNature;
  readonly descricao?: string;
};

type FinalStatus = 'DEVOLVIDO' | 'NAO_REALIZADO';

export function leftToRefund(pix: PixRecord): bigint {
  const taken = refundsOf(pix).filter(({ status }) => status !== 'NAO_REALIZADO');
  return centsOf(pix.valor) - taken.reduce((sum, { valor }) => sum + centsOf(valor), 0n);
}

/** Adds a refund, and ends it as the present rule says. */
export function openRefund(core: Core, pix: PixRecord, input: NewRefund): Devolucao {
  const at = core.now();
  const refund: Devolucao = {
    id: input.id,
    rtrId: settlementId('D', at, core.random),
    valor: input.valor,
    natureza: input.natureza,
    ...(input.descricao !== undefined && { descricao: input.descricao }),
    horario: { solicitacao: at.toISOString() },
    status: 'EM_PROCESSAMENTO',
  };
  write(pix, at, [...refundsOf(pix), refund]);
  const { status, afterMs } = core.refundRule;
  if (afterMs === 0) return endRefund(core, pix, refund.id, status);
  if (afterMs !== null) core.later(afterMs, () => endRefund(core, pix, refund.id, status));
  return refund;
}

/** Ends a refund that is in process, and notifies; one that has ended stays as it is. */
export function endRefund(core: Core, pix: PixRecord, id: string, status: FinalStatus, motivo?: string): Devolucao {
  const at = core.now();
  const refunds = refundsOf(pix);
  const refund = refunds.find(one => one.id === id);
  if (!refund) throw new RangeError('the payment has no such refund');
  if (refund.status !== 'EM_PROCESSAMENTO') return refund;
  const why = motivo ?? (status === 'NAO_REALIZADO' ? 'Conta do pagador encerrada.' : undefined);
  const ended: Devolucao = {
    ...refund,
    horario: { ...refund.horario, ...(status === 'DEVOLVIDO' && { liquidacao: at.toISOString() }) },
    status,
    ...(why !== undefined && { motivo: why }),
  };
  write(
    pix,
    at,
    refunds.map(one => (one === refund ? ended : one)),
  );
  core.notifier.pixChanged(pix);
  return ended;
}

export type MedInput = {
  /** The rest when absent. */
  readonly valor?: string;
  readonly natureza?: MedNature;
  /** `EM_PROCESSAMENTO`: `endRefund` ends it, for a dispute that is being examined. DEVOLVIDO when absent. */
  readonly status?: MedStatus;
};

export const MED_STATUSES = ['EM_PROCESSAMENTO', 'DEVOLVIDO'] as const;
type MedStatus = (typeof MED_STATUSES)[number];

export const MED_NATURES = ['MED_FRAUDE', 'MED_OPERACIONAL', 'MED_PIX_AUTOMATICO'] as const;
type MedNature = (typeof MED_NATURES)[number];

/** Of a recurrence the norm knows no `MED_OPERACIONAL`, and of anything else no `MED_PIX_AUTOMATICO`. */
const FOREIGN = { recurrence: 'MED_OPERACIONAL', other: 'MED_PIX_AUTOMATICO' } as const;

/** A return that the payer's bank asks for, and not the receiver. It is DEVOLVIDO at once, unless it is to stay in process. */
export function medReturn(
  core: Core,
  pix: PixRecord,
  { valor, natureza = 'MED_FRAUDE', status = 'DEVOLVIDO' }: MedInput,
): Devolucao {
  if (natureza === FOREIGN[pix.chave === undefined ? 'recurrence' : 'other'])
    throw new RangeError(`this payment is not returned as ${natureza}`);
  const left = leftToRefund(pix);
  const cents = valor === undefined ? left : centsOf(valor);
  if (cents <= 0n || cents > left) throw new RangeError(`at most ${amountText(left)} can be returned`);
  const at = core.now();
  const askedAt = at.toISOString();
  const refund: Devolucao = {
    id: `MED${core.random.letters(12)}`,
    rtrId: settlementId('D', at, core.random),
    valor: amountText(cents),
    natureza,
    horario: { solicitacao: askedAt, ...(status === 'DEVOLVIDO' && { liquidacao: askedAt }) },
    status,
  };
  write(pix, at, [...refundsOf(pix), refund]);
  core.notifier.pixChanged(pix);
  return refund;
}

function write(pix: PixRecord, at: Date, devolucoes: readonly Devolucao[]): void {
  pix.refunds.push({ atMs: at.getTime(), devolucoes });
}
