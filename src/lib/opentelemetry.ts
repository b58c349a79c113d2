// Sends spans to a collector by OTLP over HTTP, with the OpenTelemetry packages, which are loaded only when an endpoint is set. A slow or
// unavailable collector costs spans, never a request: the queue is bounded, and each try has a time limit.
import type { Span as OtelSpan } from '@opentelemetry/api';
import type { ReadableSpan, Sampler, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Log } from './log.ts';
import type { NewSpan, Span, Tracing } from './tracing.ts';

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
export type SamplerName = (typeof SAMPLERS)[number];

export type TracingSettings = {
  /** The collector; `/v1/traces` is appended. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly serviceName: string;
  readonly sampler: SamplerName;
  /** The share of traces that a ratio sampler keeps. */
  readonly ratio: number;
};

/** `dropped`: the queue was full. `failed`: the collector did not accept them. */
export const SPAN_OUTCOMES = ['sent', 'dropped', 'failed'] as const;
export type SpanOutcome = (typeof SPAN_OUTCOMES)[number];

type Deps = {
  readonly log: Log;
  readonly version: string;
  readonly mode: string;
  readonly observeSpans: (spans: { readonly outcome: SpanOutcome; readonly count: number }) => void;
};

/** Spans that wait or are being sent: at most some 10 MB. */
const MAX_PENDING = 8_192;
const BATCH_SIZE = 512;
const SEND_EVERY_MS = 1_000;
/** For a batch with all of its tries. */
const SEND_LIMIT_MS = 10_000;
const STOP_LIMIT_MS = 3_000;
/** `ExportResultCode.SUCCESS` of a package that the exporter brings. */
const SUCCESS = 0;
const MAX_ATTRIBUTES = 32;
const MAX_VALUE_LENGTH = 256;

export async function startTracing(deps: Deps, settings: TracingSettings): Promise<Tracing> {
  const [api, sdk, { defaultResource, resourceFromAttributes }, { OTLPTraceExporter }] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
  ]);
  const exporter = new OTLPTraceExporter({
    url: `${settings.endpoint.replace(/\/+$/, '')}/v1/traces`,
    headers: { ...settings.headers },
    timeoutMillis: SEND_LIMIT_MS,
  });
  const pending = { count: 0 };
  const processor = new sdk.BatchSpanProcessor({
    exporter: countedExporter(deps, exporter, pending),
    maxQueueSize: MAX_PENDING,
    maxExportBatchSize: BATCH_SIZE,
    scheduledDelayMillis: SEND_EVERY_MS,
    // Longer than the exporter's own limit: that one reports how a batch ended.
    exportTimeoutMillis: 2 * SEND_LIMIT_MS,
  });
  const provider = new sdk.TracerProvider({
    sampler: samplerOf(sdk, settings),
    resource: defaultResource().merge(
      resourceFromAttributes({
        'service.name': settings.serviceName,
        'service.version': deps.version,
        'deployment.environment.name': deps.mode,
      }),
    ),
    spanLimits: { attributeCountLimit: MAX_ATTRIBUTES, attributeValueLengthLimit: MAX_VALUE_LENGTH },
    spanProcessors: [boundedProcessor(deps, processor, pending)],
  });
  const tracer = provider.getTracer('trilho', deps.version);
  const kinds = { server: api.SpanKind.SERVER, client: api.SpanKind.CLIENT, consumer: api.SpanKind.CONSUMER } as const;
  const asOtel = ({ traceId, spanId, ...rest }: NonNullable<NewSpan['parent']>) => {
    const isSampled = 'isSampled' in rest ? rest.isSampled : true;
    const traceFlags = isSampled ? api.TraceFlags.SAMPLED : api.TraceFlags.NONE;
    return { traceId, spanId, traceFlags, isRemote: true };
  };

  return {
    start: ({ name, kind, attributes, parent, links = [], startedAtMs }) => {
      const around = parent ? api.trace.setSpanContext(api.ROOT_CONTEXT, asOtel(parent)) : api.ROOT_CONTEXT;
      const span = tracer.startSpan(
        name,
        {
          kind: kinds[kind],
          attributes: { ...attributes },
          links: links.map(link => ({ context: asOtel(link) })),
          ...(startedAtMs !== undefined && { startTime: startedAtMs }),
        },
        around,
      );
      return asSpan(span, api.SpanStatusCode.ERROR);
    },
    stop: async () => {
      const limit = new Promise<void>(resolve => setTimeout(resolve, STOP_LIMIT_MS).unref());
      // Unsent spans are already counted.
      await Promise.race([provider.shutdown().catch(() => {}), limit]);
    },
  };
}

function asSpan(span: OtelSpan, errorCode: number): Span {
  const { traceId, spanId } = span.spanContext();
  return {
    context: span.isRecording() ? { traceId, spanId } : undefined,
    end: (attributes, errorType) => {
      if (attributes) span.setAttributes({ ...attributes });
      if (errorType !== undefined) span.setAttribute('error.type', errorType).setStatus({ code: errorCode });
      span.end();
    },
  };
}

type Sdk = typeof import('@opentelemetry/sdk-trace');

/** https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/#general-sdk-configuration */
function samplerOf(sdk: Sdk, { sampler, ratio }: TracingSettings): Sampler {
  const [, parentBased, name] = /^(parentbased_)?(.+)$/.exec(sampler)!;
  const root =
    name === 'always_on'
      ? new sdk.AlwaysOnSampler()
      : name === 'always_off'
        ? new sdk.AlwaysOffSampler()
        : new sdk.TraceIdRatioBasedSampler(ratio);
  return parentBased === undefined ? root : new sdk.ParentBasedSampler({ root });
}

type Pending = { count: number };

/** Drops spans while too many wait. The processor behind it has the same limit, which it never reaches. */
function boundedProcessor({ observeSpans }: Deps, processor: SpanProcessor, pending: Pending): SpanProcessor {
  return {
    onStart: () => {},
    onEnd: (span: ReadableSpan) => {
      if (pending.count >= MAX_PENDING) return observeSpans({ outcome: 'dropped', count: 1 });
      pending.count++;
      processor.onEnd(span);
    },
    forceFlush: () => processor.forceFlush(),
    shutdown: () => processor.shutdown(),
  };
}

/** Counts the outcomes of batches. Logs one line when the collector becomes unavailable, and one when it is back. */
function countedExporter({ log, observeSpans }: Deps, exporter: SpanExporter, pending: Pending): SpanExporter {
  let isAway = false;
  return {
    export: (spans, done) =>
      exporter.export(spans, result => {
        const isSent = result.code === SUCCESS;
        pending.count -= spans.length;
        observeSpans({ outcome: isSent ? 'sent' : 'failed', count: spans.length });
        if (!isSent && !isAway)
          log.warn('the collector does not accept traces; they are dropped', { error: result.error });
        if (isSent && isAway) log.info('the collector accepts traces again');
        isAway = !isSent;
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
