// What differs between the APIs of banks, as data. The client reads these fields and never a bank's name.

/** Where an error answer has its code and its messages; a path is such as `erros.0.codigo`. */
export type ErrorShape = {
  readonly code: string;
  readonly messages: readonly string[];
  /** A list of single faults inside the answer. */
  readonly items?: { readonly at: string; readonly code: string; readonly message: string };
};

/** Settings that only some banks need. */
export const PROFILE_VALUES = ['accountNumber', 'appKey', 'accessToken'] as const;
export type ProfileValue = (typeof PROFILE_VALUES)[number];

/** `R` names the resources of the API. */
export type ClientProfile<R extends string = string> = {
  readonly baseUrl: string;
  readonly tokenUrl: string;
  /** Relative to the base URL; `../` leaves its last part. */
  readonly paths: Readonly<Record<R, string>>;
  /** Where resources are changed, if the path differs. */
  readonly patchPaths?: Readonly<Partial<Record<R, string>>>;
  /** How the client identifies itself to the token server. */
  readonly credentials: 'basic' | 'body' | 'id-only';
  readonly tokenBody: 'form' | 'json';
  /** Added to the address of the token server. */
  readonly tokenQuery: Readonly<Record<string, string>>;
  /** The scopes of a token, unless a call names others. */
  readonly scopes: readonly string[];
  /** Whether the token request names the scopes; otherwise the contract decides. */
  readonly sendsScopes: boolean;
  /** The token is a setting; there is no token server. */
  readonly hasFixedToken: boolean;
  /** Whether connections carry a client certificate. */
  readonly usesClientCertificate: boolean;
  /** Sent with every call; `{clientId}`, `{uuid}`, `{token}` and the profile values are filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly needs: readonly ProfileValue[];
  readonly errorShapes: readonly ErrorShape[];
  readonly maxTlsVersion?: 'TLSv1.2';
  /** Default number of calls per second. */
  readonly perSecond: number;
};

/** RFC 7807 as the Central Bank's norm uses it. */
const PROBLEM: ErrorShape = {
  code: 'type',
  messages: ['title', 'detail'],
  items: { at: 'violacoes', code: 'propriedade', message: 'razao' },
};
const OAUTH: ErrorShape = { code: 'error', messages: ['error_description'] };
/** Shapes of gateways in front of several banks. */
const GATEWAYS: readonly ErrorShape[] = [
  { code: 'codigo', messages: ['mensagem'], items: { at: 'campos', code: 'campo', message: 'mensagem' } },
  { code: 'mensagens.0.codigo', messages: ['mensagens.0.mensagem'] },
  { code: 'code', messages: ['message'] },
  { code: 'statusCode', messages: ['message'] },
];
export const COMMON_SHAPES: readonly ErrorShape[] = [PROBLEM, OAUTH, ...GATEWAYS];
