// The list as its table grows: every kind of page must stay as cheap as the first page of a small table. For comparison:
// count(*) with offset over the same rows.
import { countAndOffset } from '../count-and-offset.ts';
import { withClient } from '../database-server.ts';
import { summary } from '../driver-share.ts';
import { formatCount, formatMs, formatRate, formatRatio, median, percentileOf } from '../figures.ts';
import { get, type HttpConnection, type LoadResult, openConnection, runLoad } from '../http-load.ts';
import { FIRST_PAGE, listRequests, listTarget, placeQueries, type Query } from '../list-queries.ts';
import { type OrdersDatabase, requireOrders } from '../orders.ts';
import type { RunningProgram } from '../programs.ts';
import { startTrilho } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const MAX_RATIO = 2;
const SAMPLES_PER_ROUND = 10;
/** A slow kind gets fewer samples: no kind takes longer than this at one size. */
const KIND_LIMIT_MS = 4_000;
const SLOW_KIND_LIMIT_MS = 8_000;

type Size = OrdersDatabase & {
  readonly rows: number;
  readonly service: RunningProgram;
  readonly queries: readonly Query[];
  /** Milliseconds, by the name of the kind. */
  readonly samples: Map<string, number[]>;
};

export async function measureList(deps: PartDeps): Promise<void> {
  const { report, options } = deps;
  const databases: (OrdersDatabase & { rows: number })[] = [];
  for (const rows of options.rows) databases.push({ rows, ...(await requireOrders(deps, rows, options.mode)) });
  const sizes: Size[] = [];
  try {
    for (const one of databases) sizes.push(await openSize(deps, one));
    report.progress('requesting every kind of page, the sizes in turn');
    await sampleSizes(sizes, options.samples);
    addLatencies(deps, sizes);
    await addRates(deps, sizes);
  } finally {
    for (const { service } of sizes) await service.stop();
  }
  for (const size of sizes) await addCountAndOffset(deps, size);
}

async function openSize({ server, options }: PartDeps, orders: OrdersDatabase & { rows: number }): Promise<Size> {
  const service = await startTrilho(server, orders.database, { mode: options.mode });
  const queries = await placeQueries(service.url, orders.caller);
  return { ...orders, service, queries, samples: new Map(queries.map(({ name }) => [name, []])) };
}

/** A few samples of each kind at each size, repeatedly, so that a slow moment of the machine affects all equally. */
async function sampleSizes(sizes: readonly Size[], count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += SAMPLES_PER_ROUND) {
    for (const { service, queries, samples, caller } of sizes) {
      // A new connection each time: the service closes one that is idle for long.
      const connection = await openConnection(service.url);
      for (const query of queries) {
        await sampleKind(connection, query, get(listTarget(query), caller?.headers), samples.get(query.name)!);
      }
      connection.close();
    }
  }
}

async function sampleKind(connection: HttpConnection, query: Query, request: string, samples: number[]): Promise<void> {
  if (samples.reduce((sum, value) => sum + value, 0) > KIND_LIMIT_MS) return;
  // The first request finds the processor's caches filled by other sizes, and does not count.
  await connection.send(request);
  for (let sample = 0; sample < SAMPLES_PER_ROUND; sample++) {
    const sentAt = performance.now();
    const { status, body } = await connection.send(request);
    const tookMs = performance.now() - sentAt;
    samples.push(tookMs);
    if (status !== 200) throw new Error(`${query.name} was answered with ${status}: ${body()}`);
    if (tookMs > KIND_LIMIT_MS / SAMPLES_PER_ROUND) return;
  }
}

function addLatencies({ report }: PartDeps, sizes: readonly Size[]): void {
  const smallest = sizes[0]!;
  for (const { rows, queries, samples } of sizes) {
    const isLargest = rows === sizes.at(-1)!.rows;
    const kinds = queries.map(query => {
      const own = samples.get(query.name)!;
      const base = median(smallest.samples.get(firstPageName(smallest, query))!);
      return { query, p50: median(own), p99: percentileOf(own, 0.99), base };
    });
    const slowest = kinds.reduce((a, b) => (b.p50 / b.base > a.p50 / a.base ? b : a));
    for (const { query, p50, p99, base } of isLargest ? kinds : [slowest]) {
      const ratio = p50 / base;
      report.add({
        part: 'list',
        measured: `${query.name}${isLargest ? '' : ' (the slowest kind)'}, ${formatCount(rows)} rows`,
        result: `p50 ${formatMs(p50)}, p99 ${formatMs(p99)}`,
        comparedWith: `${formatMs(base)} ${firstPageName(smallest, query)} at ${formatCount(smallest.rows)}`,
        ratio: formatRatio(ratio),
        ...(isLargest && { goal: { text: `≤ ${MAX_RATIO} ×`, isMet: ratio <= MAX_RATIO } }),
      });
    }
  }
}

/** The first page of all orders with the same page size: five times the rows are five times the JSON. */
function firstPageName({ queries }: Size, { pageSize }: Query): string {
  return queries.find(query => query.pageSize === pageSize)!.name;
}

async function addRates({ server, report, options }: PartDeps, sizes: readonly Size[]): Promise<void> {
  const { listConnections: connections, roundSeconds: seconds } = options;
  const results = sizes.map((): LoadResult[] => []);
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, { service, queries, caller }] of sizes.entries()) {
      await server.checkpoint();
      const request = listRequests(queries, caller);
      results[index]!.push(await runLoad({ url: service.url, connections, request, seconds }));
    }
  }
  const rateOf = (index: number) => median(results[index]!.map(({ rate }) => rate));
  for (const [index, { rows }] of sizes.entries()) {
    report.add({
      part: 'list',
      measured: `all kinds in turn, ${connections} connections, ${formatCount(rows)} rows`,
      result: summary(results[index]!),
      ...(index > 0 && {
        comparedWith: `${formatRate(rateOf(0))} at ${formatCount(sizes[0]!.rows)}`,
        ratio: formatRatio(rateOf(index) / rateOf(0)),
      }),
    });
  }
}

/** Also checks the totals of the service. */
async function addCountAndOffset({ server, report, options }: PartDeps, size: Size): Promise<void> {
  report.progress(`count(*) with offset over ${formatCount(size.rows)} rows`);
  const compared = await withClient(server.url(size.database), async client => {
    const found: { name: string; plain: number; service: number }[] = [];
    for (const query of size.queries) {
      const own: number[] = [];
      const startedAt = performance.now();
      // One more than counts: the first may read its rows from disk.
      while (own.length <= options.slowSamples && performance.now() - startedAt < SLOW_KIND_LIMIT_MS) {
        const sentAt = performance.now();
        const total = await countAndOffset(client, query);
        own.push(performance.now() - sentAt);
        if (total !== query.total) {
          throw new Error(`${query.name}: the list has the total ${query.total}, the table has ${total} rows`);
        }
      }
      found.push({
        name: query.name,
        plain: median(own.length > 1 ? own.slice(1) : own),
        service: median(size.samples.get(query.name)!),
      });
    }
    return found;
  });
  const largest = compared.reduce((a, b) => (b.plain / b.service > a.plain / a.service ? b : a));
  const first = compared.find(({ name }) => name === FIRST_PAGE.name)!;
  const shown = largest === first ? [first] : [first, largest];
  for (const { name, plain, service } of shown) {
    report.add({
      part: 'list',
      measured: `count(*) with offset: ${name}${name === largest.name ? ' (the largest ratio)' : ''}, ${formatCount(size.rows)} rows`,
      result: `p50 ${formatMs(plain)}`,
      comparedWith: `${formatMs(service)} by the service`,
      ratio: formatRatio(plain / service),
    });
  }
}
