// The definition of an operation. From it come the route, the reading of the request, the documentation, and the types that
// the handler works with: it gets values that fit the schemas of the request and returns one that fits that of the answer.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { IsObject, type Static, type TObject, type TSchema, Type } from 'typebox';
import type { Caller } from '../../accounts/caller.ts';
import type { Scope } from '../../accounts/scopes.ts';
import type { ProblemCode } from '../../api/problem-kinds.ts';
import type { DeepPartial } from '../../api/wire.ts';
import { type Fault, invalidRequest } from '../../lib/errors.ts';
import { type Answer, byName } from './answers.ts';
import { accountOf } from './auth.ts';
import type { Given } from './body.ts';
import { IdempotencyHeaders, readIdempotencyKey } from './idempotency-key.ts';
import { type Path, pathReader } from './path.ts';
import { type Reading, reader } from './reader.ts';
import { problemResponses } from './responses.ts';

type Operation<P extends TObject, Q extends TObject, B extends TSchema, T> = {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly url: string;
  /** True: lasts as long as the caller likes, so it does not count as a request in flight. */
  readonly isLasting?: true;
  /** True: its reads must be on record, so its handler calls `recordReading`. */
  readonly isOnRecord?: true;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  /** The parameters of the url. */
  readonly path?: Path<P>;
  readonly query?: Q;
  /** Required, even when all of its fields are optional. When absent, a body with any field is refused. */
  readonly body?: B;
  /** The body is a file, which the handler finds in `request.body`: its media types, and an example. Instead of `body`. */
  readonly file?: { readonly types: readonly string[]; readonly example: string };
  /** A caller with this scope may name any account, not only its own. */
  readonly acrossAccountsBy?: Scope;
  readonly takesIdempotencyKey?: true;
  /** Further headers, for the documentation only. */
  readonly headers?: TObject;
  readonly answer: Answer<T>;
  /** Its own problems, in addition to those of every operation of its form. */
  readonly problems?: readonly ProblemCode[];
  /** Rules about several fields. Their faults are reported together with those of single fields. */
  check?(request: PartialRequest<Q, B>): readonly Fault[] | Promise<readonly Fault[]>;
  /**
   * Rules that the noun itself enforces. They are checked only for a request that is refused anyway, so that the caller gets every fault
   * at once.
   */
  checkWhenRefused?(request: PartialRequest<Q, B>): readonly Fault[] | Promise<readonly Fault[]>;
  handle(request: ReadRequest<P, Q, B>, reply: FastifyReply): Promise<NoInfer<T>>;
};

/** The readable parts of a request. */
type PartialRequest<Q extends TObject, B extends TSchema> = {
  readonly query: DeepPartial<Static<Q>>;
  readonly body: DeepPartial<Static<B>>;
  readonly given: Given;
};

/** A request that fits its schemas. */
type ReadRequest<P extends TObject, Q extends TObject, B extends TSchema> = {
  readonly path: Static<P>;
  readonly query: Static<Q>;
  readonly body: Static<B>;
  /** The raw body, for numbers that must not become floats. */
  readonly given: Given;
  readonly idempotencyKey: string | undefined;
  /** The caller; undefined in a sandbox and on public routes. */
  readonly caller: Caller | undefined;
  readonly request: FastifyRequest;
};

const NoFields = Type.Object({}, { additionalProperties: false });
type NoFields = typeof NoFields;

/**
 * Adds an operation. `access` in the `noun.ts` of its noun decides who may call it.
 *
 * @example
 * defineRoute(app, {
 *   method: 'GET', url: '/quotes/:id',
 *   operationId: 'getQuote', summary: 'Read a quote', tag: 'Quotes',
 *   path: idOf('quote'),
 *   answer: ok(QuoteView, 'The quote', QUOTE_EXAMPLE),
 *   handle: async ({ path, caller }) => quoteView(await requireQuote(db, path.id, caller?.accountId)),
 * });
 */
export function defineRoute<
  T,
  P extends TObject = NoFields,
  Q extends TObject = NoFields,
  B extends TSchema = NoFields,
>(app: FastifyInstance, operation: Operation<P, Q, B, T>): void {
  const { method, url, isLasting, isOnRecord, answer } = operation;
  const read = requestReader(operation);
  app.route({
    method,
    url,
    config: { ...(isLasting && { isLasting }), ...(isOnRecord && { isOnRecord }) },
    schema: documentOf(operation),
    handler: async (request, reply) => {
      const value = await operation.handle(await read(request), reply);
      reply.code(answer.status);
      if (answer.contentType !== undefined) reply.type(answer.contentType);
      return reply.send(answer.write(value));
    },
  });
}

/**
 * Reads a request, or refuses it with all of its faults. Another account, or a path that names nothing, is refused after those.
 */
function requestReader<T, P extends TObject, Q extends TObject, B extends TSchema>(operation: Operation<P, Q, B, T>) {
  const { takesIdempotencyKey, check, checkWhenRefused, acrossAccountsBy } = operation;
  const readPath = operation.path ? pathReader(operation.path) : nothing<Static<P>>;
  const readQuery = operation.query ? reader(operation.query, 'query') : readIgnored<Static<Q>>;
  const readBody = operation.body
    ? reader(operation.body, 'body')
    : operation.file
      ? readIgnored<Static<B>>
      : readNoBody<Static<B>>;
  return async (request: FastifyRequest): Promise<ReadRequest<P, Q, B>> => {
    const key = takesIdempotencyKey ? readIdempotencyKey(request) : { value: undefined, faults: [] };
    const query = readQuery(request.query);
    const body = readBody(request.body);
    const given = { body: request.body, bodyText: request.bodyText };
    const partial = { query: query.partial, body: body.partial, given };
    const faults = [...key.faults, ...query.faults, ...body.faults, ...((await check?.(partial)) ?? [])];
    if (!query.isWhole || !body.isWhole || faults.length > 0) {
      throw invalidRequest([...faults, ...((await checkWhenRefused?.(partial)) ?? [])]);
    }
    const { caller } = request;
    const isAcross = acrossAccountsBy !== undefined && caller?.scopes.includes(acrossAccountsBy);
    for (const part of isAcross ? [] : [query.value, body.value]) accountOf(caller, accountIdIn(part));
    return {
      path: readPath(request.params),
      query: query.value,
      body: body.value,
      given,
      idempotencyKey: key.value,
      caller,
      request,
    };
  };
}

const readNoFields = reader(NoFields, 'body');

/** For an operation without a body: no body came, or an empty object. */
function readNoBody<T>(data: unknown): Reading<T> {
  if (data === undefined) return readIgnored();
  const { isWhole, faults } = readNoFields(data);
  return isWhole ? readIgnored() : { isWhole, partial: nothing(), faults };
}

/** Whether a part of the request may name an account, which in live must be the caller's own. */
function namesAccount(schema: TSchema | undefined): boolean {
  return schema !== undefined && IsObject(schema) && Object.hasOwn(schema.properties, 'accountId');
}

function accountIdIn(part: unknown): string | undefined {
  const isNamed = typeof part === 'object' && part !== null && 'accountId' in part;
  return isNamed && typeof part.accountId === 'string' ? part.accountId : undefined;
}

/** A part of a request that its operation does not use. */
function readIgnored<T>(): Reading<T> {
  return { isWhole: true, value: nothing(), partial: nothing(), faults: [] };
}

/** Without a schema, T is the type of NoFields, which an empty object fits. */
function nothing<T>(): T {
  return {} as T;
}

function documentOf<T, P extends TObject, Q extends TObject, B extends TSchema>(operation: Operation<P, Q, B, T>) {
  const { operationId, summary, description, tag, path, query, body, file, headers, takesIdempotencyKey, answer } =
    operation;
  const documentedHeaders = headers ?? (takesIdempotencyKey && IdempotencyHeaders);
  return {
    operationId,
    summary,
    ...(description !== undefined && { description }),
    tags: [tag],
    ...(path && { params: path.schema }),
    ...(query && { querystring: query }),
    ...(documentedHeaders && { headers: documentedHeaders }),
    ...(body && { body: byName(body) }),
    ...(file && { consumes: [...file.types], body: Type.String({ format: 'binary', examples: [file.example] }) }),
    response: { [answer.status]: answer.document, ...problemResponses(...problemsOf(operation)) },
  };
}

/** The problems that follow from the form of an operation, and its own. */
function problemsOf<T, P extends TObject, Q extends TObject, B extends TSchema>(operation: Operation<P, Q, B, T>) {
  const { method, path, query, body, problems = [] } = operation;
  const codes: ProblemCode[] = ['malformed_request'];
  if (query || method !== 'GET') codes.push('invalid_request');
  if (path || namesAccount(query) || namesAccount(body)) codes.push('not_found');
  // Even when the operation has no body.
  if (method !== 'GET') codes.push('payload_too_large', 'unsupported_media_type');
  return new Set([...codes, ...problems]);
}
