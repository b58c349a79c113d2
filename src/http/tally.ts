// Answers, counted by route for a Prometheus server. A registry counts as well, but checks and joins the labels
// of every answer anew.
import type { Metric, Registry } from 'prom-client';

export type CountedAnswer = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

type Tally = {
  readonly labels: { readonly method: string; readonly route: string };
  readonly byStatus: Map<number, number>;
  /** How many were within each bound and beyond the one before; at last those beyond all. */
  readonly within: number[];
  seconds: number;
};

const BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Shows what it counts in a registry. */
export function tallyAnswers(registry: Registry): (answer: CountedAnswer) => void {
  const tallies = new Map<string, Tally>();

  function tallyOf(method: string, route: string): Tally {
    const name = `${method} ${route}`;
    const known = tallies.get(name);
    if (known) return known;
    const within = [...BOUNDS, Number.POSITIVE_INFINITY].map(() => 0);
    const fresh = { labels: { method, route }, byStatus: new Map(), within, seconds: 0 };
    tallies.set(name, fresh);
    return fresh;
  }

  show(registry, 'counter', 'trilho_http_requests_total', 'Requests answered.', () =>
    [...tallies.values()].flatMap(({ labels, byStatus }) =>
      [...byStatus].map(([status, value]) => ({ labels: { ...labels, status }, value })),
    ),
  );
  const latency = 'trilho_http_request_duration_seconds';
  show(registry, 'histogram', latency, 'Time from the first byte in to the last byte out.', () =>
    [...tallies.values()].flatMap(({ labels, within, seconds }) => {
      let count = 0;
      const buckets = within.map((more, index) => {
        count += more;
        return { metricName: `${latency}_bucket`, labels: { le: BOUNDS[index] ?? '+Inf', ...labels }, value: count };
      });
      return [
        ...buckets,
        { metricName: `${latency}_sum`, labels, value: seconds },
        { metricName: `${latency}_count`, labels, value: count },
      ];
    }),
  );

  return ({ method, route, status, seconds }) => {
    const tally = tallyOf(method, route);
    tally.byStatus.set(status, (tally.byStatus.get(status) ?? 0) + 1);
    const bound = BOUNDS.findIndex(most => seconds <= most);
    tally.within[bound < 0 ? BOUNDS.length : bound]! += 1;
    tally.seconds += seconds;
  };
}

/** All that a registry asks of a metric. */
function show(registry: Registry, type: string, name: string, help: string, values: () => object[]): void {
  const metric = { name, get: async () => ({ name, help, type, values: values(), aggregator: 'sum' }) };
  registry.registerMetric(metric as unknown as Metric);
}
