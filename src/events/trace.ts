// An attempt to deliver as a span in the trace of its object. The webhook receives the trace context, so that its owner can record the
// handling of the event in the same trace.
import { formatTraceparent, type TraceContext, type Tracing } from '../lib/tracing.ts';
import type { Claimed, DeliveryEnd } from './store-deliveries.ts';

type DeliverySpan = {
  readonly headers: Readonly<Record<string, string>>;
  end(status: number | undefined, outcome: DeliveryEnd['kind']): void;
};

/** Undefined where the object has no trace. */
export function startDeliverySpan(
  tracing: Tracing | undefined,
  { id, webhookId, eventId, type, attempts }: Claimed,
  trace: TraceContext | undefined,
): DeliverySpan | undefined {
  if (!tracing || !trace) return undefined;
  const span = tracing.start({
    name: 'POST webhook',
    kind: 'client',
    parent: trace,
    // Not the address: people put secrets into it.
    attributes: {
      'http.request.method': 'POST',
      'trilho.webhook.id': webhookId,
      'trilho.delivery.id': id,
      'trilho.delivery.attempt': attempts,
      'trilho.event.id': eventId,
      'trilho.event.type': type,
    },
  });
  return {
    headers: span.context ? { traceparent: formatTraceparent(span.context) } : {},
    end: (status, outcome) => {
      const answered = status === undefined ? {} : { 'http.response.status_code': status };
      const errorType = outcome === 'delivered' ? undefined : String(status ?? 'no_answer');
      span.end({ ...answered, 'trilho.outcome': outcome }, errorType);
    },
  };
}
