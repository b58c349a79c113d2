// The PSPs that this service knows, and the plain norm as `custom`. Sources are public integrations; nothing here was tried against a real
// bank, so a setting (`quirks`) can override what turns out to be different.
import { COMMON_SHAPES } from '../bank-client/profile.ts';
import type { BankEnvironment } from '../bank-client/settings.ts';
import { CHARGE_SCOPES, type Profile, RESOURCES } from './profile.ts';

const NORM: Profile = {
  paths: Object.fromEntries(RESOURCES.map(name => [name, name])) as Profile['paths'],
  credentials: 'basic',
  tokenBody: 'form',
  tokenQuery: {},
  scopes: CHARGE_SCOPES,
  sendsScopes: true,
  hasFixedToken: false,
  usesClientCertificate: true,
  headers: {},
  query: {},
  needs: [],
  pixDates: 'milliseconds',
  maxWindowDays: 31,
  pageSize: 100,
  emptyListIs404: false,
  codeFields: ['pixCopiaECola', 'brcode', 'textoImagemQRcode'],
  hasLocations: false,
  sendsLocationKind: true,
  errorShapes: COMMON_SHAPES,
  skipMtlsHeaders: {},
  perSecond: 50,
};

/** A PSP in both environments: what differs from the norm. */
type PspProfile = { readonly all: Partial<Profile> } & { readonly [E in BankEnvironment]: Partial<Profile> };

/** By the names that settings give. */
export type PspProfiles = Readonly<Record<string, PspProfile>>;

export const PROFILES = {
  efi: {
    all: {
      tokenBody: 'json',
      sendsScopes: false,
      hasLocations: true,
      sendsLocationKind: false,
      errorShapes: [
        { code: 'nome', messages: ['mensagem'], items: { at: 'erros', code: 'caminho', message: 'mensagem' } },
        ...COMMON_SHAPES,
      ],
      feePath: 'gnExtras.tarifa',
      skipMtlsHeaders: { 'x-skip-mtls-checking': 'true' },
      perSecond: 500,
    },
    production: {
      baseUrl: 'https://pix.api.efipay.com.br/v2',
      tokenUrl: 'https://pix.api.efipay.com.br/oauth/token',
    },
    test: { baseUrl: 'https://pix-h.api.efipay.com.br/v2', tokenUrl: 'https://pix-h.api.efipay.com.br/oauth/token' },
  },
  itau: {
    all: {
      credentials: 'body',
      sendsScopes: false,
      hasLocations: true,
      headers: { 'x-correlationID': '{uuid}' },
    },
    production: {
      baseUrl: 'https://secure.api.itau/pix_recebimentos/v2',
      tokenUrl: 'https://sts.itau.com.br/as/token.oauth2',
    },
    test: {
      baseUrl: 'https://devportal.itau.com.br/sandboxapi/pix_recebimentos_ext_v2/v2',
      tokenUrl: 'https://devportal.itau.com.br/api/jwt',
      usesClientCertificate: false,
      headers: { 'x-correlationID': '{uuid}', 'x-sandbox-token': '{token}' },
    },
  },
  bb: {
    all: {
      query: { 'gw-dev-app-key': '{appKey}' },
      needs: ['appKey'],
      errorShapes: [
        { code: 'erros.0.codigo', messages: ['erros.0.mensagem', 'erros.0.ocorrencia'] },
        { code: 'error', messages: ['message'] },
        ...COMMON_SHAPES,
      ],
    },
    production: { baseUrl: 'https://api-pix.bb.com.br/pix/v2', tokenUrl: 'https://oauth.bb.com.br/oauth/token' },
    test: { baseUrl: 'https://api.hm.bb.com.br/pix/v2', tokenUrl: 'https://oauth.hm.bb.com.br/oauth/token' },
  },
  santander: {
    all: {
      credentials: 'body',
      tokenQuery: { grant_type: 'client_credentials' },
      sendsScopes: false,
      pixDates: 'seconds',
      patchPaths: { cob: '../v2/cob', cobv: '../v2/cobv' },
    },
    production: {
      baseUrl: 'https://trust-pix.santander.com.br/api/v1',
      tokenUrl: 'https://trust-pix.santander.com.br/oauth/token',
    },
    test: {
      baseUrl: 'https://trust-pix-h.santander.com.br/api/v1',
      tokenUrl: 'https://trust-pix-h.santander.com.br/oauth/token',
    },
  },
  bradesco: {
    // It requires HTTP/1.1, which this rail always uses.
    all: { sendsScopes: false },
    production: {
      baseUrl: 'https://qrpix.bradesco.com.br/v2',
      tokenUrl: 'https://qrpix.bradesco.com.br/auth/server/oauth/token',
    },
    test: {
      baseUrl: 'https://qrpix-h.bradesco.com.br/v2',
      tokenUrl: 'https://qrpix-h.bradesco.com.br/auth/server/oauth/token',
    },
  },
  sicoob: {
    all: { credentials: 'id-only', hasLocations: true, headers: { client_id: '{clientId}' } },
    production: {
      baseUrl: 'https://api.sicoob.com.br/pix/api/v2',
      tokenUrl: 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token',
    },
    test: {
      baseUrl: 'https://sandbox.sicoob.com.br/sicoob/sandbox/pix/api/v2',
      tokenUrl: 'https://auth.sicoob.com.br/auth/realms/cooperado/protocol/openid-connect/token',
      hasFixedToken: true,
      usesClientCertificate: false,
      needs: ['accessToken'],
    },
  },
  sicredi: {
    all: {
      paths: {
        ...{ cob: 'v3/cob', cobv: 'v2/cobv', pix: 'v2/pix', loc: 'v2/loc', webhook: 'v2/webhook' },
        ...{ rec: 'v1/rec', solicrec: 'v1/solicrec', cobr: 'v1/cobr', locrec: 'v1/locrec' },
        ...{ webhookrec: 'v1/webhookrec', webhookcobr: 'v1/webhookcobr' },
      },
    },
    production: {
      baseUrl: 'https://api-pix.sicredi.com.br/api',
      tokenUrl: 'https://api-pix.sicredi.com.br/oauth/token',
    },
    test: {
      baseUrl: 'https://api-pix-h.sicredi.com.br/api',
      tokenUrl: 'https://api-pix-h.sicredi.com.br/oauth/token',
    },
  },
  inter: {
    all: {
      credentials: 'body',
      hasLocations: true,
      headers: { 'x-conta-corrente': '{accountNumber}' },
      needs: ['accountNumber'],
    },
    production: {
      baseUrl: 'https://cdpj.partners.bancointer.com.br/pix/v2',
      tokenUrl: 'https://cdpj.partners.bancointer.com.br/oauth/v2/token',
    },
    test: {
      baseUrl: 'https://cdpj-sandbox.partners.uatinter.co/pix/v2',
      tokenUrl: 'https://cdpj-sandbox.partners.uatinter.co/oauth/v2/token',
    },
  },
  banrisul: {
    all: { credentials: 'body' },
    production: {
      baseUrl: 'https://mtls-api.banrisul.com.br/pix/api-mtls',
      tokenUrl: 'https://mtls-api.banrisul.com.br/auth/oauth/v2/token',
    },
    test: {
      baseUrl: 'https://mtls-api-h.banrisul.com.br/pix/api-mtls',
      tokenUrl: 'https://mtls-api-h.banrisul.com.br/auth/oauth/v2/token',
    },
  },
  c6: {
    all: { sendsScopes: false, maxTlsVersion: 'TLSv1.2' },
    production: {
      baseUrl: 'https://baas-api.c6bank.info/v2/pix',
      tokenUrl: 'https://baas-api.c6bank.info/v1/auth',
    },
    test: {
      baseUrl: 'https://baas-api-sandbox.c6bank.info/v2/pix',
      tokenUrl: 'https://baas-api-sandbox.c6bank.info/v1/auth',
    },
  },
  custom: { all: { hasLocations: true }, production: {}, test: {} },
} as const satisfies PspProfiles;

export type ProfileName = keyof typeof PROFILES;
export const PROFILE_NAMES = Object.keys(PROFILES) as readonly ProfileName[];

/** A profile as it is in one environment; undefined when no profile has the name. */
export function profileOf(profiles: PspProfiles, name: string, environment: BankEnvironment): Profile | undefined {
  const psp = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  return psp && { ...NORM, ...psp.all, ...psp[environment] };
}
