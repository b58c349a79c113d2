// The trace that the current work belongs to. Kept in AsyncLocalStorage, so that no function has to pass it on. Nothing here knows
// where spans are sent; without tracing every function costs one look at an empty store.
import { AsyncLocalStorage } from 'node:async_hooks';

/** A span that is recorded, as W3C Trace Context names it: both ids in lower-case hex. */
export type TraceContext = { readonly traceId: string; readonly spanId: string };

/** What a caller sent; the sampler may heed whether it records its own part. */
export type RemoteContext = TraceContext & { readonly isSampled: boolean };

/** Ids of ours, names of settings, codes and counts; never a document, a name, an address, a token or an amount. */
export type Attributes = Readonly<Record<string, string | number>>;

export type NewSpan = {
  /** Of few kinds: a route or an operation, never an id. */
  readonly name: string;
  readonly kind: 'server' | 'client' | 'consumer';
  readonly attributes: Attributes;
  /** Absent: the span begins a trace. */
  readonly parent?: TraceContext | RemoteContext | undefined;
  /** Spans of other traces that have to do with it. */
  readonly links?: readonly TraceContext[] | undefined;
  /** Milliseconds since 1970; absent: now. */
  readonly startedAtMs?: number;
};

export type Span = {
  /** Absent: the sampler has left the trace out. */
  readonly context: TraceContext | undefined;
  /** `errorType` is a code or a status that says what went wrong. */
  end(attributes?: Attributes, errorType?: string): void;
};

export type Tracing = {
  start(span: NewSpan): Span;
  /** Sends what waits, for a short time. */
  stop(): Promise<void>;
};

type Scope = {
  readonly tracing: Tracing;
  /** Absent: the work is for several objects, each with a trace of its own. */
  readonly context: TraceContext | undefined;
  readonly ofObjects: ReadonlyMap<string, TraceContext>;
};

const scopes = new AsyncLocalStorage<Scope | undefined>();
const NO_OBJECTS: ReadonlyMap<string, TraceContext> = new Map();

/** Runs `work`, and everything it calls, as a part of the span. */
export function runInTrace<T>(tracing: Tracing | undefined, context: TraceContext | undefined, work: () => T): T {
  return tracing && context ? scopes.run({ tracing, context, ofObjects: NO_OBJECTS }, work) : work();
}

/** Runs `work` for several objects; `runForObject` picks the trace of one. */
export function runForObjects<T>(tracing: Tracing, ofObjects: ReadonlyMap<string, TraceContext>, work: () => T): T {
  return scopes.run({ tracing, context: undefined, ofObjects }, work);
}

/** Runs `work` as a part of the object's trace, where the current work is for several. */
export function runForObject<T>(objectId: string, work: () => T): T {
  const scope = scopes.getStore();
  const context = scope?.ofObjects.get(objectId);
  return scope && context ? scopes.run({ ...scope, context }, work) : work();
}

/** Runs `work` outside of any trace: what a timer causes is not part of the request that waits for it. */
export function runOutsideTraces<T>(work: () => T): T {
  return scopes.run(undefined, work);
}

export function currentTrace(): TraceContext | undefined {
  return scopes.getStore()?.context;
}

/** An object that the current request makes, with its trace; undefined outside of a trace. */
export type ObjectTrace = { readonly objectId: string; readonly context: TraceContext; readonly at: Date };

export function traceOf(objectId: string, at: Date): ObjectTrace | undefined {
  const context = currentTrace();
  return context && { objectId, context, at };
}

/** Begins a part of the current trace; undefined outside of one: what no request has caused is not recorded. */
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

/** What went wrong, in a word that is no text of others: our code, or that of a library, or the kind of error. */
export function errorTypeOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && /^[\w.-]{1,63}$/.test(code) ? code : error.name;
}
