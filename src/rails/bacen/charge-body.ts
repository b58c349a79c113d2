// A payment request in the form of the norm: its kind of charge, exact amounts and dates.
import { daysBetween } from '../../lib/civil-days.ts';
import { exactNumber, formatUnits, parseUnits } from '../../lib/decimals.ts';
import { checkPix } from '../br-code.ts';
import { isCharged, isInstantPix } from '../instant-pix.ts';
import type { Location, PaymentRequest, Refusal } from '../rail.ts';
import { type Discount, discountCode, hundredthsIn, type Reduction, tooFinePercent } from '../reductions.ts';
import type { ChargeKind } from './profile.ts';

/** The UUID's 32 hexadecimal digits; the norm allows 26 to 35 letters and digits. */
export function pspIdOf(uuid: string): string {
  return uuid.replaceAll('-', '');
}

/** A `cob` ends at an exact second; with a fine, interest or a due day it is a `cobv`. */
export function kindOf(request: PaymentRequest): ChargeKind {
  return isInstantPix(request) ? 'cob' : 'cobv';
}

/** Refuses what the norm cannot express exactly: amounts above its ceiling, percents finer than a hundredth. */
export function checkRequest(request: PaymentRequest): Refusal | undefined {
  return (
    checkPix(request) ??
    checkPercent('taxes.fine', request.finePercent) ??
    checkPercent('taxes.interest', request.interestPercent) ??
    checkReductions(request)
  );
}

function checkReductions(request: PaymentRequest): Refusal | undefined {
  const path = tooFinePercent(request);
  return path === undefined ? undefined : { path, code: 'too_precise', message: TOO_PRECISE };
}

const TOO_PRECISE = 'must have at most two decimals to be charged by pix';

function checkPercent(path: string, percent: string | undefined): Refusal | undefined {
  if (!isCharged(percent) || parseUnits(percent, 2) !== undefined) return undefined;
  return { path, code: 'too_precise', message: TOO_PRECISE };
}

/** Two decimals, always. */
export function reaisText(cents: bigint): string {
  const [whole = '0', fraction = ''] = formatUnits(cents, 2).split('.');
  return `${whole}.${fraction.padEnd(2, '0')}`;
}

type BodyOptions = {
  readonly pixKey: string;
  readonly now: Date;
  readonly location?: Location | undefined;
  readonly sendsLocationKind: boolean;
};

export function chargeBody(request: PaymentRequest, options: BodyOptions): object {
  const { pixKey, location, sendsLocationKind } = options;
  const kind = kindOf(request);
  const { description } = request;
  return {
    ...(kind === 'cob' ? cobPart(request, options.now) : cobvPart(request)),
    ...(location && { loc: { id: exactNumber(location.id), ...(sendsLocationKind && { tipoCob: kind }) } }),
    chave: pixKey,
    ...(description && { solicitacaoPagador: cut(description, 140) }),
  };
}

function cobPart({ expireAt, amountCents, payer }: PaymentRequest, now: Date): object {
  const seconds = Math.floor((expireAt.getTime() - now.getTime()) / 1_000);
  return {
    calendario: { expiracao: Math.max(1, seconds) },
    devedor: person(payer),
    valor: { original: reaisText(amountCents) },
  };
}

/** Codes of the norm for an abatement. */
const ABATEMENT_AMOUNT = 1;
const ABATEMENT_PERCENT = 2;

/** `check` has refused finer percents. */
const valorPercOf = (reduction: Reduction) => reaisText(hundredthsIn(reduction)!);

function abatementPart(abatement: Reduction): object {
  const modalidade = 'percent' in abatement ? ABATEMENT_PERCENT : ABATEMENT_AMOUNT;
  return { abatimento: { modalidade, valorPerc: valorPercOf(abatement) } };
}

/** All discounts of a charge are of one kind. */
function discountPart(discounts: readonly Discount[]): object {
  const [first] = discounts;
  if (!first) return {};
  const modalidade = discountCode(first);
  if ('perDay' in first) return { desconto: { modalidade, valorPerc: valorPercOf(first) } };
  const dated = discounts.flatMap(one => ('until' in one ? { data: one.until, valorPerc: valorPercOf(one) } : []));
  return { desconto: { modalidade, descontoDataFixa: dated } };
}

/** Codes of the norm: a fine in percent, and interest in percent per month of calendar days. */
const FINE_PERCENT = 2;
const INTEREST_PERCENT_A_MONTH = 3;

function cobvPart(request: PaymentRequest): object {
  const { amountCents, dueDay, expireDay, finePercent, interestPercent, abatement, discounts = [], payer } = request;
  return {
    calendario: { dataDeVencimento: dueDay, validadeAposVencimento: Math.max(0, daysBetween(dueDay, expireDay)) },
    devedor: { ...addressOf(payer), ...person(payer) },
    valor: {
      original: reaisText(amountCents),
      ...(isCharged(finePercent) && { multa: { modalidade: FINE_PERCENT, valorPerc: percentText(finePercent) } }),
      ...(isCharged(interestPercent) && {
        juros: { modalidade: INTEREST_PERCENT_A_MONTH, valorPerc: percentText(interestPercent) },
      }),
      ...(abatement && abatementPart(abatement)),
      ...discountPart(discounts),
    },
  };
}

/** `check` has refused percents with more decimals. */
function percentText(percent: string): string {
  return reaisText(parseUnits(percent, 2)!);
}

type Payer = PaymentRequest['payer'];

const CPF = /^\d{11}$/;

function person({ document, name }: Payer): object {
  return { ...documentField(document), nome: cut(name, 200) };
}

export function documentField(document: string): { readonly cpf: string } | { readonly cnpj: string } {
  return CPF.test(document) ? { cpf: document } : { cnpj: document };
}

/** Optional in the norm, so a malformed field is omitted. */
function addressOf({ address = {} }: Payer): object {
  const { street, number, complement, neighborhood, city, state, postalCode } = address as Record<
    string,
    string | undefined
  >;
  const logradouro = [street, number, complement, neighborhood].filter(Boolean).join(', ');
  const cep = postalCode?.replace(/\D/g, '') ?? '';
  return {
    ...(street && { logradouro: cut(logradouro, 200) }),
    ...(city && { cidade: cut(city, 200) }),
    ...(/^[A-Za-z]{2}$/.test(state ?? '') && { uf: state!.toUpperCase() }),
    ...(cep.length === 8 && { cep }),
  };
}

/** Whole characters, not halves of a surrogate pair. */
export function cut(text: string, length: number): string {
  return text.length <= length ? text : Array.from(text).slice(0, length).join('');
}
