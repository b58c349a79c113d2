// The body of POST /cobrancas.
import { daysBetween } from '../../../lib/civil-days.ts';
import type { PaymentRequest, Refusal } from '../../rail.ts';
import { hundredthsIn } from '../../reductions.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { checkTerms, cut, decimalNumber, percentNumber, placeOf } from '../terms.ts';

/** «numDiasAgenda»: how many days after its due day a boleto can be paid. */
const MAX_DAYS_AFTER = 60;
/** The smallest boleto that the bank issues: R$ 2.50. */
const MIN_CENTS = 250n;
const LENGTHS = { name: 100, street: 90, number: 10, complement: 30, neighborhood: 60, city: 60, message: 78 } as const;
const CPF_LENGTH = 11;

export function checkRequest(request: PaymentRequest): Refusal | undefined {
  const refusal = checkTerms(request);
  if (refusal) return refusal;
  if (request.amountCents < MIN_CENTS) {
    return { path: 'amountCents', code: 'too_small', message: 'is below R$ 2.50, the smallest boleto of the bank' };
  }
  const unknown = checkReductions(request);
  if (unknown) return unknown;
  if (daysBetween(request.dueDay, request.expireDay) <= MAX_DAYS_AFTER) return undefined;
  const message = `is more than ${MAX_DAYS_AFTER} days after dueAt, which the bank does not accept`;
  return { path: 'expireAt', code: 'too_late', message };
}

/** The bank has no abatement, and one discount until a day. */
function checkReductions({ abatement, discounts: [first, ...others] = [] }: PaymentRequest): Refusal | undefined {
  if (abatement) return { path: 'abatement', code: 'not_offered', message: 'is not taken by the bank' };
  if (first && 'perDay' in first) {
    return { path: 'discounts[0].perDay', code: 'not_offered', message: 'is not taken by the bank: give a last day' };
  }
  if (others.length === 0) return undefined;
  return { path: 'discounts[1]', code: 'not_offered', message: 'is one more than the one that the bank takes' };
}

/** The bank counts the last day back from the due day. */
function discountPart({ dueDay, discounts: [discount] = [] }: PaymentRequest): object {
  if (!discount || !('until' in discount)) return {};
  const quantidadeDias = daysBetween(discount.until, dueDay);
  const number = decimalNumber(hundredthsIn(discount)!);
  const amount =
    'percent' in discount
      ? { codigo: 'PERCENTUALDATAINFORMADA', taxa: number }
      : { codigo: 'VALORFIXODATAINFORMADA', valor: number };
  return { desconto: { ...amount, quantidadeDias } };
}

export function cobrancaBody({ hasPixCode }: BoletoApiSettings, request: PaymentRequest, reference: string) {
  const { amountCents, dueDay, expireDay, finePercent, interestPercent, description } = request;
  const fine = percentNumber(finePercent);
  const interest = percentNumber(interestPercent);
  return {
    seuNumero: reference,
    valorNominal: decimalNumber(amountCents),
    dataVencimento: dueDay,
    numDiasAgenda: Math.max(0, daysBetween(dueDay, expireDay)),
    pagador: payerOf(request),
    ...discountPart(request),
    ...(fine && { multa: { codigo: 'PERCENTUAL', taxa: fine } }),
    ...(interest && { mora: { codigo: 'TAXAMENSAL', taxa: interest } }),
    ...(description !== undefined && { mensagem: { linha1: cut(description, LENGTHS.message) } }),
    ...(!hasPixCode && { formasRecebimento: ['BOLETO'] }),
  };
}

function payerOf(request: PaymentRequest) {
  const { document, name } = request.payer;
  const { street, number, complement, neighborhood, city, state, postalCode } = placeOf(request);
  return {
    cpfCnpj: document,
    tipoPessoa: document.length === CPF_LENGTH ? 'FISICA' : 'JURIDICA',
    nome: cut(name, LENGTHS.name),
    endereco: cut(street, LENGTHS.street),
    ...(number !== undefined && { numero: cut(number, LENGTHS.number) }),
    ...(complement !== undefined && { complemento: cut(complement, LENGTHS.complement) }),
    ...(neighborhood !== undefined && { bairro: cut(neighborhood, LENGTHS.neighborhood) }),
    cidade: cut(city, LENGTHS.city),
    uf: state.toUpperCase(),
    cep: postalCode,
  };
}
