// What all boleto rails over an API have in common: numbers of the agreement, no refunds, and a line that the bank makes.

import { zeroFilled } from '@trilho/cnab';
import { AppError } from '../../lib/errors.ts';
import type { Rail, SlipIssuer } from '../rail.ts';
import type { BoletoApiSettings } from './settings.ts';

type OfBank = Pick<
  Rail<'boleto'>,
  'check' | 'submit' | 'lookup' | 'cancel' | 'withdrawRepeats' | 'dueDays' | 'watch'
> & {
  /** Identifies the agreement, in production and in the test environment. */
  readonly numbering: string;
  readonly numberDigits: number;
  /** What its slips say besides our number of a boleto. */
  readonly slip: (...asked: Parameters<NonNullable<Rail['slip']>>) => Omit<SlipIssuer, 'documentNumber'>;
};

export const BOLETO_API_CAN = { refund: false, withdraw: true, reduce: true };

export function numberedRail(
  { name, firstNumber, lastNumber, environment }: BoletoApiSettings,
  { numbering, numberDigits, slip, ...calls }: OfBank,
): Rail<'boleto'> {
  // The test environment of a bank does not know boletos of production.
  const agreement = numbering + (environment === 'test' ? ' test' : '');
  const never = async (): Promise<never> => {
    throw new AppError('not_configured', `The bank of ${name} cannot refund.`);
  };
  return {
    name,
    method: 'boleto',
    can: BOLETO_API_CAN,
    listName: `boletos ${agreement}`,
    slip: (reference, instrument) => ({
      ...slip(reference, instrument),
      documentNumber: reference.replace(/^0+/, ''),
    }),
    numbers: {
      first: firstNumber,
      last: lastNumber,
      agreement,
      // The line comes with the bank's answer, as does the pix code: before that nothing can be paid.
      prepare: (_request, number) => ({ reference: zeroFilled(String(number), numberDigits) }),
    },
    prepare: () => {
      throw new AppError('not_configured', `A boleto of ${name} needs a number of its agreement.`);
    },
    ...calls,
    refund: never,
    lookupRefund: never,
  };
}
