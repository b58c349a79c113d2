// OAuth2 client credentials: one token for each set of scopes, shared by all calls until shortly before it expires.
import type { Clock } from '../../lib/clock.ts';
import { retryTime, type Unavailable } from './classify.ts';
import type { Connection, Connections } from './connection.ts';
import { exchange, type HttpAnswer, type HttpRequest } from './exchange.ts';
import type { ClientProfile } from './profile.ts';
import { readError, readJson, textAt } from './read-answer.ts';
import type { ClientDeps, ClientSettings } from './settings.ts';

export type Scopes = readonly string[];

export type Token = {
  readonly text: string;
  /** What the PSP says it granted; absent when it says nothing. */
  readonly granted?: readonly string[];
  readonly takenAt: Date;
  /** When a new one is fetched. */
  readonly renewAt: Date;
};

export type Tokens = {
  /** A token for the scopes. Callers at the same time share one request; a failure is not repeated at once. */
  take(scopes: Scopes, signal: AbortSignal): Promise<Fetched>;
  /** The next call fetches a new one. */
  drop(token: Token): void;
  /** The PSP has accepted this token in a call, whatever it answered. */
  accepted(token: Token): void;
  /**
   * The PSP did not accept this token. Returns whether another one may be tried: after two refused new tokens in a row no more are fetched
   * for a while.
   */
  refused(token: Token): boolean;
};

const RENEW_EARLY_MS = 60_000;
const DEFAULT_LIFE_SECONDS = 300;
const MAX_LIFE_SECONDS = 86_400;

/** Waits after failures, doubled each time. A PSP may block an address that tries wrong credentials too often. */
const BACK_OFF = {
  failed: { firstMs: 1_000, mostMs: 60_000 },
  refused: { firstMs: 30_000, mostMs: 600_000 },
} as const;

/** When this many new tokens are refused in a row, requests for tokens pause. */
const REFUSALS_TO_PAUSE = 2;

type Fetched = { readonly token: Token } | Unavailable;

export function createTokens(
  settings: ClientSettings,
  profile: ClientProfile,
  connections: Connections,
  { clock, log }: ClientDeps,
  timeoutMs: number,
): Tokens {
  const cached = new Map<string, Token>();
  const running = new Map<string, Promise<Fetched>>();
  let generation = connections.current().generation;
  let failures = 0;
  let blockedUntil: Date | undefined;
  let reported = '';
  /** New tokens that were refused since one was accepted. */
  let refusals = 0;
  const worked = new WeakSet<Token>();

  function block(kind: keyof typeof BACK_OFF, times: number, retryAt?: Date): Date {
    const { firstMs, mostMs } = BACK_OFF[kind];
    const waitMs = Math.min(mostMs, firstMs * 2 ** Math.min(times, 20));
    blockedUntil = retryAt ?? new Date(clock.now().getTime() + waitMs);
    return blockedUntil;
  }

  function fail(kind: keyof typeof BACK_OFF, reason: string, retryAt?: Date): Unavailable {
    return { kind: 'unavailable', reason, retryAt: block(kind, failures++, retryAt) };
  }

  /** False: it was dropped before, or never kept. */
  function forget(token: Token): boolean {
    const keys = [...cached].filter(([, known]) => known === token).map(([key]) => key);
    for (const key of keys) cached.delete(key);
    return keys.length > 0;
  }

  /** Has its own deadline: one caller that gives up must not end the shared request. */
  async function fetchToken(connection: Connection, scopes: Scopes): Promise<Fetched> {
    const request = tokenRequest(settings, profile, connection, scopes);
    const exchanged = await exchange(connection.agent, request, AbortSignal.timeout(timeoutMs));
    if ('failure' in exchanged) return fail('failed', `no token: ${exchanged.failure.reason}`);
    const { answer } = exchanged;
    const token = answer.status >= 200 && answer.status < 300 ? readToken(answer, clock) : undefined;
    if (!token) {
      const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
      const code = readError(readJson(answer.text), profile.errorShapes)?.code;
      const shown = code !== undefined && /^[\w.-]{1,60}$/.test(code) ? `${answer.status} ${code}` : answer.status;
      return fail(isRefused ? 'refused' : 'failed', `no token: the PSP answered ${shown}`, retryTime(answer, clock));
    }
    failures = 0;
    blockedUntil = undefined;
    reportMissing(scopes, token);
    return { token };
  }

  function startFetch(connection: Connection, key: string, scopes: Scopes): Promise<Fetched> {
    const fetching = fetchToken(connection, scopes).then(fetched => {
      // After a change of credentials the token belongs to the old ones.
      if (running.get(key) !== fetching) return fetched;
      running.delete(key);
      if ('token' in fetched) cached.set(key, fetched.token);
      return fetched;
    });
    running.set(key, fetching);
    return fetching;
  }

  function reportMissing(scopes: Scopes, { granted }: Token): void {
    const missing = granted ? scopes.filter(scope => !granted.includes(scope)).join(' ') : '';
    if (missing !== '' && missing !== reported) {
      log.warn('the PSP did not grant every scope', { rail: settings.name, reason: missing });
    }
    if (granted) reported = missing;
  }

  return {
    take: async (scopes, signal) => {
      const connection = connections.current();
      if (connection.generation !== generation) {
        generation = connection.generation;
        cached.clear();
        running.clear();
        [failures, refusals, blockedUntil] = [0, 0, undefined];
      }
      const now = clock.now();
      const fixed = profile.hasFixedToken ? connection.credentials.values.accessToken : undefined;
      if (fixed !== undefined) return { token: { text: fixed, takenAt: now, renewAt: now } };

      const key = profile.sendsScopes ? scopes.join(' ') : '';
      const known = cached.get(key);
      if (known && known.renewAt > now) return { token: known };
      if (blockedUntil && blockedUntil > now) {
        return { kind: 'unavailable', reason: 'no token: the last request for one failed', retryAt: blockedUntil };
      }
      const fetched = await beforeAbort(running.get(key) ?? startFetch(connection, key, scopes), signal);
      return fetched ?? { kind: 'unavailable', reason: 'no token within the deadline' };
    },
    drop: token => void forget(token),
    accepted: token => {
      worked.add(token);
      refusals = 0;
    },
    refused: token => {
      if (profile.hasFixedToken) return false;
      // Concurrent calls had the same token: it is counted once.
      if (forget(token) && !worked.has(token) && ++refusals >= REFUSALS_TO_PAUSE) {
        block('refused', refusals - REFUSALS_TO_PAUSE);
      }
      return true;
    },
  };
}

async function beforeAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  if (signal.aborted) return undefined;
  const aborted = new Promise<undefined>(resolve => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  return Promise.race([work, aborted]);
}

function tokenRequest(
  settings: ClientSettings,
  profile: ClientProfile,
  connection: Connection,
  scopes: Scopes,
): HttpRequest {
  const { clientId } = settings;
  const { clientSecret = '' } = connection.credentials;
  const fields = {
    grant_type: 'client_credentials',
    ...(profile.credentials !== 'basic' && { client_id: clientId }),
    ...(profile.credentials === 'body' && { client_secret: clientSecret }),
    ...(profile.sendsScopes && { scope: scopes.join(' ') }),
  };
  const basic = `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
  const isForm = profile.tokenBody === 'form';
  const url = new URL(profile.tokenUrl);
  for (const [name, value] of Object.entries(profile.tokenQuery)) url.searchParams.set(name, value);
  return {
    method: 'POST',
    url,
    headers: {
      accept: 'application/json',
      'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      ...(profile.credentials === 'basic' && { authorization: basic }),
    },
    body: isForm ? new URLSearchParams(fields).toString() : JSON.stringify(fields),
  };
}

/** Undefined when the answer holds no token that fits into a header. */
function readToken({ text: json }: HttpAnswer, clock: Clock): Token | undefined {
  const body = readJson(json);
  const text = textAt(body, 'access_token');
  if (text === undefined || !/^[\x21-\x7e]{1,16000}$/.test(text)) return undefined;
  const given = Number(textAt(body, 'expires_in') ?? DEFAULT_LIFE_SECONDS);
  const lifeMs = Math.min(given > 0 ? given : DEFAULT_LIFE_SECONDS, MAX_LIFE_SECONDS) * 1_000;
  const takenAt = clock.now();
  const granted = textAt(body, 'scope')?.split(/[\s,]+/);
  return {
    text,
    ...(granted && { granted }),
    takenAt,
    renewAt: new Date(takenAt.getTime() + Math.max(lifeMs - RENEW_EARLY_MS, lifeMs / 2)),
  };
}
