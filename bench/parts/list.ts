// The list as its table grows: every kind of page must stay as cheap as the first page of a small table. Beside it the usual
// way, count and offset, over the same rows.
import { countAndOffset } from '../count-and-offset.ts';
import { median, ms, percentile, perSecond, times } from '../figures.ts';
import { get, type Line, load, openLine } from '../load.ts';
import { sizeWords } from '../options.ts';
import { FIRST_PAGE, placedQueries, type Query, targetOf } from '../queries.ts';
import { type Running, runTrilho } from '../running.ts';
import { seededDatabase } from '../seed.ts';
import { withClient } from '../stage.ts';
import type { Needs } from './part.ts';

const GOAL = 2;
const SAMPLES_A_TURN = 10;
/** What is slow gets fewer samples: no cell takes longer than this. */
const CELL_LIMIT_MS = 4_000;
const SLOW_CELL_LIMIT_MS = 8_000;

type Size = {
  readonly rows: number;
  readonly database: string;
  readonly service: Running;
  readonly queries: readonly Query[];
  /** Milliseconds by the name of the kind. */
  readonly samples: Map<string, number[]>;
};

export async function measureList(needs: Needs): Promise<void> {
  const { report, options } = needs;
  const databases: { rows: number; database: string }[] = [];
  for (const rows of options.rows) databases.push({ rows, database: await seededDatabase(needs, rows) });
  const sizes: Size[] = [];
  try {
    for (const one of databases) sizes.push(await openSize(needs, one));
    report.say('asking for every kind of page, the sizes in turn');
    await sample(sizes, options.samples);
    addLatencies(needs, sizes);
    await addRates(needs, sizes);
  } finally {
    for (const { service } of sizes) await service.stop();
  }
  for (const size of sizes) await addUsualWay(needs, size);
}

async function openSize({ stage }: Needs, { rows, database }: { rows: number; database: string }): Promise<Size> {
  const service = await runTrilho(stage, database);
  const queries = await placedQueries(service.url);
  return { rows, database, service, queries, samples: new Map(queries.map(({ name }) => [name, []])) };
}

/** A few of each kind at each size, and again, so that whatever else the machine does falls on all alike. */
async function sample(sizes: readonly Size[], count: number): Promise<void> {
  for (let taken = 0; taken < count; taken += SAMPLES_A_TURN) {
    for (const { service, queries, samples } of sizes) {
      const { hostname, port } = new URL(service.url);
      // Opened for each turn: a connection is closed when it is silent for long.
      const line = await openLine(hostname, Number(port));
      for (const query of queries) await sampleKind(line, query, samples.get(query.name)!);
      line.close();
    }
  }
}

async function sampleKind(line: Line, query: Query, samples: number[]): Promise<void> {
  if (samples.reduce((sum, value) => sum + value, 0) > CELL_LIMIT_MS) return;
  const request = get(targetOf(query));
  // The first of a turn finds everything cold from the turns of others.
  await line.ask(request);
  for (let turn = 0; turn < SAMPLES_A_TURN; turn++) {
    const askedAt = performance.now();
    const { status, body } = await line.ask(request);
    samples.push(performance.now() - askedAt);
    if (status !== 200) throw new Error(`${query.name} was answered with ${status}: ${body()}`);
    if (samples.at(-1)! > CELL_LIMIT_MS / SAMPLES_A_TURN) return;
  }
}

function addLatencies({ report }: Needs, sizes: readonly Size[]): void {
  const smallest = sizes[0]!;
  for (const { rows, queries, samples } of sizes) {
    const isLargest = rows === sizes.at(-1)!.rows;
    const kinds = queries.map(query => {
      const own = samples.get(query.name)!;
      const base = median(smallest.samples.get(firstOfSize(smallest, query))!);
      return { query, p50: median(own), p99: ninetyNinth(own), base };
    });
    const slowest = kinds.reduce((a, b) => (b.p50 / b.base > a.p50 / a.base ? b : a));
    for (const { query, p50, p99, base } of isLargest ? kinds : [slowest]) {
      const ratio = p50 / base;
      report.add({
        part: 'list',
        what: `${query.name}${isLargest ? '' : ' (the slowest kind)'}, ${sizeWords(rows)} rows`,
        figure: `p50 ${ms(p50)}, p99 ${ms(p99)}`,
        beside: `${ms(base)} ${firstOfSize(smallest, query)} at ${sizeWords(smallest.rows)}`,
        ratio: times(ratio),
        ...(isLargest && { goal: `≤ ${GOAL} ×`, met: ratio <= GOAL }),
      });
    }
  }
}

/** The first page of everything with as many rows on it: five times the rows are five times the JSON. */
function firstOfSize({ queries }: Size, { pageSize }: Query): string {
  return queries.find(query => query.pageSize === pageSize)!.name;
}

async function addRates({ stage, report, options }: Needs, sizes: readonly Size[]): Promise<void> {
  const results = sizes.map((): { rate: number; p99: number }[] => []);
  for (let round = 0; round < options.rounds; round++) {
    for (const [index, { service, queries }] of sizes.entries()) {
      await stage.calm();
      const requests = queries.map(query => get(targetOf(query)));
      const request = (turn: number) => requests[turn % requests.length]!;
      const { url } = service;
      results[index]!.push(
        await load({ url, connections: options.listConnections, request, seconds: options.roundSeconds }),
      );
    }
  }
  const rateOf = (index: number) => median(results[index]!.map(({ rate }) => rate));
  for (const [index, { rows }] of sizes.entries()) {
    const p99 = median(results[index]!.map(result => result.p99));
    report.add({
      part: 'list',
      what: `all kinds in turn, ${options.listConnections} connections, ${sizeWords(rows)} rows`,
      figure: `${perSecond(rateOf(index))}, p99 ${ms(p99)}`,
      ...(index > 0 && {
        beside: `${perSecond(rateOf(0))} at ${sizeWords(sizes[0]!.rows)}`,
        ratio: times(rateOf(index) / rateOf(0)),
      }),
    });
  }
}

/** Its totals are also what the service's are checked against. */
async function addUsualWay({ stage, report, options }: Needs, size: Size): Promise<void> {
  report.say(`the count and offset way over ${sizeWords(size.rows)} rows`);
  const compared = await withClient(stage.url(size.database), async client => {
    const found: { name: string; usual: number; ours: number }[] = [];
    for (const query of size.queries) {
      const own: number[] = [];
      const startedAt = performance.now();
      // One more than is counted: the first may find its rows on disk only.
      while (own.length <= options.slowSamples && performance.now() - startedAt < SLOW_CELL_LIMIT_MS) {
        const askedAt = performance.now();
        const total = await countAndOffset(client, query);
        own.push(performance.now() - askedAt);
        if (total !== query.total) throw new Error(`${query.name}: the list says ${query.total}, there are ${total}`);
      }
      found.push({
        name: query.name,
        usual: median(own.length > 1 ? own.slice(1) : own),
        ours: median(size.samples.get(query.name)!),
      });
    }
    return found;
  });
  const most = compared.reduce((a, b) => (b.usual / b.ours > a.usual / a.ours ? b : a));
  const first = compared.find(({ name }) => name === FIRST_PAGE.name)!;
  const shown = most === first ? [first] : [first, most];
  for (const { name, usual, ours } of shown) {
    report.add({
      part: 'list',
      what: `count and offset: ${name}${name === most.name ? ' (the most apart)' : ''}, ${sizeWords(size.rows)} rows`,
      figure: `p50 ${ms(usual)}`,
      beside: `${ms(ours)} by the service`,
      ratio: times(usual / ours),
    });
  }
}

function ninetyNinth(values: readonly number[]): number {
  return percentile(
    [...values].sort((a, b) => a - b),
    0.99,
  );
}
