// The boleto rail over Inter's API. The bank assigns the nosso número; ours is «seu número», by which a lost request is found.
import type { Client } from '../../bank-client/client.ts';
import type { ClientDeps } from '../../bank-client/settings.ts';
import type { Rail } from '../../rail.ts';
import { numberedRail } from '../numbered-rail.ts';
import type { BoletoResource } from '../profile.ts';
import type { BoletoApiSettings } from '../settings.ts';
import { checkRequest } from './body.ts';
import { interCobrancas } from './cobrancas.ts';
import { interDueDays } from './due-days.ts';
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
  const { account, holder } = settings;
  const { agency = AGENCY, accountNumber = '', accountDigit, carteira = CARTEIRA } = account;
  const code = accountDigit === undefined ? accountNumber : `${accountNumber}-${accountDigit}`;
  return numberedRail(settings, {
    numbering: `${BANK} ${(accountNumber + (accountDigit ?? '')).replace(/^0+/, '')}`,
    numberDigits: OWN_NUMBER_DIGITS,
    slip: (reference, instrument) => ({
      bankName: 'Inter',
      ourNumber: instrument?.ourNumber ?? reference,
      carteira,
      beneficiary: { ...holder, agency, code },
    }),
    check: checkRequest,
    ...interCobrancas(settings, client, deps),
    dueDays: interDueDays(client),
    watch: interWatch(settings, client, deps),
  });
}
