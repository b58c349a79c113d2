// What differs between the boleto APIs of banks, as data. How each asks and answers is in its folder.
import { type ClientProfile, COMMON_SHAPES } from '../bank-client/profile.ts';
import type { BankEnvironment } from '../bank-client/settings.ts';

export const BOLETO_PROFILES = ['sicoob', 'inter'] as const;
export type BoletoProfileName = (typeof BOLETO_PROFILES)[number];

export const BOLETO_RESOURCES = ['boletos', 'webhook'] as const;
export type BoletoResource = (typeof BOLETO_RESOURCES)[number];

export type BoletoProfile = ClientProfile<BoletoResource> & {
  /** Three digits. */
  readonly bank: string;
  /** The bank tells of payments at an address of ours. */
  readonly hasWebhook: boolean;
};

const COMMON = {
  tokenBody: 'form',
  tokenQuery: {},
  sendsScopes: true,
  hasFixedToken: false,
  usesClientCertificate: true,
  query: {},
  needs: [],
  perSecond: 20,
} as const;

type Entry = { readonly all: Omit<BoletoProfile, 'baseUrl' | 'tokenUrl'> } & {
  readonly [E in BankEnvironment]: Pick<BoletoProfile, 'baseUrl' | 'tokenUrl'> & Partial<BoletoProfile>;
};

const SICOOB_TOKENS = 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token';

/** Sources: the OpenAPI document 3.0.8.0 of Sicoob and the Java SDK of Inter. Nothing here was tried against a real bank. */
const PROFILES: Readonly<Record<BoletoProfileName, Entry>> = {
  sicoob: {
    all: {
      ...COMMON,
      bank: '756',
      paths: { boletos: 'boletos', webhook: 'webhooks' },
      credentials: 'id-only',
      // Its SDK names others (cobranca_boletos_incluir and so on), which integrations say are refused: a setting replaces them.
      scopes: ['boletos_inclusao', 'boletos_consulta', 'boletos_alteracao'],
      headers: { client_id: '{clientId}' },
      errorShapes: [{ code: 'mensagens.0.codigo', words: ['mensagens.0.mensagem'] }, ...COMMON_SHAPES],
      hasWebhook: false,
    },
    production: { baseUrl: 'https://api.sicoob.com.br/cobranca-bancaria/v3', tokenUrl: SICOOB_TOKENS },
    test: {
      baseUrl: 'https://sandbox.sicoob.com.br/sicoob/sandbox/cobranca-bancaria/v3',
      tokenUrl: SICOOB_TOKENS,
      hasFixedToken: true,
      usesClientCertificate: false,
      needs: ['accessToken'],
    },
  },
  inter: {
    all: {
      ...COMMON,
      bank: '077',
      paths: { boletos: 'cobrancas', webhook: 'cobrancas/webhook' },
      credentials: 'body',
      scopes: ['boleto-cobranca.read', 'boleto-cobranca.write'],
      headers: { 'x-conta-corrente': '{accountNumber}' },
      needs: ['accountNumber'],
      errorShapes: [
        { code: 'code', words: ['title', 'detail'], items: { at: 'violacoes', code: 'propriedade', words: 'razao' } },
        ...COMMON_SHAPES,
      ],
      hasWebhook: true,
    },
    production: {
      baseUrl: 'https://cdpj.partners.bancointer.com.br/cobranca/v3',
      tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
    },
    test: {
      baseUrl: 'https://cdpj-sandbox.partners.uatinter.co/cobranca/v3',
      tokenUrl: 'https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token',
    },
  },
};

export function boletoProfileOf(name: BoletoProfileName, environment: BankEnvironment): BoletoProfile {
  const entry = PROFILES[name];
  return { ...entry.all, ...entry[environment] };
}
