// Jobs in traces. A job belongs to the trace of whatever enqueued it. If that has no trace, such as a timer or a batch for many callers, it
// belongs to the traces of the objects that its payload names.
import {
  type Attributes,
  currentTrace,
  errorTypeOf,
  formatTraceparent,
  parseTraceparent,
  runForObjects,
  runInTrace,
  type Span,
  type TraceContext,
  type Tracing,
} from '../lib/tracing.ts';
import type { Database } from '../storage/database.ts';
import { findTraces } from '../storage/object-traces.ts';
import type { JobHandler, JobOutcome } from './job.ts';

export type JobTraceDeps = { readonly db: Database; readonly tracing?: Tracing | undefined };

type Job = { readonly id: string; readonly data: object; readonly retryCount: number };

/** The stored payload; inside a trace it includes the trace context. */
export function withTrace<Payload extends object>(payload: Payload): Payload {
  const trace = currentTrace();
  return trace ? { ...payload, traceparent: formatTraceparent(trace) } : payload;
}

/** Reports how a job ended. */
export type EndJob = (outcome: JobOutcome | 'failed', error?: unknown) => void;

/** Runs a job as part of its traces: one span in each. */
export async function traceJob<T>(
  { db, tracing }: JobTraceDeps,
  { name }: Pick<JobHandler, 'name'>,
  job: Job,
  run: (end: EndJob) => Promise<T>,
): Promise<T> {
  if (!tracing) return run(() => {});
  const ids = idsIn(job.data);
  const found = await findTraces({ db, tracing }, [...ids.keys()]);
  const start = (parent: TraceContext, links: readonly TraceContext[], attributes: Attributes): Span =>
    tracing.start({
      name: `process ${name}`,
      kind: 'consumer',
      parent,
      links,
      attributes: {
        'messaging.system': 'pg-boss',
        'messaging.operation.name': 'process',
        'messaging.operation.type': 'process',
        'messaging.destination.name': name,
        'messaging.message.id': job.id,
        'trilho.job.attempt': job.retryCount + 1,
        ...attributes,
      },
    });
  const cause = parseTraceparent(Reflect.get(job.data, 'traceparent'));
  if (cause) {
    const others = [...found.values()].filter(({ traceId }) => traceId !== cause.traceId);
    const span = start(cause, others, attributesOf(ids.size === 1 ? [...ids] : []));
    return runInTrace(tracing, span.context, () => run(endOf([span])));
  }
  const spans = [...found].map(([id, trace]) => ({ id, span: start(trace, [], attributesOf([[id, ids.get(id)!]])) }));
  const end = endOf(spans.map(({ span }) => span));
  const [first, ...more] = spans;
  if (first && more.length === 0 && ids.size === 1) return runInTrace(tracing, first.span.context, () => run(end));
  const recorded = spans.flatMap(({ id, span }) => (span.context ? [[id, span.context] as const] : []));
  return runForObjects(tracing, new Map(recorded), () => run(end));
}

function endOf(spans: readonly Span[]): EndJob {
  return (outcome, error) => {
    const errorType = error === undefined ? undefined : errorTypeOf(error);
    for (const span of spans) span.end({ 'trilho.outcome': outcome }, errorType);
  };
}

/** The objects that a payload names, by the names of their attributes. A refund is in the trace of its charge. */
const ID_ATTRIBUTES: Readonly<Record<string, string>> = {
  chargeId: 'trilho.charge.id',
  orderId: 'trilho.order.id',
  payoutId: 'trilho.payout.id',
  notificationId: 'trilho.notification.id',
};

/** From the payload and the entries of its lists, which are objects or ids of notifications. */
function idsIn(data: object): ReadonlyMap<string, string> {
  const entries: unknown[] = Object.values(data).filter(Array.isArray).flat();
  const parts = [data, ...entries.map(entry => (typeof entry === 'string' ? { notificationId: entry } : entry))];
  return new Map(
    parts
      .filter(part => typeof part === 'object' && part !== null)
      .flatMap(part => Object.entries(part))
      .flatMap(([key, id]) => {
        const attribute = ID_ATTRIBUTES[key];
        return attribute !== undefined && typeof id === 'string' ? [[id, attribute] as const] : [];
      }),
  );
}

function attributesOf(ids: readonly (readonly [id: string, attribute: string])[]): Attributes {
  return Object.fromEntries(ids.map(([id, attribute]) => [attribute, id]));
}
