// What is specific to Sicoob's API, as data. Source: its OpenAPI document 3.0.8.0. Nothing here was tried against the real bank.
import { COMMON_SHAPES } from '../../bank-client/profile.ts';
import { type BoletoProfiles, USUAL } from '../profile.ts';

const SICOOB_TOKENS = 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token';

export const SICOOB_PROFILES: BoletoProfiles = {
  all: {
    ...USUAL,
    bank: '756',
    paths: { boletos: 'boletos', webhook: 'webhooks' },
    credentials: 'id-only',
    // Its SDK names others (cobranca_boletos_incluir and so on), which integrations say are refused: a setting replaces them.
    scopes: ['boletos_inclusao', 'boletos_consulta', 'boletos_alteracao'],
    headers: { client_id: '{clientId}' },
    errorShapes: [{ code: 'mensagens.0.codigo', messages: ['mensagens.0.mensagem'] }, ...COMMON_SHAPES],
  },
  production: { baseUrl: 'https://api.sicoob.com.br/cobranca-bancaria/v3', tokenUrl: SICOOB_TOKENS },
  test: {
    baseUrl: 'https://sandbox.sicoob.com.br/sicoob/sandbox/cobranca-bancaria/v3',
    tokenUrl: SICOOB_TOKENS,
    hasFixedToken: true,
    usesClientCertificate: false,
    needs: ['accessToken'],
  },
};
