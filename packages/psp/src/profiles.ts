// The differences of PSPs from the norm, as data. Everything else a PSP does as in the norm. The differences are known from public
// clients and documentation; README.md has them in a table.

export const PROFILE_NAMES = [
  'bacen',
  'efi',
  'itau',
  'bb',
  'santander',
  'bradesco',
  'sicoob',
  'sicredi',
  'inter',
  'banrisul',
  'c6',
] as const;
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** An operation of the API as the norm names it. */
export type Operation = `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;

export type Profile = {
  /** The end of the base URL. */
  readonly basePath: string;
  /**
   * The paths of resources below the host: the first rule that matches an operation has all its paths. An operation
   * without a rule is below `basePath`.
   */
  readonly placed: readonly { readonly operations: RegExp; readonly under: readonly string[] }[];
  readonly token: {
    readonly path: string;
    /** Where id and secret are: an Authorization header, both in the body, or the id alone. */
    readonly credentials: 'basic' | 'body' | 'id-only';
    readonly body: 'form' | 'json' | 'json-or-form';
    /** grant_type is read from the query instead of the body. */
    readonly grantInQuery: boolean;
    /** `none`: a token gets every scope of its client. `required`: only the requested scopes are granted. */
    readonly scope: 'none' | 'optional' | 'required';
    readonly seconds: number;
    readonly expiresInAsText: boolean;
    /** Scopes that a client does not have are omitted silently; otherwise they are refused (invalid_scope). */
    readonly narrowsSilently: boolean;
  };
  /** Whether a client certificate is required. */
  readonly certificate: boolean;
  /** The answer to a refused certificate: an HTML page as nginx writes it, or a cut connection. */
  readonly certificateRefusal: 'html' | 'cut';
  /** Required on every API call; `clientId` means that the value must be the client's id. */
  readonly headers: readonly { readonly name: string; readonly value?: 'clientId' }[];
  readonly query: readonly string[];
  readonly createdStatus: 200 | 201;
  readonly refundStatus: 200 | 201;
  /** The name of the BR Code in answers. */
  readonly codeField: 'pixCopiaECola' | 'brcode' | 'textoImagemQRcode';
  /** An answer of /loc has the code too. */
  readonly codeInLocation: boolean;
  readonly errors: 'problem' | 'efi' | 'bb';
  readonly missing: readonly Operation[];
  /** How inicio and fim must be written. */
  readonly queryDates: 'rfc3339' | 'utc' | 'no-milliseconds';
  /** The effect of a PUT on an existing charge that is ATIVA. */
  readonly repeatedPut: 'revise' | 'conflict';
  /** Creating calls a second before 429; 0 is no limit. */
  readonly writesPerSecond: number;
  /** At registration the URL is called without a certificate, which it must refuse, and then with one. */
  readonly probesWebhook: boolean;
  readonly tlsMax: 'TLSv1.2' | 'TLSv1.3';
};

const NORM: Profile = {
  basePath: '/api',
  placed: [],
  token: {
    path: '/oauth/token',
    credentials: 'basic',
    body: 'form',
    grantInQuery: false,
    scope: 'optional',
    seconds: 3600,
    expiresInAsText: false,
    narrowsSilently: false,
  },
  certificate: true,
  certificateRefusal: 'html',
  headers: [],
  query: [],
  createdStatus: 201,
  refundStatus: 201,
  codeField: 'pixCopiaECola',
  codeInLocation: false,
  errors: 'problem',
  missing: [],
  queryDates: 'rfc3339',
  repeatedPut: 'revise',
  writesPerSecond: 0,
  probesWebhook: false,
  tlsMax: 'TLSv1.3',
};

export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  bacen: NORM,
  efi: {
    ...NORM,
    basePath: '/v2',
    token: { ...NORM.token, body: 'json-or-form' },
    certificateRefusal: 'cut',
    errors: 'efi',
    repeatedPut: 'conflict',
    writesPerSecond: 500,
    probesWebhook: true,
  },
  itau: {
    ...NORM,
    basePath: '/pix_recebimentos/v2',
    token: { ...NORM.token, path: '/as/token.oauth2', credentials: 'body', scope: 'none', seconds: 300 },
    headers: [{ name: 'x-correlationid' }],
  },
  bb: {
    ...NORM,
    basePath: '/pix/v2',
    token: { ...NORM.token, scope: 'required' },
    query: ['gw-dev-app-key'],
    createdStatus: 200,
    refundStatus: 200,
    codeField: 'textoImagemQRcode',
    errors: 'bb',
    missing: ['GET /cob'],
    queryDates: 'utc',
  },
  santander: {
    ...NORM,
    basePath: '/api/v1',
    placed: [{ operations: /^PATCH /, under: ['/api/v2'] }],
    token: { ...NORM.token, credentials: 'body', grantInQuery: true, scope: 'none', expiresInAsText: true },
    missing: ['POST /cob'],
    queryDates: 'no-milliseconds',
  },
  bradesco: {
    ...NORM,
    basePath: '/v2',
    token: { ...NORM.token, path: '/auth/server/oauth/token', scope: 'none' },
    createdStatus: 200,
    refundStatus: 200,
  },
  sicoob: {
    ...NORM,
    basePath: '/pix/api/v2',
    token: {
      ...NORM.token,
      path: '/auth/realms/cooperado/protocol/openid-connect/token',
      credentials: 'id-only',
      scope: 'required',
    },
    headers: [{ name: 'client_id', value: 'clientId' }],
    refundStatus: 200,
    codeField: 'brcode',
    codeInLocation: true,
  },
  sicredi: {
    ...NORM,
    basePath: '/api',
    placed: [
      { operations: /^\w+ \/cob\/\{txid\}$/, under: ['/api/v3', '/api/v2'] },
      { operations: /./, under: ['/api/v2'] },
    ],
    token: { ...NORM.token, scope: 'required', narrowsSilently: true },
  },
  inter: {
    ...NORM,
    basePath: '/pix/v2',
    token: { ...NORM.token, path: '/oauth/v2/token', credentials: 'body', scope: 'required' },
    headers: [{ name: 'x-conta-corrente' }],
    // It answers 429; the number is ours.
    writesPerSecond: 100,
  },
  banrisul: {
    ...NORM,
    basePath: '/pix/api-mtls',
    token: { ...NORM.token, path: '/auth/oauth/v2/token', credentials: 'body', scope: 'required' },
  },
  c6: {
    ...NORM,
    basePath: '/v2/pix',
    token: { ...NORM.token, path: '/v1/auth', scope: 'none' },
    createdStatus: 200,
    tlsMax: 'TLSv1.2',
  },
};
