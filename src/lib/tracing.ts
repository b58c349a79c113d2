// The trace of the current work. Kept in AsyncLocalStorage, so that no function has to pass it on. Nothing here knows where spans are
// sent; without tracing every function costs one read of an empty store.
import { AsyncLocalStorage } from 'node:async_hooks';

/** A recorded span in the terms of W3C Trace Context: both ids in lower-case hex. */
export type TraceContext = { readonly traceId: string; readonly spanId: string };

/** The context of a caller; the sampler may follow its decision. */
type RemoteContext = TraceContext & { readonly isSampled: boolean };

/** Our own ids, names of settings, codes and counts; never a document, a name, an address, a token or an amount. */
export type Attributes = Readonly<Record<string, string | number>>;

export type NewSpan = {
  /** Of low cardinality: a route or an operation, never an id. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer';
  readonly attributes: Attributes;
  /** When absent, the span begins a trace. */
  readonly parent?: TraceContext | RemoteContext | undefined;
  /** Related spans of other traces. */
  readonly links?: readonly TraceContext[] | undefined;
  /** Milliseconds since 1970; now when absent. */
  readonly startedAtMs?: number;
};

export type Span = {
  /** Absent when the sampler dropped the trace. */
  readonly context: TraceContext | undefined;
  /** `errorType`: a code or a status. */
  end(attributes?: Attributes, errorType?: string): void;
};

export type Tracing = {
  start(span: NewSpan): Span;
  /** Sends waiting spans, for a short time. */
  stop(): Promise<void>;
};

type Scope = {
  readonly tracing: Tracing;
  /** Absent when the work is for several objects, each with its own trace. */
  readonly context: TraceContext | undefined;
  readonly ofObjects: ReadonlyMap<string, TraceContext>;
};

const scopes = new AsyncLocalStorage<Scope | undefined>();
const NO_OBJECTS: ReadonlyMap<string, TraceContext> = new Map();

/** Runs `work`, and everything it calls, inside the span. */
export function runInTrace<T>(tracing: Tracing | undefined, context: TraceContext | undefined, work: () => T): T {
  return tracing && context ? scopes.run({ tracing, context, ofObjects: NO_OBJECTS }, work) : work();
}

/** Runs `work` for several objects; `runForObject` picks the trace of one. */
export function runForObjects<T>(tracing: Tracing, ofObjects: ReadonlyMap<string, TraceContext>, work: () => T): T {
  return scopes.run({ tracing, context: undefined, ofObjects }, work);
}

/** Runs `work` inside the object's trace, when the current work is for several. */
export function runForObject<T>(objectId: string, work: () => T): T {
  const scope = scopes.getStore();
  const context = scope?.ofObjects.get(objectId);
  return scope && context ? scopes.run({ ...scope, context }, work) : work();
}

/** Runs `work` outside any trace: work of a timer is not part of the request that waits for it. */
export function runOutsideTraces<T>(work: () => T): T {
  return scopes.run(undefined, work);
}

export function currentTrace(): TraceContext | undefined {
  return scopes.getStore()?.context;
}

/** An object that the current request creates, with its trace; undefined outside a trace. */
export type ObjectTrace = { readonly objectId: string; readonly context: TraceContext; readonly at: Date };

export function traceOf(objectId: string, at: Date): ObjectTrace | undefined {
  const context = currentTrace();
  return context && { objectId, context, at };
}

/** Begins a span in the current trace; undefined outside one: work that no request caused is not recorded. */
export function startPart(span: Omit<NewSpan, 'parent'>): Span | undefined {
  const scope = scopes.getStore();
  return scope?.context && scope.tracing.start({ ...span, parent: scope.context });
}

const TRACEPARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const SAMPLED = 1;

/** Undefined for what W3C Trace Context calls invalid. https://www.w3.org/TR/trace-context/#traceparent-header */
export function parseTraceparent(text: unknown): RemoteContext | undefined {
  const [, version, traceId = '', spanId = '', flags = '', rest] = TRACEPARENT.exec(String(text)) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED };
}

export function formatTraceparent({ traceId, spanId }: TraceContext): string {
  return `00-${traceId}-${spanId}-01`;
}

/** A label for an error without foreign text: our code, a library's code, or the kind of error. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[\w.-]{1,63}$/.test(code) ? code : error.name;
}
