// Where traces are sent, by the variables and values that OpenTelemetry defines.
import { SAMPLERS, type TracingSettings } from './opentelemetry.ts';
import { type Kind, kindOf, oneOf } from './settings/kinds.ts';
import type { Setting, ValuesOf } from './settings/setting.ts';

/** Not quoted, since it may hold a password. */
const collectorUrl: Kind<string> = {
  description: 'a URL with https or http, without user, password and query',
  parse: given => {
    const url = URL.canParse(given) ? new URL(given) : undefined;
    const isPlain = url && url.username + url.password + url.search + url.hash === '';
    return isPlain && /^https?:$/.test(url.protocol)
      ? { value: given }
      : { wrong: [{ message: `must be ${collectorUrl.description}` }] };
  },
};

const HEADER_NAME = /^[!#$%&'*+.^_`|~\w-]{1,100}$/;
const HEADER_VALUE = /^[\x20-\x7e]{1,4000}$/;

/** Values are percent-encoded, as in W3C Baggage. */
const headerList = kindOf(
  'a list such as api-key=secret,tenant=acme with percent-encoded values',
  (given): Readonly<Record<string, string>> | undefined => {
    const pairs = given.split(',').map(pair => {
      const [name = '', ...rest] = pair.split('=');
      return [name.trim(), decoded(rest.join('=').trim())] as const;
    });
    const isGood = pairs.every(([name, value]) => HEADER_NAME.test(name) && HEADER_VALUE.test(value));
    return isGood ? Object.fromEntries(pairs) : undefined;
  },
);

/** Empty when it cannot be read. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

const serviceName = kindOf('1 to 100 printable ASCII characters', given =>
  /^[\x20-\x7e]{1,100}$/.test(given) ? given : undefined,
);

const share = kindOf('a decimal from 0 to 1 such as 0.1', given =>
  /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(given) ? Number(given) : undefined,
);

const ENDPOINT = 'OTEL_EXPORTER_OTLP_ENDPOINT';
/** A cluster gives these to all of its programs: with a value that is for others, a service without traces starts. */
const onlyWith = ENDPOINT;

export const TRACING_SETTINGS = [
  {
    name: ENDPOINT,
    kind: collectorUrl,
    meaning:
      'Address of an OpenTelemetry collector; traces are posted to its /v1/traces. Not set: no traces are recorded, and the other OTEL variables are not read.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    onlyWith,
    kind: headerList,
    isSecret: true,
    meaning: 'Headers that the collector wants.',
  },
  {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    onlyWith,
    kind: oneOf(['http/json']),
    default: 'http/json',
    meaning: 'How traces are sent; there is one way.',
  },
  {
    name: 'OTEL_SERVICE_NAME',
    onlyWith,
    kind: serviceName,
    default: 'trilho',
    meaning: 'The name of this service in traces.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER',
    onlyWith,
    kind: oneOf(SAMPLERS),
    default: 'parentbased_always_on',
    meaning: 'Which traces are recorded. With parentbased, a caller that sends traceparent decides for its own.',
  },
  {
    name: 'OTEL_TRACES_SAMPLER_ARG',
    onlyWith,
    kind: share,
    default: '1',
    meaning: 'The share of traces that traceidratio and parentbased_traceidratio record.',
  },
] as const satisfies readonly Setting[];

/** Undefined: no traces are recorded. */
export function tracingSettingsOf(values: ValuesOf<typeof TRACING_SETTINGS>): TracingSettings | undefined {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_HEADERS: headers = {} } = values;
  if (endpoint === undefined) return undefined;
  return {
    endpoint,
    headers,
    serviceName: values.OTEL_SERVICE_NAME,
    sampler: values.OTEL_TRACES_SAMPLER,
    ratio: values.OTEL_TRACES_SAMPLER_ARG,
  };
}
