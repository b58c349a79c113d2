// The API of Inter for boletos.
import { civilDay } from '../../../lib/civil-days.ts';
import { good } from '../../bank-client/diagnose.ts';
import { type BoletoApi, refusedAgreement } from '../api.ts';
import { INTER_PROFILES } from './profile.ts';
import { interRail, OWN_NUMBER_DIGITS } from './rail.ts';
import { interWebhook } from './webhook.ts';

export const interApi: BoletoApi = {
  profiles: INTER_PROFILES,
  numberDigits: OWN_NUMBER_DIGITS,
  checkAccount: () => [],
  railOf: interRail,
  webhookOf: interWebhook,
  checkAgreement: async ({ client: { call } }, { clock }) => {
    const day = civilDay(clock.now());
    const query = { dataInicial: day, dataFinal: day, 'paginacao.itensPorPagina': '1' };
    const answer = await call({ method: 'GET', resource: 'boletos', query });
    if (answer.kind !== 'ok') return [refusedAgreement(answer, 'accountNumber, accountDigit and the scopes')];
    return [good('agreement', 'The boletos of the account can be read.')];
  },
};
