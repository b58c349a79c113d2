// The payer of a recurrence and their bank: their actions on request of a test.
import { readCode } from '../br-code.ts';
import type { Core } from '../core.ts';
import { civilDay } from '../days.ts';
import { type PaymentInput, PspRefusal, pay } from '../payer.ts';
import type { PixRecord } from '../pix-record.ts';
import { current } from '../state.ts';
import { momentOf } from './calendar.ts';
import { cancelCharge, isOpenCharge } from './charges.ts';
import type { CobR, Rec } from './model.ts';
import { setMaximum } from './payer-account.ts';
import { findRec, type RecTarget, requireCharge, requireNew, requireRec } from './payer-target.ts';
import { approveRec, cancelRec, expireRec, mayRecBecome, rejectRec } from './recurrences.ts';
import { moveRequest } from './requests.ts';
import type { CanceledBy } from './states.ts';

export type ApproveInput = RecTarget & {
  /** Absent fields are taken from the request, or else from the debtor at a made-up bank. */
  readonly pagador?: {
    readonly cpf?: string;
    readonly cnpj?: string;
    readonly ispbParticipante?: string;
    readonly codMun?: string;
  };
  /** The largest charge that they allow from the beginning, such as `80.00`. */
  readonly maximum?: string;
  /** Whether the charge with a due date of journey 4 is paid at once; true when absent. The cob of journey 3 always is. */
  readonly pay?: boolean;
};

const PAYERS_ISPB = '88888888';
const PAYERS_MUNICIPALITY = '3550308';

type Approved = { readonly rec: Rec; readonly pix: PixRecord | undefined };

export function approve(core: Core, input: ApproveInput): Approved {
  const { rec, journey, request, charge } = findRec(core, input);
  requireNew(rec);
  if (input.maximum !== undefined) setMaximum(rec, input.maximum);
  const { devedor } = current(rec).terms.vinculo;
  const { cpf, cnpj, ispbParticipante = PAYERS_ISPB } = { ...(request?.destinatario ?? devedor), ...input.pagador };
  const id = { ...(cpf !== undefined ? { cpf } : { cnpj: cnpj! }) };
  const paysNow = charge && (charge.kind === 'cob' || input.pay !== false);
  const pix = paysNow
    ? pay(core, { txid: charge.txid, clientId: charge.clientId, pagador: { ...id, nome: devedor.nome } })
    : undefined;
  const at = core.now();
  if (request) moveRequest(request, at, 'ACEITA');
  const { codMun = PAYERS_MUNICIPALITY } = input.pagador ?? {};
  approveRec(core, rec, at, { journey, payer: { ...id, ispbParticipante, codMun } });
  return { rec, pix };
}

/** Paying the code of journey 3 authorises the recurrence. */
export function payCode(core: Core, input: PaymentInput): PixRecord {
  const code = input.emv === undefined || input.force ? undefined : readCode(input.emv);
  if (code?.recurrence === undefined || code.location === undefined) return pay(core, input);
  const { rec, charge } = findRec(core, { emv: input.emv! });
  if (charge?.kind !== 'cob') return pay(core, input);
  requireNew(rec);
  const pix = pay(core, input);
  const { nome: _, ...id } = input.pagador ?? current(rec).terms.vinculo.devedor;
  const payer = { ...id, ispbParticipante: PAYERS_ISPB, codMun: PAYERS_MUNICIPALITY };
  approveRec(core, rec, core.now(), { journey: 'JORNADA_3', payer });
  return pix;
}

export type RejectInput = RecTarget & { readonly codigo?: string; readonly descricao?: string };

export function reject(core: Core, { codigo = 'AP13', descricao, ...target }: RejectInput): Rec {
  const { rec, request } = findRec(core, target);
  requireNew(rec);
  const at = core.now();
  if (request) moveRequest(request, at, 'REJEITADA');
  const why = descricao ?? 'A recorrência foi rejeitada pelo usuário pagador';
  rejectRec(core, rec, at, { rejeicao: { codigo, descricao: why } });
  return rec;
}

export type CancelRecInput = {
  readonly idRec: string;
  readonly solicitante?: CanceledBy;
  readonly codigo?: string;
  readonly descricao?: string;
};

export function cancel(core: Core, { idRec, solicitante = 'USUARIO_PAGADOR', codigo, descricao }: CancelRecInput): Rec {
  const rec = requireRec(core, idRec);
  if (current(rec).status !== 'APROVADA') throw new PspRefusal('not_open', 'The recurrence is not APROVADA.');
  const cancelamento = {
    solicitante,
    codigo: codigo ?? 'SLDB',
    descricao: descricao ?? 'Cancelamento solicitado pelo usuário pagador',
  };
  cancelRec(core, rec, core.now(), { cancelamento });
  return rec;
}

export function expire(core: Core, idRec: string): Rec {
  const rec = requireRec(core, idRec);
  if (!mayRecBecome(rec, 'EXPIRADA')) throw new PspRefusal('not_open', 'The recurrence has ended.');
  expireRec(core, rec, core.now());
  return rec;
}

export type CancelChargeInput = {
  readonly txid: string;
  /** Whose txid; the first client when absent. */
  readonly clientId?: string;
  readonly solicitante?: CanceledBy;
  readonly codigo?: string;
  readonly descricao?: string;
};

/** The payer may until the day before the first attempt has ended. */
export function cancelOne(core: Core, input: CancelChargeInput): CobR {
  const charge = requireCharge(core, input);
  const { solicitante = 'USUARIO_PAGADOR', codigo = 'SLBD' } = input;
  const at = core.now();
  if (!isOpenCharge(charge)) throw new PspRefusal('not_open', 'The charge has ended.');
  if (solicitante === 'USUARIO_PAGADOR' && at >= momentOf(charge.settlesOn, 0))
    throw new PspRefusal('too_late', `The day of its first attempt, ${civilDay(at)}, has begun.`);
  const descricao = input.descricao ?? 'Cancelamento solicitado pelo usuário pagador';
  cancelCharge(core, charge, at, { solicitante, codigo, descricao });
  return charge;
}
