// A span for each request. It begins once the caller is known: earlier refusals, such as a wrong key or a rate limit, are counted and
// logged, and cannot flood the collector.
import type { FastifyInstance } from 'fastify';
import { parseTraceparent, runInTrace, type Span, type Tracing } from '../../lib/tracing.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Absent when the request is not traced. */
    span: Span | undefined;
  }
}

/** Polled constantly by monitoring. */
const WATCHED = '/metrics';
const SERVER_ERROR = 500;

/** Call it before any route is added. The handler runs inside the hook's last call, and so inside the span. */
export function traceRequests(app: FastifyInstance, tracing: Tracing): void {
  app.addHook('preHandler', (request, reply, done) => {
    const { url: route, config } = request.route;
    // A stream lasts as long as its reader; unknown addresses and public routes may be requested by anybody, any number of times.
    if (route === undefined || config.access === 'public' || config.isLasting || route === WATCHED) return done();
    const { method, headers } = request;
    const span = tracing.start({
      name: `${method} ${route}`,
      kind: 'server',
      // Anybody can reach a route without a scope, and must not decide what is recorded.
      parent: typeof config.access !== 'object' ? undefined : parseTraceparent(headers['traceparent']),
      // By the machine's present clock: that of `performance` does not follow when the clock is set.
      startedAtMs: Date.now() - reply.elapsedTime,
      // The route, never the address, which may contain tokens and caller input.
      attributes: { 'http.request.method': method, 'http.route': route },
    });
    request.span = span;
    runInTrace(tracing, span.context, done);
  });
  app.addHook('onResponse', async ({ span }, { statusCode }) => {
    span?.end({ 'http.response.status_code': statusCode }, statusCode >= SERVER_ERROR ? String(statusCode) : undefined);
  });
}
