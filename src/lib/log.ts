// The log: one JSON line per message, written by pino. The fields of a line are an allow-list: others are dropped, so that a document, a
// name, an address or a key cannot slip in with an object.
import { AssertionError } from 'node:assert';
import { type DestinationStream, pino } from 'pino';
import { AppError, isOutageOfOthers, StartError } from './errors.ts';
import { currentTrace } from './tracing.ts';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** The fields that a line may have besides its message: ids, counts, codes and route patterns. Ids of objects are UUIDs. */
export type LogFields = {
  readonly requestId?: string;
  /** The trace of the line, in OpenTelemetry's names; added by the log itself inside a trace. */
  readonly trace_id?: string | undefined;
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly durationMs?: number;
  readonly offsetMs?: number;
  readonly chargeId?: string;
  readonly chargeMethod?: string;
  readonly orderId?: string | undefined;
  readonly payoutId?: string;
  readonly walletId?: string;
  readonly mandateId?: string;
  readonly collectionId?: string;
  readonly refundId?: string;
  readonly reminderId?: string;
  readonly webhookId?: string;
  readonly deliveryId?: string;
  readonly notificationId?: string;
  readonly rail?: string;
  /** The bank's id of a payment: the endToEndId of a pix. */
  readonly paymentReference?: string;
  readonly network?: string;
  readonly priceSource?: string;
  readonly symbol?: string;
  readonly currency?: string;
  /** The id of an API key, which is not secret. */
  readonly keyId?: string;
  readonly job?: string;
  readonly migration?: string;
  /** The number of a try: of a job, a delivery or a transfer. */
  readonly attempt?: number;
  /** The number of objects that the line is about. */
  readonly count?: number;
  /** Our own text, never that of another system. */
  readonly reason?: string;
  readonly error?: unknown;
};

const FIELDS: Readonly<Record<keyof LogFields, true>> = {
  requestId: true,
  trace_id: true,
  method: true,
  route: true,
  status: true,
  durationMs: true,
  offsetMs: true,
  chargeId: true,
  chargeMethod: true,
  orderId: true,
  payoutId: true,
  walletId: true,
  mandateId: true,
  collectionId: true,
  refundId: true,
  reminderId: true,
  webhookId: true,
  deliveryId: true,
  notificationId: true,
  rail: true,
  paymentReference: true,
  network: true,
  priceSource: true,
  symbol: true,
  currency: true,
  keyId: true,
  job: true,
  migration: true,
  attempt: true,
  count: true,
  reason: true,
  error: true,
};

type Write = (message: string, fields?: LogFields) => void;
export type Log = { readonly [level in 'fatal' | 'error' | 'warn' | 'info' | 'debug']: Write };

export function createLog(level: LogLevel, output: DestinationStream): Log {
  const logger = pino(
    {
      level,
      // No process id or host name: the collector of the lines adds their source.
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: name => ({ level: name }), log: allowedFields },
      serializers: { error: (error: unknown) => describeError(error) },
    },
    output,
  );
  const writer =
    (name: keyof Log): Write =>
    (message, fields = {}) =>
      logger[name](inTrace(fields), message);
  return {
    fatal: writer('fatal'),
    error: writer('error'),
    warn: writer('warn'),
    info: writer('info'),
    debug: writer('debug'),
  };
}

function inTrace(fields: LogFields): LogFields {
  const trace = currentTrace();
  return trace ? { trace_id: trace.traceId, ...fields } : fields;
}

function allowedFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => Object.hasOwn(FIELDS, name)));
}

const MAX_FRAMES = 12;

/**
 * The loggable parts of an error: its kind, its code, its stack frames, and its message if it is ours. Messages of libraries are omitted: a
 * driver's message quotes values.
 */
function describeError(error: unknown, isStackShown = true): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  // A late answer of a bank is not a fault of this program, so the stack trace does not help.
  const showsStack = isStackShown && !isOutageOfOthers(error);
  return {
    name: error.name,
    code: shortWord(code),
    message: isOurs(error) ? error.message : undefined,
    table: shortWord(table),
    constraint: shortWord(constraint),
    at: showsStack ? framesOf(error) : undefined,
    cause: error.cause === undefined ? undefined : describeError(error.cause, showsStack),
  };
}

/** An assertion with its own text is ours; without one, Node writes values into it. */
function isOurs(error: Error): boolean {
  if (error instanceof AssertionError) return !error.generatedMessage;
  return error instanceof AppError || error instanceof StartError;
}

/** The stack begins with the message, which may have lines of its own. */
function framesOf({ stack = '', message }: Error): string[] {
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return frames
    .filter(line => /^\s+at /.test(line))
    .slice(0, MAX_FRAMES)
    .map(line => line.trim());
}

/** A library's error may have anything under these names; codes, tables and constraints are short identifiers. */
function shortWord(value: unknown): string | number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^[\w.-]{1,63}$/.test(value) ? value : undefined;
}
