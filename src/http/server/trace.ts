// A request as a span. It begins once the caller is known: what is refused before, such as a wrong key or one request too many, is
// counted and logged, and cannot fill the collector.
import type { FastifyInstance } from 'fastify';
import { parseTraceparent, runInTrace, type Span, type Tracing } from '../../lib/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent: it is not traced. */
    span: Span | undefined;
  }
}

/** Asked all the time by machines that watch the service. */
const WATCHED = '/metrics';
const SERVER_ERROR = 500;

/** Call it before any route is added. The handler runs inside the hook's last call, and so inside the span. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { url: route, config } = request.route;
    // A stream lasts as long as its reader; an unknown address and a public route may be asked by anybody, as often as they like.
    if (route === undefined || config.access === 'public' || config.isLasting || route === WATCHED) return done();
    const { method, headers } = request;
    const span = tracing.start({
      name: `${method} ${route}`,
      kind: 'server',
      // Anybody reaches a route without a scope, and must not decide what is recorded.
      parent: typeof config.access !== 'object' ? undefined : parseTraceparent(headers['traceparent']),
      // By the clock of the machine as it is now: that of `performance` does not follow when it is set.
      startedAtMs: Date.now() - reply.elapsedTime,
      // The route and never the address, which holds tokens and whatever a caller wrote.
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    request.span = span;
    runInTrace(tracing, span.context, done);
  });
  app.addHook('onResponse', async ({ span }, { statusCode }) => {
    span?.end({ 'http.response.status_code': statusCode }, statusCode >= SERVER_ERROR ? String(statusCode) : undefined);
  });
}
