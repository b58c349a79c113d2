// Reads received pix as receipts: exact amounts, what went back, and whose key was paid.
import { parseRfc3339 } from '../../lib/date-times.ts';
import { centsAt, idAt, listAt, readableAt, textAt } from '../bank-client/read-answer.ts';
import type { DisputeCause, DisputedReturn, MoneyReturn, Receipt } from '../rail.ts';
import { isSameKey } from './charges.ts';

const MAX_RETURNS = 1_000;
const MAX_HINTS = 1_000;
const MAX_REASON_LENGTH = 200;
const END_TO_END_ID = /^[A-Za-z0-9]{32}$/;

/** A pix that cannot be read: money that must not be overlooked. */
export type Unreadable = {
  readonly kind: 'unreadable';
  readonly reference?: string;
  readonly words: string;
  readonly amountCents?: bigint;
};

type ReadOptions = { readonly pixKey: string; readonly feePath?: string | undefined };

export function readReceipt(pix: unknown, options: ReadOptions): Receipt | Unreadable {
  const key = textAt(pix, 'chave');
  const reference = idAt(pix, 'endToEndId');
  const amountCents = centsAt(pix, 'valor');
  const paidAt = timeAt(pix, 'horario');
  if (reference === undefined || amountCents === undefined || amountCents < 1n || !paidAt) {
    const fields = [
      ...(reference === undefined ? [shown(pix, 'endToEndId')] : []),
      ...(amountCents === undefined || amountCents < 1n ? [shown(pix, 'valor')] : []),
      ...(paidAt ? [] : [shown(pix, 'horario')]),
    ];
    return {
      kind: 'unreadable',
      words: `The PSP lists a payment that cannot be read: ${fields.join(', ')}.`,
      ...(reference !== undefined && { reference }),
      ...(amountCents !== undefined && amountCents >= 1n && { amountCents }),
    };
  }
  const listed = listAt(pix, 'devolucoes').slice(0, MAX_RETURNS);
  const returns = listed.map(readReturn);
  const unreadableReturn = listed[returns.indexOf(undefined)];
  const txid = idAt(pix, 'txid');
  const feeCents = options.feePath === undefined ? undefined : centsAt(pix, options.feePath);
  return {
    reference,
    ...(txid !== undefined && { requestReference: txid }),
    amountCents,
    paidAt,
    returns: returns.filter(one => one !== undefined),
    ...(returns.includes(undefined) && { unreadableReturn: unreadableReturnMessage(unreadableReturn) }),
    ...(key !== undefined && !isSameKey(key, options.pixKey) && { isToOtherKey: true }),
    ...(feeCents !== undefined && { feeCents }),
    ...reductionsIn(pix),
  };
}

/** A PSP that shows the parts of the amount omits those that are zero. */
function reductionsIn(pix: unknown): Pick<Receipt, 'discountCents' | 'abatementCents'> {
  if (centsAt(pix, 'componentesValor.original.valor') === undefined) return {};
  const partOf = (name: string) => centsAt(pix, `componentesValor.${name}.valor`) ?? 0n;
  return { discountCents: partOf('desconto'), abatementCents: partOf('abatimento') };
}

const MAX_SHOWN = 40;

/** A field and the text in it, as the PSP wrote it. */
function shown(item: unknown, path: string): string {
  const text = readableAt(item, path);
  return text === undefined ? `no ${path}` : `${path} «${Array.from(text).slice(0, MAX_SHOWN).join('')}»`;
}

function unreadableReturnMessage(item: unknown): string {
  const fields = [shown(item, idAt(item, 'id') === undefined ? 'rtrId' : 'id'), shown(item, 'valor')];
  return `The PSP lists a return of this payment that cannot be read: ${fields.join(', ')}.`;
}

const RETURN_STATUS: Readonly<Record<string, MoneyReturn['status']>> = {
  EM_PROCESSAMENTO: 'PENDING',
  DEVOLVIDO: 'DONE',
  NAO_REALIZADO: 'FAILED',
};

/** Natures of returns that the receiver asks for; without one it is `ORIGINAL`. */
const ASKED_BY_RECEIVER = ['ORIGINAL', 'RETIRADA'];

const CAUSES: Readonly<Record<string, DisputeCause>> = {
  MED_FRAUDE: 'fraud',
  MED_OPERACIONAL: 'operational_failure',
  MED_PIX_AUTOMATICO: 'automatic_pix',
};
const MAX_CODE_LENGTH = 40;

/** A nature that the norm does not know was not asked for here either, so a person has to know of it. */
function disputeOf(nature: string): DisputedReturn | undefined {
  if (ASKED_BY_RECEIVER.includes(nature)) return undefined;
  return { cause: CAUSES[nature] ?? 'other', bankCode: nature.slice(0, MAX_CODE_LENGTH) };
}

function readReturn(item: unknown): MoneyReturn | undefined {
  const reference = idAt(item, 'id') ?? idAt(item, 'rtrId');
  const amountCents = centsAt(item, 'valor');
  if (reference === undefined || amountCents === undefined) return undefined;
  const nature = readableAt(item, 'natureza')?.trim().toUpperCase() || 'ORIGINAL';
  const refundId = nature === 'ORIGINAL' ? uuidOf(reference) : undefined;
  const reason = [...(nature === 'ORIGINAL' ? [] : [nature]), readableAt(item, 'motivo') ?? []].flat().join(': ');
  // The time of the request says nothing about when it ended.
  const at = timeAt(item, 'horario.liquidacao');
  const dispute = disputeOf(nature);
  return {
    ...(refundId !== undefined && { refundId }),
    reference,
    amountCents,
    status: RETURN_STATUS[textAt(item, 'status')?.toUpperCase() ?? ''] ?? 'PENDING',
    ...(at && { at }),
    ...(reason !== '' && { reason: Array.from(reason).slice(0, MAX_REASON_LENGTH).join('') }),
    ...(dispute && { dispute }),
  };
}

/** The UUID behind an id that this service may have made. */
function uuidOf(id: string): string | undefined {
  const [, ...parts] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/.exec(id.toLowerCase()) ?? [];
  return parts.length === 0 ? undefined : parts.join('-');
}

/** A time without an offset is read as UTC, which the norm uses. */
function timeAt(value: unknown, path: string): Date | undefined {
  const text = textAt(value, path);
  if (text === undefined) return undefined;
  return parseRfc3339(text) ?? parseRfc3339(`${text}Z`) ?? parseRfc3339(text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2'));
}

/** The ids in a notification, without duplicates. Anybody may have sent it, so nothing else in it is read. */
export function hintsIn(body: unknown): readonly string[] {
  const list = Array.isArray(body) ? body : listAt(body, 'pix');
  const ids = [...list.slice(0, MAX_HINTS), body].map(item => textAt(item, 'endToEndId'));
  return [...new Set(ids.filter(id => id !== undefined && END_TO_END_ID.test(id)))] as string[];
}
