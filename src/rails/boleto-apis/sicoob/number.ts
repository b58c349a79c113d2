// The nosso número in Sicoob's API: one integer with the check digit at the end.
import { type BoletoAccount, sicoob } from '@trilho/cnab';

export const NUMBER_DIGITS = 7;

/** «Modalidade» simple with registration. */
const MODALITY = 1;

/** The integer of our number in the API. */
export function apiNumber(account: BoletoAccount, reference: string): number {
  return Number(sicoob.boleto.formatOurNumber(account, reference).replace(/\D/g, ''));
}

/** Our number in an integer of the API; undefined when its check digit is not that of this agreement. */
export function ownNumber(account: BoletoAccount, number: string): string | undefined {
  if (!/^\d{2,8}$/.test(number)) return undefined;
  const reference = number.slice(0, -1).padStart(NUMBER_DIGITS, '0');
  if (!/[1-9]/.test(reference)) return undefined;
  return apiNumber(account, reference) === Number(number) ? reference : undefined;
}

/** What identifies the agreement in every call. */
export function agreementFields({ beneficiaryCode, modality }: BoletoAccount) {
  return { numeroCliente: Number(beneficiaryCode), codigoModalidade: Number(modality ?? MODALITY) };
}
