// One log line for each answer. Refusals by a limit or an outage share lines instead: callers who ignore `Retry-After` must not fill the
// disk.
import type { Outage } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { runOutsideTraces } from '../../lib/tracing.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** For routes that answer an outage with their own page. */
    reportOutage(request: FastifyRequest, error: LoggedOutage['error']): void;
  }
}

type Logged = {
  readonly requestId: string;
  readonly trace_id?: string;
  readonly method: string;
  /** A pattern: an address may contain anything. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
};

type LoggedOutage = {
  readonly requestId: string;
  readonly route: string;
  readonly error: Error & { readonly code: Outage };
};

type RequestLog = {
  write(answer: Logged): void;
  /** Outages: reasons for a refusal that are not the request's own. */
  writeOutage(outage: LoggedOutage): void;
  /** Writes the counted refusals. */
  flush(): void;
};

const SHARED_STATUSES = [429, 503];
const COUNT_FOR_MS = 1_000;

const OUTAGE_REASONS: Record<Outage, string> = {
  database_unavailable: 'the database cannot be reached',
  database_timeout: 'the database took too long',
  overloaded: 'too much is under way',
  stopping: 'this node is stopping',
  rail_unavailable: 'the rail does not answer',
  chain_unavailable: 'no node of the chain answers',
  price_unavailable: 'there is no reliable price',
  not_ready: 'this node is not ready',
  not_configured: 'a setting is missing',
};

/** The first of a kind has its own line; those within the next second share one with their number. */
export function requestLog(log: Log): RequestLog {
  const counted = new Map<string, { count: number; readonly end: () => void }>();

  /** True when one of the kind was written within the last second; then this one is only counted. */
  function isCounted(kind: string, writeCount: (count: number) => void): boolean {
    const running = counted.get(kind);
    if (running) {
      running.count++;
      return true;
    }
    const end = () => {
      clearTimeout(timer);
      counted.delete(kind);
      if (fresh.count > 0) writeCount(fresh.count);
    };
    const fresh = { count: 0, end };
    // The line is about many requests, so it is outside the context of the first.
    const timer = runOutsideTraces(() => setTimeout(end, COUNT_FOR_MS));
    timer.unref();
    counted.set(kind, fresh);
    return false;
  }

  return {
    write: answer => {
      const { method, route, status } = answer;
      const writeCount = (count: number) => log.info('requests refused', { method, route, status, count });
      if (SHARED_STATUSES.includes(status) && isCounted(`${status} ${method} ${route}`, writeCount)) return;
      log.info('request', { ...answer, durationMs: Math.round(answer.durationMs * 10) / 10 });
    },
    writeOutage: outage => {
      const { code } = outage.error;
      const reason = OUTAGE_REASONS[code];
      const { route } = outage;
      const writeCount = (count: number) => log.warn(`requests refused: ${reason}`, { route, count });
      if (!isCounted(`${code} ${route}`, writeCount)) log.warn(`request refused: ${reason}`, outage);
    },
    flush: () => {
      for (const { end } of [...counted.values()]) end();
    },
  };
}
