// Formats amounts, days, documents, addresses and instructions for a boleto, in Brazilian Portuguese.
import assert from 'node:assert/strict';
import { formatBoleto, formatCep, formatCnpj, formatCpf } from '@brazilian-utils/brazilian-utils';
import { digitableLine, modulo11OrZero } from '@trilho/cnab';
import type { Address } from '../../charges/charge.ts';
import type { CivilDay } from '../../lib/civil-days.ts';
import { comparePercents, plainPercent } from '../../lib/percents.ts';
import type { Discount } from '../../rails/reductions.ts';
import type { BoletoSlip } from './slip.ts';

export const SANDBOX_WARNING = 'SANDBOX: este boleto não pode ser pago';

/** Formats 123456n as `1.234,56`. */
export function reais(cents: bigint): string {
  const digits = String(cents).padStart(3, '0');
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, '.')},${digits.slice(-2)}`;
}

/** Formats `2026-12-10` as `10/12/2026`. */
export function writtenDay(day: CivilDay): string {
  return day.split('-').reverse().join('/');
}

/** A CPF or CNPJ with its punctuation, and its kind. */
export function writtenDocument(document: string): { readonly kind: 'CPF' | 'CNPJ'; readonly number: string } {
  // A checkout link passes a masked document.
  if (document.includes('*')) return { kind: 'CPF', number: document };
  return document.length === 11
    ? { kind: 'CPF', number: formatCpf(document) }
    : { kind: 'CNPJ', number: formatCnpj(document, { version: 2 }) };
}

/**
 * The two lines of an address; a line is empty when its fields are absent. The second begins with the postal code, so
 * that a cut never removes it.
 */
export function addressLines(address: Address = {}): readonly [street: string, place: string] {
  const { street, number, complement, neighborhood, city, state, postalCode, countryCode } = address;
  const door = joined(', ', street, number);
  const town = joined('/', city, state);
  const code = postalCode && `CEP ${/^\d{8}$/.test(postalCode) ? formatCep(postalCode) : postalCode}`;
  const country = countryCode?.toUpperCase() === 'BR' ? undefined : countryCode;
  return [joined(' - ', door, complement, neighborhood), joined(' - ', code, town, country)];
}

/** The digitable line in its five groups: `99991.76325 74800.240983 95153.362157 5 16560000015990`. */
export function writtenLine(barcode: string): string {
  return formatBoleto(digitableLine(barcode));
}

/** If the check digit is 10, most banks print 0; these banks print another one. */
const OWN_DIGITS: Readonly<Record<string, string>> = { '748': 'X', '085': '1' };

/** The code of a bank with its modulo-11 digit: `001-9`, `237-2`, `999-7`. */
export function writtenBankCode(code: string): string {
  assert(/^\d{3}$/.test(code), 'a bank has three digits');
  return `${code}-${OWN_DIGITS[code] ?? modulo11OrZero(code)}`;
}

/** The instructions for the cashier and the payer, one sentence per line, without the warning of a sandbox. */
export function instructions(slip: BoletoSlip): readonly string[] {
  const paidLate = slip.lastPayableDay > slip.dueDay;
  const fees = joined(
    ' e ',
    isCharged(slip.finePercent) && `multa de ${percent(slip.finePercent)}`,
    isCharged(slip.interestPercent) && `juros de ${percent(slip.interestPercent)} ao mês`,
  );
  return [
    ...(slip.abatementCents === undefined ? [] : [`Conceder abatimento de R$ ${reais(slip.abatementCents)}`]),
    ...(slip.discounts ? [`Conceder desconto de ${slip.discounts.map(writtenDiscount).join(', ')}`] : []),
    ...(paidLate && fees ? [`Após o vencimento cobrar ${fees}`] : []),
    paidLate ? `Não receber após ${writtenDay(slip.lastPayableDay)}` : 'Não receber após o vencimento',
    ...(slip.checkoutUrl === undefined ? [] : [`Situação e 2ª via: ${slip.checkoutUrl}`]),
  ];
}

const EARLY_DAYS = { calendar: 'dia corrido', banking: 'dia útil' } as const;

/** `5% até 30/11/2026`, `R$ 1,00 por dia útil de antecipação`. */
function writtenDiscount(discount: Discount): string {
  const amount = 'percent' in discount ? percent(discount.percent) : `R$ ${reais(discount.amountCents)}`;
  if ('until' in discount) return `${amount} até ${writtenDay(discount.until)}`;
  return `${amount} por ${EARLY_DAYS[discount.perDay]} de antecipação`;
}

function isCharged(percentage: string | undefined): percentage is string {
  return percentage !== undefined && comparePercents(percentage, '0') > 0;
}

/** Formats `2.50` as `2,5%`. */
function percent(decimal: string): string {
  return `${plainPercent(decimal).replace('.', ',')}%`;
}

function joined(separator: string, ...parts: readonly (string | false | undefined)[]): string {
  return parts
    .map(part => (part ? part.trim() : ''))
    .filter(part => part !== '')
    .join(separator);
}
