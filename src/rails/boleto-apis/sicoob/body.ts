// The body of POST /boletos.
import { addDays, type CivilDay, civilDay } from '../../../lib/civil-days.ts';
import { txidOf } from '../../br-code.ts';
import type { PaymentRequest } from '../../rail.ts';
import { discountCode, hundredthsIn, reductionOf } from '../../reductions.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { cut, decimalNumber, percentNumber, placeOf } from '../terms.ts';
import { agreementFields, apiNumber } from './number.ts';

/** «Duplicata mercantil». */
const SPECIES = 'DM';
/** The customer prints and delivers the slip, not the bank. */
const CUSTOMER = 2;
const NO_DISCOUNT = 0;
const FINE = { none: 0, percent: 2 } as const;
const INTEREST = { percentAMonth: 2, none: 3 } as const;
const NO_PROTEST = 3;
const NO_NEGATIVE_LISTING = 3;
const PIX = { with: 1, without: 2 } as const;
/** The bank requires the field, but a charge may not have it. */
const NO_NEIGHBORHOOD = 'NAO INFORMADO';

const LENGTHS = { name: 50, street: 40, neighborhood: 30, city: 40, message: 40 } as const;

export function boletoBody(settings: BoletoApiSettings, request: PaymentRequest, reference: string) {
  const { account, hasPixCode, species = SPECIES, contractNumber } = settings;
  const { accountNumber = '', accountDigit = '' } = account;
  const { id, amountCents, createdAt, dueDay, description } = request;
  // The bank refuses a boleto that was issued after its due day.
  const issueDay = earlier(civilDay(createdAt), dueDay);
  const lastDay = lastDayOf(request);
  return {
    ...agreementFields(account),
    numeroContaCorrente: Number(accountNumber + accountDigit),
    codigoEspecieDocumento: species,
    dataEmissao: issueDay,
    nossoNumero: apiNumber(account, reference),
    seuNumero: reference,
    identificacaoBoletoEmpresa: txidOf(id),
    identificacaoEmissaoBoleto: CUSTOMER,
    identificacaoDistribuicaoBoleto: CUSTOMER,
    valor: decimalNumber(amountCents),
    dataVencimento: dueDay,
    dataLimitePagamento: lastDay,
    ...reductions(request),
    ...lateFees(request, lastDay),
    numeroParcela: 1,
    aceite: false,
    codigoNegativacao: NO_NEGATIVE_LISTING,
    codigoProtesto: NO_PROTEST,
    pagador: payerOf(request),
    ...(description !== undefined && { mensagensInstrucao: [cut(description, LENGTHS.message)] }),
    gerarPdf: false,
    codigoCadastrarPIX: hasPixCode ? PIX.with : PIX.without,
    ...(contractNumber !== undefined && { numeroContratoCobranca: Number(contractNumber) }),
  };
}

const DISCOUNTS = ['Primeiro', 'Segundo', 'Terceiro'] as const;

/** An abatement is an amount there; a discount for each day is counted to the due day. */
function reductions({ amountCents, dueDay, abatement, discounts = [] }: PaymentRequest): object {
  const abatementCents = abatement ? reductionOf(amountCents, abatement) : 0n;
  const dated = discounts.map((discount, index) => ({
    [`data${DISCOUNTS[index]}Desconto`]: 'until' in discount ? discount.until : dueDay,
    [`valor${DISCOUNTS[index]}Desconto`]: decimalNumber(hundredthsIn(discount)!),
  }));
  return {
    ...(abatementCents > 0n && { valorAbatimento: decimalNumber(abatementCents) }),
    tipoDesconto: discounts[0] ? discountCode(discounts[0]) : NO_DISCOUNT,
    ...Object.assign({}, ...dated),
  };
}

export function lastDayOf({ dueDay, expireDay }: PaymentRequest): CivilDay {
  return laterDay(dueDay, expireDay);
}

/**
 * They begin on the day after the due day, which must not be after the last payable day: a boleto that ends with its due day is never late.
 */
export function lateFees({ dueDay, finePercent, interestPercent }: PaymentRequest, lastDay: CivilDay) {
  const canBeLate = lastDay > dueDay;
  const fine = canBeLate ? percentNumber(finePercent) : undefined;
  const interest = canBeLate ? percentNumber(interestPercent) : undefined;
  const from = addDays(dueDay, 1);
  return {
    tipoMulta: fine ? FINE.percent : FINE.none,
    ...(fine && { dataMulta: from, valorMulta: fine }),
    tipoJurosMora: interest ? INTEREST.percentAMonth : INTEREST.none,
    ...(interest && { dataJurosMora: from, valorJurosMora: interest }),
  };
}

function payerOf(request: PaymentRequest) {
  const { street, number, complement, neighborhood, city, state, postalCode } = placeOf(request);
  return {
    numeroCpfCnpj: request.payer.document,
    nome: cut(request.payer.name, LENGTHS.name),
    endereco: cut([street, number, complement].filter(Boolean).join(' '), LENGTHS.street),
    bairro: cut(neighborhood ?? '', LENGTHS.neighborhood) || NO_NEIGHBORHOOD,
    cidade: cut(city, LENGTHS.city),
    cep: postalCode,
    uf: state.toUpperCase(),
  };
}

const earlier = (a: CivilDay, b: CivilDay) => (a < b ? a : b);
const laterDay = (a: CivilDay, b: CivilDay) => (a > b ? a : b);
