// What is specific to Inter's API, as data. Source: its Java SDK. Nothing here was tried against the real bank.
import { COMMON_SHAPES } from '../../bank-client/profile.ts';
import { type BoletoProfiles, USUAL } from '../profile.ts';

export const INTER_PROFILES: BoletoProfiles = {
  all: {
    ...USUAL,
    bank: '077',
    paths: { boletos: 'cobrancas', webhook: 'cobrancas/webhook' },
    credentials: 'body',
    scopes: ['boleto-cobranca.read', 'boleto-cobranca.write'],
    headers: { 'x-conta-corrente': '{accountNumber}' },
    needs: ['accountNumber'],
    errorShapes: [
      {
        code: 'code',
        messages: ['title', 'detail'],
        items: { at: 'violacoes', code: 'propriedade', message: 'razao' },
      },
      ...COMMON_SHAPES,
    ],
  },
  production: {
    baseUrl: 'https://cdpj.partners.bancointer.com.br/cobranca/v3',
    tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
  },
  test: {
    baseUrl: 'https://cdpj-sandbox.partners.uatinter.co/cobranca/v3',
    tokenUrl: 'https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token',
  },
};
