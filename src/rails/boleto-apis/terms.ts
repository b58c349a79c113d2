// The terms that every boleto API gets, and those that no boleto API can express.
import { exactNumber, formatUnits, parseUnits } from '../../lib/decimals.ts';
import { checkRegistration } from '../boleto/check.ts';
import type { PaymentRequest, Refusal } from '../rail.ts';
import { tooFinePercent } from '../reductions.ts';

const PERCENT_DECIMALS = 2;

export function checkTerms(request: PaymentRequest): Refusal | undefined {
  const refusal = checkRegistration(request);
  if (refusal) return refusal;
  for (const [path, percent] of [
    ['taxes.fine', request.finePercent],
    ['taxes.interest', request.interestPercent],
  ] as const) {
    if (percent !== undefined && parseUnits(percent, PERCENT_DECIMALS) === undefined) {
      return { path, code: 'too_many_decimals', message: TOO_MANY_DECIMALS };
    }
  }
  const path = tooFinePercent(request);
  return path === undefined ? undefined : { path, code: 'too_many_decimals', message: TOO_MANY_DECIMALS };
}

const TOO_MANY_DECIMALS = 'has more than two decimals, which the bank does not accept';

/** An amount in reais, or a percent, as a JSON number with two decimals. */
export function decimalNumber(hundredths: bigint) {
  const [whole = '0', fraction = ''] = formatUnits(hundredths, 2).split('.');
  return exactNumber(`${whole}.${fraction.padEnd(2, '0')}`);
}

/** Undefined when absent. `checkTerms` has refused more decimals. */
export function percentNumber(percent: string | undefined) {
  const hundredths = parseUnits(percent ?? '0', PERCENT_DECIMALS) ?? 0n;
  return hundredths === 0n ? undefined : decimalNumber(hundredths);
}

/** Whole characters of Latin-1, which is all that systems of banks can store. */
export function cut(text: string, length: number): string {
  const plain = text
    .normalize('NFC')
    .replace(/[^\u0020-\u007e\u00a0-\u00ff]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return plain.slice(0, length).trim();
}

/** The address of a payer in the parts that banks ask for; `checkRegistration` has required most of them. */
export function placeOf({ payer }: PaymentRequest) {
  const { street = '', number, complement, neighborhood, postalCode = '', city = '', state = '' } = payer.address ?? {};
  return { street, number, complement, neighborhood, city, state, postalCode: postalCode.replace(/\D/g, '') };
}
