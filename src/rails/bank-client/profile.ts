// What differs from the API of one bank to that of another, as data. The client reads these fields and never a bank's name.

/** Where an error answer has its code and its text; paths are such as `erros.0.codigo`. */
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
  /** Where resources are changed, when that is another place. */
  readonly patchPaths?: Readonly<Partial<Record<R, string>>>;
  /** How the client names itself to the token server. */
  readonly credentials: 'basic' | 'body' | 'id-only';
  readonly tokenBody: 'form' | 'json';
  /** Added to the address of the token server. */
  readonly tokenQuery: Readonly<Record<string, string>>;
  /** What a token is for, unless a call names other scopes. */
  readonly scopes: readonly string[];
  /** Whether the token request names the scopes; otherwise the contract decides. */
  readonly sendsScopes: boolean;
  /** The token is a setting, and no token server is asked. */
  readonly hasFixedToken: boolean;
  /** Whether connections carry a client certificate. */
  readonly usesClientCertificate: boolean;
  /** Sent with every call; `{clientId}`, `{uuid}`, `{token}` and the profile values are filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly needs: readonly ProfileValue[];
  readonly errorShapes: readonly ErrorShape[];
  readonly maxTlsVersion?: 'TLSv1.2';
  /** Calls a second when the settings do not say. */
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
