// A collector of traces: a real HTTP server that accepts OTLP as JSON only and keeps the spans. A request that breaks the
// published rules is answered with 400 and kept as a fault.
// https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding and opentelemetry/proto/trace/v1/trace.proto
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Over } from './process.ts';

export type CollectedSpan = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  /** 2 for a server, 3 for a client, 5 for a consumer. */
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly resource: Readonly<Record<string, unknown>>;
};

export type Collector = {
  /** What OTEL_EXPORTER_OTLP_ENDPOINT is set to. */
  readonly url: string;
  readonly spans: CollectedSpan[];
  readonly faults: string[];
  /** The headers of each request. */
  readonly headers: IncomingHttpHeaders[];
  /** The raw bodies of the requests. */
  readonly texts: string[];
  /** Answers with this status from now on; with 200 it keeps the spans. */
  behave(status: number): void;
  close(): Promise<void>;
};

export async function startCollector(t: Over, port = 0): Promise<Collector> {
  const [spans, faults, texts]: [CollectedSpan[], string[], string[]] = [[], [], []];
  const headers: IncomingHttpHeaders[] = [];
  let behaviour = 200;
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', chunk => {
      text += chunk;
    });
    request.on('end', () => {
      headers.push(request.headers);
      texts.push(text);
      const fault = faultOf(`${request.method} ${request.url}`, request.headers, text);
      if (fault !== undefined) faults.push(fault);
      const status = fault === undefined ? behaviour : 400;
      if (status === 200) spans.push(...spansIn(JSON.parse(text)));
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve));
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  t.after(close);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    faults,
    headers,
    texts,
    behave: status => {
      behaviour = status;
    },
    close,
  };
}

const closed = (required: object, optional: object = {}) => ({
  type: 'object',
  properties: { ...required, ...optional },
  required: Object.keys(required),
  additionalProperties: false,
});
const listOf = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };
/** Ids are hex, unlike other bytes, and never all zeros. */
const traceId = { type: 'string', pattern: '^(?!0+$)[0-9a-f]{32}$' };
const spanId = { type: 'string', pattern: '^(?!0+$)[0-9a-f]{16}$' };
/** 64 bits are decimal text. */
const fixed64 = { type: 'string', pattern: '^[1-9]\\d{0,19}$' };
const count = { type: 'integer', minimum: 0 };
const anyValue = {
  oneOf: [
    closed({ stringValue: text }),
    closed({ boolValue: { type: 'boolean' } }),
    closed({ intValue: { anyOf: [{ type: 'string', pattern: '^-?\\d{1,19}$' }, { type: 'integer' }] } }),
    closed({ doubleValue: { type: 'number' } }),
    closed({ arrayValue: closed({ values: { type: 'array' } }) }),
  ],
};
const attributes = listOf(closed({ key: { type: 'string', minLength: 1 }, value: anyValue }));
const dropped = { droppedAttributesCount: count };
const link = closed({ traceId, spanId }, { traceState: text, attributes, flags: count, ...dropped });
const span = closed(
  { traceId, spanId, name: { type: 'string', minLength: 1 }, startTimeUnixNano: fixed64, endTimeUnixNano: fixed64 },
  {
    parentSpanId: spanId,
    traceState: text,
    flags: count,
    // Numbers, never the names of the enumeration.
    kind: { type: 'integer', minimum: 0, maximum: 5 },
    attributes,
    events: { type: 'array' },
    links: listOf(link),
    status: closed({}, { code: { type: 'integer', minimum: 0, maximum: 2 }, message: text }),
    droppedEventsCount: count,
    droppedLinksCount: count,
    ...dropped,
  },
);
const scope = closed({ name: text }, { version: text, attributes, ...dropped });
const request = closed({
  resourceSpans: listOf(
    closed(
      {
        resource: closed({ attributes }, dropped),
        scopeSpans: listOf(closed({ scope, spans: listOf(span) }, { schemaUrl: text })),
      },
      { schemaUrl: text },
    ),
  ),
});
const isRequest = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(request);

function faultOf(place: string, { 'content-type': type }: IncomingHttpHeaders, body: string): string | undefined {
  if (place !== 'POST /v1/traces') return `${place} is not the endpoint for traces`;
  if (type !== 'application/json') return `${type} is not JSON`;
  const json: unknown = JSON.parse(body);
  if (!isRequest(json)) return JSON.stringify(isRequest.errors);
  const late = spansIn(json as Sent).find(one => BigInt(one.endTimeUnixNano) < BigInt(one.startTimeUnixNano));
  return late && `${late.name} ends before it begins`;
}

type Value = Readonly<Record<string, unknown>>;
type Pair = { readonly key: string; readonly value: Value };
type Sent = {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Pair[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<CollectedSpan, 'attributes' | 'resource'> & {
        readonly attributes?: readonly Pair[];
      })[];
    }[];
  }[];
};

function spansIn({ resourceSpans }: Sent): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(one => ({
        ...one,
        attributes: plain(one.attributes ?? []),
        resource: plain(resource.attributes),
      })),
    ),
  );
}

function plain(pairs: readonly Pair[]): Record<string, unknown> {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]));
}
