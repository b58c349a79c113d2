// The boleto rail over Sicoob's API. The number is ours, so a boleto whose registration got no answer can be looked up.

import { sicoob } from '@trilho/cnab';
import type { Client } from '../../bank-client/client.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import type { Rail } from '../../rail.ts';
import { numberedRail } from '../numbered-rail.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { checkTerms } from '../terms.ts';
import { sicoobBoletos } from './boletos.ts';
import { sicoobDueDays } from './due-days.ts';
import { NUMBER_DIGITS } from './number.ts';
import { sicoobWatch } from './watch.ts';

export function sicoobRail(
  settings: BoletoApiSettings,
  client: Client<BoletoResource>,
  deps: ClientDeps,
): Rail<'boleto'> {
  const { account, holder } = settings;
  return numberedRail(settings, {
    // Files and API of the bank use the same number for a boleto.
    numbering: sicoob.boleto.numberingOf(account),
    numberDigits: NUMBER_DIGITS,
    slip: reference => ({
      bankName: sicoob.boleto.name,
      ourNumber: sicoob.boleto.formatOurNumber(account, reference),
      carteira: account.carteira ?? '',
      beneficiary: { ...holder, agency: account.agency ?? '', code: account.beneficiaryCode ?? '' },
    }),
    check: checkTerms,
    ...sicoobBoletos(settings, client, deps),
    dueDays: sicoobDueDays(settings, client, deps),
    watch: sicoobWatch(settings, client, deps),
  });
}
