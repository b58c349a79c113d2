// OAuth2 client credentials: the token endpoint and the issued tokens.
import { randomBytes } from 'node:crypto';
import { isObject } from './checks.ts';
import { hasSecret, type PspClient } from './clients.ts';
import type { Core, Reply } from './core.ts';
import type { Fault } from './faults.ts';

type Token = { readonly client: PspClient; readonly scopes: ReadonlySet<string>; readonly expiresMs: number };

type TokenRequest = {
  readonly authorization: string | undefined;
  readonly contentType: string | undefined;
  readonly query: URLSearchParams;
  readonly body: string;
  /** The common name of the presented certificate, when the profile requires one. */
  readonly certificateOf: string | undefined;
  readonly fault: Fault | undefined;
};

export type Tokens = {
  give(request: TokenRequest): Reply;
  /** The token, or undefined when it is unknown or has expired. */
  find(authorization: string | undefined): Token | undefined;
  revokeAll(): void;
};

const MAX_TOKENS = 10_000;

type Refused = { readonly status: number; readonly error: string; readonly why: string };

/** `scopes` are all scopes of the PSP. */
export function createTokens(core: Core, seconds: number, scopes: readonly string[]): Tokens {
  const tokens = new Map<string, Token>();
  const rules = core.profile.token;

  function give(request: TokenRequest): Reply {
    const read = readRequest(core, request, scopes);
    if ('error' in read) return refusal(read);
    const { client, asked } = read;
    const had = asked.length === 0 || rules.scope === 'none' ? client.scopes : asked;
    const allowed = had.filter(scope => client.scopes.includes(scope));
    if (allowed.length < had.length && !rules.narrowsSilently) {
      return refusal({
        status: 400,
        error: 'invalid_scope',
        why: 'a scope was asked for that the client does not have',
      });
    }
    const { fault } = request;
    const granted = fault?.kind === 'narrow-token' ? allowed.filter(scope => fault.scopes?.includes(scope)) : allowed;
    const accessToken = randomBytes(24).toString('base64url');
    if (tokens.size >= MAX_TOKENS) tokens.delete(tokens.keys().next().value!);
    tokens.set(accessToken, {
      client,
      scopes: new Set(granted),
      expiresMs: core.now().getTime() + seconds * 1000,
    });
    return {
      status: 200,
      body: {
        access_token: accessToken,
        token_type: 'Bearer',
        expires_in: rules.expiresInAsText ? String(seconds) : seconds,
        scope: granted.join(' '),
      },
      headers: { 'cache-control': 'no-store' },
    };
  }

  return {
    give,
    find: authorization => {
      const [, value = ''] = /^Bearer (\S+)$/i.exec(authorization ?? '') ?? [];
      const token = tokens.get(value);
      if (!token || token.expiresMs <= core.now().getTime()) return undefined;
      return token;
    },
    revokeAll: () => tokens.clear(),
  };
}

function refusal({ status, error, why }: Refused): Reply {
  return { status, body: { error, error_description: why } };
}

function readRequest(
  core: Core,
  request: TokenRequest,
  scopes: readonly string[],
): { client: PspClient; asked: readonly string[] } | Refused {
  const rules = core.profile.token;
  const fields = readFields(request, rules.body);
  if (!fields) return { status: 400, error: 'invalid_request', why: `the body must be ${rules.body}` };
  const grant = rules.grantInQuery ? request.query.get('grant_type') : fields.get('grant_type');
  if (grant !== 'client_credentials') {
    return { status: 400, error: 'unsupported_grant_type', why: 'grant_type must be client_credentials' };
  }
  const [id, secret] =
    rules.credentials === 'basic'
      ? basic(request.authorization)
      : [fields.get('client_id'), fields.get('client_secret')];
  const client = core.clients.get(id ?? '');
  const isKnown = client && (rules.credentials === 'id-only' || hasSecret(client, secret ?? ''));
  if (!isKnown) return { status: 401, error: 'invalid_client', why: 'id or secret is wrong' };
  if (core.profile.certificate && request.certificateOf !== client.clientId) {
    return { status: 401, error: 'invalid_client', why: 'the certificate is of another client' };
  }
  const asked = (fields.get('scope') ?? '').split(/[\s,]+/).filter(Boolean);
  if (rules.scope === 'required' && asked.length === 0) {
    return { status: 400, error: 'invalid_scope', why: 'scope is required' };
  }
  const strange = asked.filter(scope => !scopes.includes(scope));
  if (strange.length > 0 && !rules.narrowsSilently) {
    return { status: 400, error: 'invalid_scope', why: `unknown: ${strange.join(' ').slice(0, 100)}` };
  }
  return { client, asked };
}

function basic(authorization: string | undefined): readonly [string?, string?] {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return [];
  const [id = '', ...secret] = Buffer.from(encoded, 'base64').toString().split(':');
  return [decoded(id), decoded(secret.join(':'))];
}

/** RFC 6749 encodes both parts as in a form; most clients do not, and their secrets have no percent sign. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The fields of the body, or undefined when it is not in a form that the profile accepts. */
function readFields({ contentType = '', body }: TokenRequest, form: string): ReadonlyMap<string, string> | undefined {
  const isJson = contentType.startsWith('application/json');
  const isForm = contentType.startsWith('application/x-www-form-urlencoded');
  if (!isJson && !isForm) return body === '' ? new Map() : undefined;
  if ((isJson && form === 'form') || (isForm && form === 'json')) return undefined;
  if (isForm) return new Map(new URLSearchParams(body));
  try {
    const json: unknown = JSON.parse(body);
    return isObject(json) ? new Map(Object.entries(json).map(([name, value]) => [name, String(value)])) : undefined;
  } catch {
    return undefined;
  }
}
