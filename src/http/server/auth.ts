// Authorises requests by the access table. A route without a rule cannot be added. In live a request needs a key with the scope of the
// rule, or the session of a person whose role has it, and sees only its account; a sandbox requires nothing.
import assert from 'node:assert/strict';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { type Access, requireAccess } from '../../accounts/access.ts';
import { idOfKey } from '../../accounts/api-key.ts';
import { authenticator } from '../../accounts/authenticate.ts';
import { type Caller, callerBySession } from '../../accounts/caller.ts';
import { isFresh } from '../../accounts/people/person.ts';
import { openSessions } from '../../accounts/people/sessions.ts';
import type { Reach } from '../../accounts/reach.ts';
import { FRESH_SCOPES, type Scope } from '../../accounts/scopes.ts';
import { findAccess } from '../../api/access.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, noSuch } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Sql } from '../../storage/database.ts';
import { distinctValues } from './headers.ts';
import { type Limits, limitAddresses } from './limits.ts';
import { KEY_PROBLEMS, responsesOf } from './responses.ts';
import { requireSameOrigin, sessionTokenOf } from './session-cookie.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The access rule; set when the route is added. */
    access?: Access;
    /** Answers even when the service is overloaded. */
    isUnlimited?: true;
    /** Has its own rate limit; that of an address does not apply. */
    hasOwnLimit?: true;
    /** Answers while the database does not, to a key that was valid when it last did. */
    answersWithoutDatabase?: true;
    /** Its reads must be on record: its handler calls `recordReading`. */
    isOnRecord?: true;
    /** Lasts as long as the caller likes, so it does not count as a request in flight. */
    isLasting?: true;
  }
  interface FastifyRequest {
    /** Undefined in a sandbox and on public routes. */
    caller: Caller | undefined;
    /** Whether the key or the session of this request is still valid, for streams. */
    stillMayCall: (() => Promise<boolean>) | undefined;
  }
  interface FastifyInstance {
    readonly declaredRoutes: readonly DeclaredRoute[];
  }
}

export type DeclaredRoute = {
  readonly method: string;
  readonly url: string;
  readonly access: Scope | 'session' | 'public';
  /** Where it asks for a scope. */
  readonly reach?: Reach;
};

type Deps = Pick<Limits, 'addressLimit' | 'machineClock'> & {
  readonly db: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly requiresKeys: boolean;
  /** The public URL of the service: changes by a session must come from there. */
  publicUrl(): string;
};

/** A stream checks its key about once a second; with a cached key of at most this age it notices a revocation in time. */
const AGE_AT_RECHECK_MS = 100;

const NO_KEY = 'A valid API key is required, as Authorization: Bearer <key> or X-API-Key.';
const NO_SESSION = 'The session has ended; log in again.';
const MISTYPED = 'The API key is mistyped or incomplete.';

/** Call it before any route is added. Refuses routes without a rule. */
export function guardRoutes(app: FastifyInstance, deps: Deps): void {
  const declared: DeclaredRoute[] = [];
  app.decorate('declaredRoutes', declared);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('stillMayCall', undefined);
  app.addHook('onRoute', route => {
    for (const method of [route.method].flat()) {
      const access = findAccess(method, route.url);
      if (!access) throw new Error(`${method} ${route.url} has no access rule in the noun.ts of its noun.`);
      route.config = { ...route.config, access };
      if (typeof access === 'string') {
        declared.push({ method, url: route.url, access });
        continue;
      }
      declared.push({ method, url: route.url, access: access.scope, reach: access.reach });
      if (deps.requiresKeys && route.schema) documentAccess(route.schema, access);
    }
  });
  if (!deps.requiresKeys) return;

  const { authenticate, isKnown } = authenticator(deps);
  const sessions = openSessions(deps);
  const limit = limitAddresses(deps);

  async function callBySession(request: FastifyRequest, reply: FastifyReply, token: string): Promise<void> {
    if (!sessions.isKnown(token)) limit.check(request, reply);
    const session = await sessions.find(token, isUse(request));
    if (!session) {
      limit.take(request, reply);
      throw new AppError('unauthorized', NO_SESSION);
    }
    if (!READING.includes(request.method)) requireSameOrigin(request, deps.publicUrl());
    request.caller = callerBySession(session);
    request.stillMayCall = async () => (await sessions.find(token, false)) !== undefined;
  }

  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 || request.route.config.access === 'public') {
      if (!request.route.config.isUnlimited && !request.route.config.hasOwnLimit) limit.take(request, reply);
      return;
    }
    const text = credentialOf(request);
    const token = bringsKey(request) ? undefined : sessionTokenOf(request);
    if (token !== undefined) return callBySession(request, reply, token);
    const id = text === undefined ? undefined : idOfKey(text);
    // Only requests without a valid key count, and a key that this node has seen is never blocked by others at the same address.
    if (id === undefined) limit.take(request, reply);
    else if (!isKnown(id)) limit.check(request, reply);
    // Cleared below, once the caller is known.
    reply.header('www-authenticate', 'Bearer');
    if (text === undefined) throw new AppError('unauthorized', NO_KEY);
    if (id === undefined) throw new AppError('unauthorized', MISTYPED);
    request.caller = await authenticate(id, text, { mayRecall: request.route.config.answersWithoutDatabase === true });
    if (!request.caller) {
      limit.take(request, reply);
      throw new AppError('unauthorized', NO_KEY);
    }
    request.stillMayCall = async () => (await authenticate(id, text, { maxAgeMs: AGE_AT_RECHECK_MS })) !== undefined;
    reply.removeHeader('www-authenticate');
  });
}

/** Refuses a caller who may not call the route. Comes after the limits: such a request counts like any other. */
export function requireScopes(app: FastifyInstance, deps: { readonly clock: Clock }): void {
  app.addHook('onRequest', async request => {
    if (request.is404) return;
    const { access } = request.route.config;
    assert(access !== undefined, 'a route without an access rule cannot be added');
    requireAccess(request.caller, access);
    if (typeof access === 'object' && FRESH_SCOPES.includes(access.scope)) {
      requireFreshLogin(request.caller, deps.clock.now());
    }
  });
}

/** Refuses a person who has not just shown a passkey, where a scope alone is not enough. Keys pass. */
export function requireFreshLogin(caller: Caller | undefined, now: Date): void {
  if (!caller?.session || isFresh(caller.session, now)) return;
  throw new AppError('fresh_login_needed', 'Show your passkey again: the last time is more than five minutes ago.');
}

/**
 * The account of a request: the caller's, and others are not found; in a sandbox, and for a person who works for all accounts, the
 * requested one, or any.
 */
export function accountOf(caller: Caller | undefined, asked: string): string;
export function accountOf(caller: Caller | undefined, asked?: string): string | undefined;
export function accountOf(caller: Caller | undefined, asked?: string): string | undefined {
  const own = caller?.accountId;
  if (own !== undefined && asked !== undefined && asked !== own) {
    throw noSuch('account');
  }
  return own ?? asked;
}

const OF_ALL = 'It concerns all accounts, so a caller of one account is refused.';

/** Documents the key of an operation: either header, its scope and reach, and the refusals. */
function documentAccess(schema: FastifySchema, { scope, reach }: Exclude<Access, string>): void {
  const { description, response } = schema as { readonly description?: string; readonly response?: object };
  Object.assign(schema, {
    security: [{ bearer: [scope] }, { apiKey: [scope] }],
    response: { ...response, ...responsesOf(KEY_PROBLEMS) },
    ...(reach === 'all_accounts' && { description: description === undefined ? OF_ALL : `${description} ${OF_ALL}` }),
  });
}

/** A refresh of an open page, marked by `web/browser/live.js`: it does not keep a session alive. */
const BY_ITSELF = 'x-trilho-refresh';

function isUse({ headers, route }: FastifyRequest): boolean {
  return !route.config.isLasting && headers[BY_ITSELF] === undefined;
}

const READING = ['GET', 'HEAD', 'OPTIONS'];

/** A key takes precedence over a cookie that a browser adds. */
function bringsKey({ headers }: FastifyRequest): boolean {
  return headers.authorization !== undefined || headers['x-api-key'] !== undefined;
}

/** The key of a request; undefined without a key, or with several that differ. */
function credentialOf({ headers, raw }: FastifyRequest): string | undefined {
  const [authorization, ...others] = distinctValues(raw.rawHeaders, 'authorization');
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  const apiKey = headers['x-api-key'];
  const given = bearer ?? apiKey;
  const isOtherScheme = authorization !== undefined && bearer === undefined;
  if (typeof given !== 'string' || others.length > 0 || isOtherScheme) return undefined;
  return apiKey === undefined || apiKey === given ? given : undefined;
}
