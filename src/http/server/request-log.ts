// One log line for each answer. Refusals by a rate limit are counted instead: a caller who is told to wait and does not must not
// fill the disk with lines.
import type { Log } from '../../lib/log.ts';

export type Logged = {
  readonly requestId: string;
  readonly trace_id?: string;
  readonly method: string;
  /** A pattern: an address may hold anything. */
  readonly route: string;
  readonly status: number;
  readonly durationMs: number;
};

export type RequestLog = {
  write(answer: Logged): void;
  /** Writes what was only counted so far. */
  flush(): void;
};

const TOO_MANY_REQUESTS = 429;
const COUNT_FOR_MS = 1_000;

/** The first 429 of a route has a line of its own; those that follow within a second share one with their number. */
export function requestLog(log: Log): RequestLog {
  const counted = new Map<string, { count: number; readonly end: () => void }>();

  function count({ method, route, status }: Logged): boolean {
    const name = `${method} ${route}`;
    const running = counted.get(name);
    if (running) {
      running.count++;
      return true;
    }
    const end = () => {
      clearTimeout(timer);
      counted.delete(name);
      if (fresh.count > 0) log.info('requests refused', { method, route, status, count: fresh.count });
    };
    const fresh = { count: 0, end };
    const timer = setTimeout(end, COUNT_FOR_MS);
    timer.unref();
    counted.set(name, fresh);
    return false;
  }

  return {
    write: answer => {
      if (answer.status === TOO_MANY_REQUESTS && count(answer)) return;
      log.info('request', { ...answer, durationMs: Math.round(answer.durationMs * 10) / 10 });
    },
    flush: () => {
      for (const { end } of [...counted.values()]) end();
    },
  };
}
