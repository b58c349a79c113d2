// The HTTP server: everything that applies to every request. The resources have their own files.
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify';
import { PROBLEM_TYPE, Problem, problem, problemOf, retryAfterSeconds } from '../../api/problem.ts';
import type { ProblemCode } from '../../api/problem-kinds.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, isOutage } from '../../lib/errors.ts';
import { requestUuid } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Tracing } from '../../lib/tracing.ts';
import type { Database } from '../../storage/database.ts';
import { auditRequests } from './audit.ts';
import { guardRoutes, requireScopes } from './auth.ts';
import { readBodies } from './body.ts';
import { type Answered, clientErrorHandler } from './client-error.ts';
import { frameworkRefusal, OUR_FAULT, OUR_FAULT_LOGGED } from './framework-refusals.ts';
import { leaveBodiesOfHead } from './head.ts';
import { answerHeaders, countHeader } from './headers.ts';
import { type Limits, limitInFlight, limitRate } from './limits.ts';
import type { Observers } from './observers.ts';
import { type OpenAnswers, watchAnswers } from './open-answers.ts';
import { collectOpenApi, openApiRoutes } from './openapi.ts';
import { requestLog } from './request-log.ts';
import { allowedMethods, watchRoutes } from './route-table.ts';
import { traceRequests } from './trace.ts';
import { closeUnread } from './unread-answers.ts';

type ServerDeps = Limits &
  Pick<Observers, 'observeRequest'> & {
    readonly db: Database;
    readonly clock: Clock;
    readonly log: Log;
    readonly tracing?: Tracing | undefined;
    readonly requiresKeys: boolean;
    /** The public URL of the service. */
    publicUrl(): string;
    readonly version: string;
    /** Addresses and networks of trusted proxies. */
    readonly trustProxy: readonly string[];
    /** How long a connection may not read while data waits to be sent. */
    readonly unreadLimitMs: number;
    /** Runs before a request with a scope is handled. */
    readonly beforeWork?: (() => Promise<void>) | undefined;
  };

declare module 'fastify' {
  interface FastifyRequest {
    /** Its `routeOptions`, which the framework recreates on every access. */
    route: FastifyRequest['routeOptions'];
  }
}

const BODY_LIMIT_BYTES = 64 * 1024;
const MAX_HEADER_BYTES = 16 * 1024;
const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 30_000;
const KEEP_ALIVE_MS = 65_000;
const TIMEOUT_CHECK_MS = 1_000;
const MAX_PARAM_LENGTH = 500;

/** The server without routes; the caller registers them. */
export async function createServer(deps: ServerDeps): Promise<FastifyInstance> {
  const requests = requestLog(deps.log);
  /** Logs and counts every answer, including those of the framework. */
  const answered = ({ requestId, trace_id, method, route = 'unknown', status, durationMs }: Answered) => {
    requests.write({ requestId, ...(trace_id !== undefined && { trace_id }), method, route, status, durationMs });
    deps.observeRequest({ method, route, status, seconds: durationMs / 1000 });
  };
  const reportOutage: FastifyInstance['reportOutage'] = (request, error) =>
    requests.writeOutage({ requestId: request.id, route: routeOf(request), error });
  const app = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionTimeout: deps.unreadLimitMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    http: {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: TIMEOUT_CHECK_MS,
      // Node would refuse a missing Host with an empty answer; the hook below refuses it with a problem.
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // The router would refuse an address that cannot be decoded before any hook. As plain text it finds its route, and the hook
    // below refuses it in the expected form: a problem, or a page.
    rewriteUrl: ({ url = '/' }) => (isDecodable(url) ? url : url.replaceAll('%', '%25')),
    // Requests that arrive during a stop are still served; only idle connections are closed.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestIdHeader: false,
    trustProxy: deps.trustProxy.length === 0 ? false : [...deps.trustProxy],
    genReqId: request => requestIdOf(request.headers['x-request-id']),
    clientErrorHandler: clientErrorHandler({ answers: { mayRefuse: socket => answers.mayRefuse(socket) }, answered }),
    // Refusals of the framework before any hook has run.
    frameworkErrors: (error, request, reply) => {
      reply.headers(answerHeaders(request.id));
      const sent = sendError(deps.log, reportOutage, error, request, reply as FastifyReply);
      answered({
        requestId: request.id,
        method: request.method,
        status: reply.statusCode,
        durationMs: reply.elapsedTime,
      });
      return sent;
    },
  });
  const answers: OpenAnswers = watchAnswers(app.server);
  closeUnread(app.server, { answers, log: deps.log });
  // Node would answer an unknown Expect with an empty 417; ignoring it is also allowed, and needs no problem.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  // Schemas are only for the document; handlers read and write explicitly.
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => data => JSON.stringify(data));
  app.addSchema(Problem);
  readBodies(app);
  app.decorateRequest('route');
  app.decorateRequest('span');
  app.decorate('reportOutage', reportOutage);

  app.addHook('onRequest', async (request, reply) => {
    request.route = request.routeOptions;
    reply.headers(answerHeaders(request.id));
    refuseUnclearHost(request);
    refuseBadEncoding(request.originalUrl);
  });
  limitInFlight(app, deps);
  guardRoutes(app, deps);
  limitRate(app, deps, deps.requiresKeys ? 'key' : 'address');
  requireScopes(app, deps);
  const { beforeWork } = deps;
  if (beforeWork) {
    app.addHook('preHandler', async request => {
      const { access, answersWithoutDatabase } = request.route.config;
      if (typeof access === 'object' && !answersWithoutDatabase) await beforeWork();
    });
  }
  if (deps.tracing) traceRequests(app, deps.tracing);
  auditRequests(app, deps);
  leaveBodiesOfHead(app);
  app.addHook('onResponse', async (request, reply) => {
    answered({
      requestId: request.id,
      trace_id: request.span?.context?.traceId,
      method: request.method,
      route: request.route.url ?? 'unknown',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    });
  });
  app.addHook('onClose', async () => requests.flush());
  const routes = watchRoutes(app);
  const refuseRoute = (request: FastifyRequest, reply: FastifyReply) => {
    const methods = allowedMethods(routes, request.url);
    if (methods.length === 0) return sendProblem(request, reply, 'not_found', 'There is nothing at this address.');
    reply.header('allow', methods.join(', '));
    return sendProblem(request, reply, 'method_not_allowed', `This address takes ${methods.join(', ')}.`);
  };
  app.setNotFoundHandler(refuseRoute);
  app.setErrorHandler((error: { readonly code?: unknown }, request, reply) =>
    error.code === QUERY_WITHOUT_TYPE
      ? refuseRoute(request, reply)
      : sendError(deps.log, reportOutage, error, request, reply),
  );

  await collectOpenApi(app, deps);
  openApiRoutes(app);
  return app;
}

/** Fastify requires a content type for QUERY before it finds that no route takes the method. */
const QUERY_WITHOUT_TYPE = 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE';

const UUID_OR_TRACE_ID = /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{16,64})$/i;

/** The caller's own request id, only in a form that cannot be a document or a name, since it is logged. */
function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && UUID_OR_TRACE_ID.test(given) ? given : requestUuid();
}

/** HTTP/1.1 requires one Host, possibly empty; 1.0 does not. https://www.rfc-editor.org/rfc/rfc9112#section-3.2 */
function refuseUnclearHost({ raw, headers }: FastifyRequest): void {
  if (raw.httpVersion === '1.1' && headers.host === undefined) {
    throw new AppError('malformed_request', 'The Host header is missing.');
  }
  if (countHeader(raw.rawHeaders, 'host') > 1) {
    throw new AppError('malformed_request', 'The Host header is given more than once.');
  }
}

function refuseBadEncoding(url: string): void {
  if (!isDecodable(url)) throw new AppError('malformed_request', 'The address is not encoded as a URL.');
}

function isDecodable(url: string): boolean {
  if (!url.includes('%')) return true;
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

function sendProblem(request: FastifyRequest, reply: FastifyReply, code: ProblemCode, detail: string): FastifyReply {
  const body = problem(code, request.id, { detail });
  return reply.code(body.status).type(PROBLEM_TYPE).send(JSON.stringify(body));
}

/** A request that the framework refused has run no hook, so it has no `route`. */
function routeOf(request: FastifyRequest): string {
  return request.routeOptions.url ?? 'unknown';
}

function sendError(
  log: Log,
  reportOutage: FastifyInstance['reportOutage'],
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // The framework would close the connection on a body that cannot be read, and leave those behind it without an answer. When
  // the whole body was received, the connection can be kept.
  if (request.raw.complete) reply.removeHeader('connection');
  if (error instanceof AppError) {
    if (isOutage(error)) reportOutage(request, error);
    const body = problemOf(error, request.id);
    const waitSeconds = retryAfterSeconds(error.code);
    if (waitSeconds !== undefined) reply.header('retry-after', waitSeconds);
    return reply.code(body.status).type(PROBLEM_TYPE).send(JSON.stringify(body));
  }
  const refusal = frameworkRefusal(error);
  if (!refusal) log.error(OUR_FAULT_LOGGED, { requestId: request.id, route: routeOf(request), error });
  const { code, detail } = refusal ?? OUR_FAULT;
  return sendProblem(request, reply, code, detail);
}
