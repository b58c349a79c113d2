// The boleto rail over Sicoob's API. The number is ours, so a boleto whose registration got no answer is looked up by it.
import { AppError } from '../../../lib/errors.ts';
import type { Client } from '../../bank-client/client.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import { sicoob } from '../../boleto/bank-756.ts';
import { zeroFilled } from '../../boleto/digits.ts';
import type { Rail } from '../../rail.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { checkTerms } from '../terms.ts';
import { sicoobBoletos } from './boletos.ts';
import { NUMBER_DIGITS } from './number.ts';
import { sicoobWatch } from './watch.ts';

export function sicoobRail(
  settings: BoletoApiSettings,
  client: Client<BoletoResource>,
  deps: ClientDeps,
): Rail<'boleto'> {
  const { name, account, holder, firstNumber, lastNumber, environment } = settings;
  // Files and API of the bank know a boleto by the same number; its test environment knows none of them.
  const agreement = sicoob.numberingOf(account) + (environment === 'test' ? ' test' : '');
  const never = async (): Promise<never> => {
    throw new AppError('not_configured', `The bank of ${name} sends no money back.`);
  };
  return {
    name,
    method: 'boleto',
    can: { refund: false, withdraw: true },
    listName: `boletos ${agreement}`,
    needsAddress: true,
    slip: reference => ({
      bankName: sicoob.name,
      ourNumber: sicoob.formatOurNumber(account, reference),
      carteira: account.carteira ?? '',
      documentNumber: reference.replace(/^0+/, ''),
      beneficiary: { ...holder, agency: account.agency ?? '', code: account.beneficiaryCode ?? '' },
    }),
    check: checkTerms,
    numbers: {
      first: firstNumber,
      last: lastNumber,
      agreement,
      // The line comes with the bank's answer: before that it cannot be paid, and the pix code is the bank's to make.
      prepare: (_request, number) => ({ reference: zeroFilled(String(number), NUMBER_DIGITS) }),
    },
    prepare: () => {
      throw new AppError('not_configured', `A boleto of ${name} needs a number of its agreement.`);
    },
    ...sicoobBoletos(settings, client, deps),
    refund: never,
    lookupRefund: never,
    watch: sicoobWatch(settings, client, deps),
  };
}
