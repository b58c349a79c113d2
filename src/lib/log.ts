// The log: JSON lines for machines, coloured ones on a terminal. What is logged is an allow-list: a field not named here
// does not reach a line, so a document, a name, an address or a key cannot slip in with an object.
import { type DestinationStream, pino } from 'pino';

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

const ALLOWED = [
  'requestId',
  'method',
  'route',
  'status',
  'durationMs',
  'chargeId',
  'chargeMethod',
  'job',
  'migration',
  'priceSource',
  'reason',
] as const satisfies readonly (keyof LogFields)[];

export function createLog(level: LogLevel, destination: DestinationStream): Log {
  const logger = pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
  const writer =
    (name: keyof Log): Write =>
    (message, fields = {}) => {
      if (logger.isLevelEnabled(name)) logger[name](allowed(fields), message);
    };
  return { error: writer('error'), warn: writer('warn'), info: writer('info'), debug: writer('debug') };
}

function allowed(fields: LogFields): Record<string, unknown> {
  const line: Record<string, unknown> = {};
  for (const key of ALLOWED) if (fields[key] !== undefined) line[key] = fields[key];
  if (fields.error !== undefined) line['error'] = describeError(fields.error);
  return line;
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
    code,
    table,
    constraint,
    at: frames.slice(0, 12).map(frame => frame.trim()),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}
