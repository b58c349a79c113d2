// The boleto rail over Inter's API. The bank gives the nosso número; ours is «seu número», by which a lost request is found again.
import { AppError } from '../../../lib/errors.ts';
import type { Client } from '../../bank-client/client.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import { zeroFilled } from '../../boleto/digits.ts';
import type { Rail } from '../../rail.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { checkRequest } from './body.ts';
import { interCobrancas } from './cobrancas.ts';
import { interWatch } from './watch.ts';

/** «Seu número» has fifteen characters at most. */
export const OWN_NUMBER_DIGITS = 10;
const BANK = '077';
const AGENCY = '0001';
const CARTEIRA = '112';

export function interRail(
  settings: BoletoApiSettings,
  client: Client<BoletoResource>,
  deps: ClientDeps,
): Rail<'boleto'> {
  const { name, account, holder, firstNumber, lastNumber, environment } = settings;
  const never = async (): Promise<never> => {
    throw new AppError('not_configured', `The bank of ${name} sends no money back.`);
  };
  const { agency = AGENCY, accountNumber = '', accountDigit, carteira = CARTEIRA } = account;
  const agreement = `${BANK} ${(accountNumber + (accountDigit ?? '')).replace(/^0+/, '')}${environment === 'test' ? ' test' : ''}`;
  return {
    name,
    method: 'boleto',
    can: { refund: false, withdraw: true },
    listName: `boletos ${agreement}`,
    needsAddress: true,
    slip: (reference, instrument) => ({
      bankName: 'Inter',
      ourNumber: instrument?.ourNumber ?? reference,
      carteira,
      documentNumber: reference.replace(/^0+/, ''),
      beneficiary: {
        ...holder,
        agency,
        code: accountDigit === undefined ? accountNumber : `${accountNumber}-${accountDigit}`,
      },
    }),
    check: checkRequest,
    numbers: {
      first: firstNumber,
      last: lastNumber,
      agreement,
      prepare: (_request, number) => ({ reference: zeroFilled(String(number), OWN_NUMBER_DIGITS) }),
    },
    prepare: () => {
      throw new AppError('not_configured', `A boleto of ${name} needs a number of its agreement.`);
    },
    ...interCobrancas(settings, client, deps),
    refund: never,
    lookupRefund: never,
    watch: interWatch(settings, client, deps),
  };
}
