// Who may call. Each route declares the scope it needs, or that it is public; one that does neither cannot be added. In live
// a request brings a key with that scope and sees its account's things alone; a sandbox asks for nothing.
import type { FastifyContextConfig, FastifyInstance, FastifyRequest } from 'fastify';
import { idOfKey } from '../../accounts/api-key.ts';
import { authenticator, type Caller } from '../../accounts/authenticate.ts';
import type { Scope } from '../../accounts/scopes.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { Sql } from '../../storage/database.ts';
import { distinctValues } from './headers.ts';
import { type Limits, limitAddresses } from './limits.ts';
import { KEY_PROBLEMS, responsesOf } from './responses.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What a key must be allowed to do, to call this. */
    scope?: Scope;
    /** No key is needed. */
    public?: true;
    /** Answers however busy the service is. */
    isUnlimited?: true;
    /** Counts its requests by itself; the limit of an address passes it over. */
    hasOwnLimit?: true;
    /** Answers while the database does not, to a key that was good when it last did. */
    answersWithoutDatabase?: true;
    /** Goes on for as long as the caller likes, and so is not counted among what is being answered. */
    isLasting?: true;
  }
  interface FastifyRequest {
    /** Undefined in a sandbox and on public routes. */
    caller: Caller | undefined;
    /** Whether the key of this request may still be used, for what goes on after the first answer. */
    stillMayCall: (() => Promise<boolean>) | undefined;
  }
  interface FastifyInstance {
    readonly declaredRoutes: readonly DeclaredRoute[];
  }
}

export type DeclaredRoute = { readonly method: string; readonly url: string; readonly access: Scope | 'public' };

type Deps = Pick<Limits, 'addressLimit' | 'machineClock'> & {
  readonly db: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly requiresKeys: boolean;
};

/** A stream checks its key about once a second; with a cached key of at most this age it notices a revocation in time. */
const AGE_AT_RECHECK_MS = 100;

const NO_KEY = 'A valid API key is needed, as Authorization: Bearer <key> or X-API-Key.';
const MISTYPED = 'The API key is mistyped or cut off.';

/** Call it before any route is added. Refuses each that does not say who may call it. */
export function guardRoutes(app: FastifyInstance, deps: Deps): void {
  const declared: DeclaredRoute[] = [];
  app.decorate('declaredRoutes', declared);
  app.decorateRequest('caller', undefined);
  app.decorateRequest('stillMayCall', undefined);
  app.addHook('onRoute', route => {
    const access = accessTo(route);
    for (const method of [route.method].flat()) declared.push({ method, url: route.url, access });
    // What the document says of a key: either header, with this scope, and what is answered otherwise.
    if (deps.requiresKeys && access !== 'public' && route.schema) {
      const response = { ...Object(route.schema.response), ...responsesOf(KEY_PROBLEMS) };
      Object.assign(route.schema, { security: [{ bearer: [access] }, { apiKey: [access] }], response });
    }
  });
  if (!deps.requiresKeys) return;

  const { authenticate, isKnown } = authenticator(deps);
  const limit = limitAddresses(deps);
  app.addHook('onRequest', async (request, reply) => {
    if (request.is404 || accessTo(request.route) === 'public') {
      if (!request.route.config.isUnlimited && !request.route.config.hasOwnLimit) limit.take(request, reply);
      return;
    }
    const text = credentialOf(request);
    const id = text === undefined ? undefined : idOfKey(text);
    // Only requests without a good key count, and a key that this node has seen is never kept out by others who share its address.
    if (id === undefined) limit.take(request, reply);
    else if (!isKnown(id)) limit.check(request, reply);
    // Removed below, once the caller is known.
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

/** Refuses a caller whose key lacks the scope of the route. Comes after the limits: such a request counts like any other. */
export function requireScopes(app: FastifyInstance): void {
  app.addHook('onRequest', async request => {
    const { scope } = request.route.config;
    if (scope !== undefined) requireScope(request.caller, scope);
  });
}

/** Refuses a caller whose key lacks a scope that only some calls of a route need. */
export function requireScope(caller: Caller | undefined, scope: Scope): void {
  if (!caller || caller.scopes.includes(scope)) return;
  throw new AppError('missing_scope', `This key lacks the scope ${scope}.`);
}

/**
 * The account that a request is about: the caller's in live, where another's is not found; in a sandbox the one that was
 * asked for, or any.
 */
export function accountOf(caller: Caller | undefined, asked: string): string;
export function accountOf(caller: Caller | undefined, asked?: string): string | undefined;
export function accountOf(caller: Caller | undefined, asked?: string): string | undefined {
  if (caller && asked !== undefined && asked !== caller.accountId) {
    throw new AppError('not_found', 'There is no such account.');
  }
  return caller?.accountId ?? asked;
}

type Declared = { readonly url?: string | undefined; readonly config?: FastifyContextConfig };

function accessTo({ url = '', config }: Declared): Scope | 'public' {
  if (config?.scope !== undefined) return config.scope;
  if (config?.public) return 'public';
  throw new Error(`The route ${url} must declare config: { scope } or config: { public: true }.`);
}

/** The one key of a request; undefined when it brings none, or several that differ. */
function credentialOf({ headers, raw }: FastifyRequest): string | undefined {
  const [authorization, ...others] = distinctValues(raw.rawHeaders, 'authorization');
  const bearer = /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  const apiKey = headers['x-api-key'];
  const given = bearer ?? apiKey;
  const isOtherScheme = authorization !== undefined && bearer === undefined;
  if (typeof given !== 'string' || others.length > 0 || isOtherScheme) return undefined;
  return apiKey === undefined || apiKey === given ? given : undefined;
}
