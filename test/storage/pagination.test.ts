// The list against a model in memory: random rows, random filters, random pages.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { NETWORKS_OF, SYMBOLS } from '../../src/chains/asset.ts';
import { STATUSES, type Transaction } from '../../src/orders/order.ts';
import { scaled } from '../harness/scale.ts';
import { type Service, startService } from '../harness/service.ts';
import { seed, transaction } from '../harness/transactions.ts';

const CONFIGURED_PAGE_SIZE = 7;
const DATA_SETS = scaled(40, 6);
const MAX_ROWS = 60;
/** More pages would show nothing new. */
const MAX_PAGES = 70;

type Filter = {
  readonly symbol?: string | undefined;
  readonly status?: string | undefined;
  readonly fromMs?: number | undefined;
  readonly toMs?: number | undefined;
};

let service: Service;
before(async () => {
  service = await startService({ pageSize: CONFIGURED_PAGE_SIZE });
});
after(() => service.stop());

// Few instants, close together, so that many rows share one and bounds fall on them.
const instants = fc.integer({ min: 0, max: 9 }).map(step => Date.parse('2026-03-01T12:00:00.000Z') + step * 333);

const rows: fc.Arbitrary<Transaction> = fc
  .record({
    symbol: fc.constantFrom(...SYMBOLS),
    status: fc.constantFrom(...STATUSES),
    createdAtMs: instants,
    // Whole ids by chance: an id need not follow its createdAt.
    id: fc.uuid(),
  })
  .map(({ symbol, status, createdAtMs, id }) =>
    transaction({ id, symbol, network: NETWORKS_OF[symbol][0]!, status, createdAt: new Date(createdAtMs) }),
  );

const dataSets = fc.uniqueArray(rows, { maxLength: MAX_ROWS, selector: ({ id }) => id, size: 'max' });

const bounds = fc.option(
  instants.chain(at => fc.integer({ min: -1, max: 1 }).map(near => at + near)),
  { nil: undefined, freq: 2 },
);

const filters: fc.Arbitrary<Filter> = fc
  .record({
    symbol: fc.option(fc.constantFrom(...SYMBOLS), { nil: undefined, freq: 3 }),
    status: fc.option(fc.constantFrom(...STATUSES), { nil: undefined, freq: 2 }),
    fromMs: bounds,
    toMs: bounds,
  })
  .filter(({ fromMs, toMs }) => fromMs === undefined || toMs === undefined || fromMs <= toMs);

const pageSizes = fc.option(fc.oneof(fc.integer({ min: 1, max: 10 }), fc.constantFrom(20, 99, 100)), {
  nil: undefined,
});

function model(data: readonly Transaction[], { symbol, status, fromMs, toMs }: Filter): string[] {
  return data
    .filter(row => symbol === undefined || row.symbol === symbol)
    .filter(row => status === undefined || row.status === status)
    .filter(row => fromMs === undefined || row.createdAt.getTime() >= fromMs)
    .filter(row => toMs === undefined || row.createdAt.getTime() <= toMs)
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime() || (a.id < b.id ? 1 : -1))
    .map(({ id }) => id);
}

function addressOf({ symbol, status, fromMs, toMs }: Filter, pageSize: number | undefined, page: number): string {
  const parameters = {
    symbol,
    status,
    from: fromMs === undefined ? undefined : new Date(fromMs).toISOString(),
    to: toMs === undefined ? undefined : new Date(toMs).toISOString(),
    pageSize,
    page,
  };
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined);
  return `/crypto/transactions?${new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]))}`;
}

test('walking the pages gives every matching row once, newest first, with exact totals', async () => {
  await fc.assert(
    fc.asyncProperty(
      dataSets,
      fc.array(fc.tuple(filters, pageSizes), { minLength: 6, maxLength: 6, size: 'max' }),
      async (data, walks) => {
        await service.sql('delete from orders');
        await seed(service, data);
        // Everything, in the smallest pages, and each filter with something to find, whatever chance adds.
        for (const [filter, pageSize] of [[{}, 1] as const, ...filtersOf(data[0]), ...walks]) {
          await walk(data, filter, pageSize);
        }
      },
    ),
    // Not made smaller on a failure: that takes minutes, and the next test narrows it down.
    { numRuns: DATA_SETS, endOnFailure: true },
  );
  // Some data sets may be empty; every filter has found something in the others.
  assert(Math.min(...Object.values(tally)) >= DATA_SETS / 2, JSON.stringify(tally));
});

/** Each filter alone, as it fits a row. */
function filtersOf(row: Transaction | undefined): readonly (readonly [Filter, undefined])[] {
  if (!row) return [];
  const { symbol, status, createdAt } = row;
  const [fromMs, toMs] = [createdAt.getTime(), createdAt.getTime()];
  return [{ symbol }, { status }, { fromMs }, { toMs }].map(filter => [filter, undefined] as const);
}

/** How many walks had each kind of filter and found something, and how many pages were read. */
const tally = { symbol: 0, status: 0, fromMs: 0, toMs: 0, pages: 0 };

async function walk(data: readonly Transaction[], filter: Filter, pageSize: number | undefined): Promise<void> {
  const expected = model(data, filter);
  for (const name of ['symbol', 'status', 'fromMs', 'toMs'] as const) {
    if (filter[name] !== undefined && expected.length > 0) tally[name] += 1;
  }
  const size = pageSize ?? CONFIGURED_PAGE_SIZE;
  const totalPages = Math.ceil(expected.length / size);
  const seen: string[] = [];
  for (let page = 1; page <= MAX_PAGES; page++) {
    const { status, json } = await service.get(addressOf(filter, pageSize, page));
    assert.equal(status, 200);
    tally.pages += 1;
    const { transactions, ...totals } = json;
    const hasMore = page < totalPages;
    assert.deepEqual(totals, { total: expected.length, totalPages, currentPage: page, hasMore });
    seen.push(...transactions.map(({ transactionId }: { transactionId: string }) => transactionId));
    if (!hasMore) break;
    assert.equal(transactions.length, size);
  }
  assert.deepEqual(seen, expected);
}

test('any single page, also past the end, is the slice of the model', async () => {
  const pages = fc.oneof(
    fc.integer({ min: 1, max: 15 }),
    fc.constantFrom(1_000, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER),
  );
  const [data] = fc.sample(fc.uniqueArray(rows, { minLength: 50, maxLength: MAX_ROWS, selector: ({ id }) => id }), {
    seed: 20_261_116,
    numRuns: 1,
  });
  assert(data);
  await service.sql('delete from orders');
  await seed(service, data);
  await fc.assert(
    fc.asyncProperty(filters, pageSizes, pages, async (filter, pageSize, page) => {
      const size = pageSize ?? CONFIGURED_PAGE_SIZE;
      const expected = model(data, filter);
      const { json } = await service.get(addressOf(filter, pageSize, page));
      const totalPages = Math.ceil(expected.length / size);
      const { transactions, ...totals } = json;
      assert.deepEqual(totals, { total: expected.length, totalPages, currentPage: page, hasMore: page < totalPages });
      assert.deepEqual(
        transactions.map(({ transactionId }: { transactionId: string }) => transactionId),
        page > totalPages ? [] : expected.slice((page - 1) * size, page * size),
      );
    }),
    { numRuns: scaled(400, 60) },
  );
});

test('a page past the end is empty and has the true totals', async () => {
  await service.sql('delete from orders');
  await seed(service, [transaction(), transaction()]);
  const past = await service.get('/crypto/transactions?page=3&pageSize=1');
  assert.deepEqual(past.json, { transactions: [], total: 2, totalPages: 2, currentPage: 3, hasMore: false });
  const furthest = await service.get(`/crypto/transactions?page=${Number.MAX_SAFE_INTEGER}&pageSize=100`);
  assert.equal(furthest.status, 200);
  assert.deepEqual(furthest.json, {
    transactions: [],
    total: 2,
    totalPages: 1,
    currentPage: Number.MAX_SAFE_INTEGER,
    hasMore: false,
  });
});

test('when nothing matches there are no pages, and currentPage is the one asked for', async () => {
  for (const page of [1, 5]) {
    const { json } = await service.get(`/crypto/transactions?symbol=trx&from=9999-01-01T00:00Z&page=${page}`);
    assert.deepEqual(json, { transactions: [], total: 0, totalPages: 0, currentPage: page, hasMore: false });
  }
});

test('with no page and no pageSize the first page of the configured size is given', async () => {
  await service.sql('delete from orders');
  await seed(
    service,
    Array.from({ length: CONFIGURED_PAGE_SIZE + 1 }, () => transaction()),
  );
  const { json } = await service.get('/crypto/transactions');
  assert.equal(json.transactions.length, CONFIGURED_PAGE_SIZE);
  assert.deepEqual([json.currentPage, json.totalPages, json.hasMore], [1, 2, true]);
});

test('a row that is written between two pages moves the others back and hides no row', async () => {
  await service.sql('delete from orders');
  const at = (second: number) => new Date(Date.UTC(2026, 2, 1, 12, 0, second));
  const old = Array.from({ length: 6 }, (_, index) => transaction({ createdAt: at(index) }));
  await seed(service, old);
  const first = await service.get('/crypto/transactions?pageSize=3');
  await seed(service, [transaction({ createdAt: at(59) })]);
  const second = await service.get('/crypto/transactions?pageSize=3&page=2');
  const third = await service.get('/crypto/transactions?pageSize=3&page=3');
  const seen = [first, second, third].flatMap(({ json }) =>
    json.transactions.map(({ transactionId }: { transactionId: string }) => transactionId),
  );
  assert.deepEqual(new Set(seen), new Set(old.map(({ id }) => id)));
  assert.equal(third.json.total, 7);
});
