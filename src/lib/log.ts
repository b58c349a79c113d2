// The log: JSON lines for machines, coloured ones on a terminal. What is logged is an allow-list: a field not named here
// does not reach a line, so a document, a name, an address or a key cannot slip in with an object.

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** All that a line may carry besides its message: counts, codes, route patterns and ids of our own making. */
export type LogFields = {
  readonly requestId?: string;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly chargeId?: string;
  readonly chargeMethod?: string;
  readonly job?: string;
  readonly migration?: string;
  readonly priceSource?: string;
  /** A word of our own making, never what somebody else said. */
  readonly reason?: string;
  readonly error?: unknown;
};

type Write = (message: string, fields?: LogFields) => void;
export type Log = { readonly [level in 'error' | 'warn' | 'info' | 'debug']: Write };

/** As the readers of such lines number them; `silent` is above all. */
const NUMBERS: Record<LogLevel, number> = {
  fatal: 60,
  error: 50,
  warn: 40,
  info: 30,
  debug: 20,
  trace: 10,
  silent: Number.POSITIVE_INFINITY,
};

/** Where lines go. */
export type LogOutput = { write(line: string): void };

export function createLog(level: LogLevel, output: LogOutput): Log {
  const writer = (name: keyof Log): Write => {
    const number = NUMBERS[name];
    if (number < NUMBERS[level]) return () => {};
    return (message, fields = {}) => output.write(lineOf(number, message, fields));
  };
  return { error: writer('error'), warn: writer('warn'), info: writer('info'), debug: writer('debug') };
}

/** Each field by its name: that is the allow-list. What is undefined is not there. */
function lineOf(level: number, msg: string, fields: LogFields): string {
  const line = {
    level,
    time: timeText(Date.now()),
    requestId: fields.requestId,
    method: fields.method,
    route: fields.route,
    status: fields.status,
    durationMs: fields.durationMs,
    chargeId: fields.chargeId,
    chargeMethod: fields.chargeMethod,
    job: fields.job,
    migration: fields.migration,
    priceSource: fields.priceSource,
    reason: fields.reason,
    error: fields.error === undefined ? undefined : describeError(fields.error),
    msg,
  } satisfies Record<keyof LogFields | 'level' | 'time' | 'msg', unknown>;
  return `${JSON.stringify(line)}\n`;
}

const lastTime = { ms: Number.NaN, text: '' };

/** Many lines are written in one millisecond. */
function timeText(ms: number): string {
  if (ms !== lastTime.ms) {
    lastTime.ms = ms;
    lastTime.text = new Date(ms).toISOString();
  }
  return lastTime.text;
}

/**
 * What may be said of an error: its kind, its code and where it was thrown. Never its message: a driver's quotes the
 * values it was given.
 */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  const frames = (error.stack ?? '').split('\n').filter(line => /^\s+at /.test(line));
  return {
    name: error.name,
    code: wordOf(code),
    table: wordOf(table),
    constraint: wordOf(constraint),
    at: frames.slice(0, 12).map(frame => frame.trim()),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}

/** Somebody else's error may carry anything there. */
function wordOf(value: unknown): string | number | undefined {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
