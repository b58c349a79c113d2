// The API of Sicoob for boletos.

import { sicoob } from '@trilho/cnab';
import { good } from '../../bank-client/diagnose.ts';
import { listAt, textAt } from '../../bank-client/read-answer.ts';
import { type BoletoApi, refusedAgreement } from '../api.ts';
import { agreementFields, NUMBER_DIGITS } from './number.ts';
import { SICOOB_PROFILES } from './profile.ts';
import { sicoobRail } from './rail.ts';

export const sicoobApi: BoletoApi = {
  profiles: SICOOB_PROFILES,
  numberDigits: NUMBER_DIGITS,
  checkAccount: sicoob.boleto.checkAccount,
  hasContracts: true,
  railOf: sicoobRail,
  checkAgreement: async ({ settings, client: { call } }) => {
    const { numeroCliente, codigoModalidade } = agreementFields(settings.account);
    const query = { numeroCliente: String(numeroCliente), codigoModalidade: String(codigoModalidade), quantidade: '1' };
    const answer = await call({ method: 'GET', resource: 'boletos', path: ['faixas-nosso-numero'], query });
    if (answer.kind !== 'ok') return [refusedAgreement(answer, 'beneficiaryCode, modality and clientId')];
    const ranges = listAt(answer.body, 'resultado').map(rangeOf);
    const message = ranges.length === 0 ? 'It names no free numbers.' : `Its free numbers are ${ranges.join(', ')}.`;
    return [good('agreement', `The bank knows the agreement. ${message}`)];
  },
};

function rangeOf(range: unknown): string {
  return `${textAt(range, 'numeroInicial') ?? '?'} to ${textAt(range, 'numeroFinal') ?? '?'}`;
}
