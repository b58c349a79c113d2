// The cost of counting a list for writers of its rows: the same writes with the triggers of the table and, in a copy, without them.
import pg from 'pg';
import { type DatabaseServer, withClient } from '../database-server.ts';
import { formatPercent, formatRate, median } from '../figures.ts';
import { COLUMNS, ROWS, requireOrders } from '../orders.ts';
import type { Report } from '../report.ts';
import type { PartDeps } from './part.ts';

const MAX_LOSS = 0.15;
const CONNECTIONS = 8;
const SLICES_PER_ROUND = 4;
const WITH = 'counts_with';
const WITHOUT = 'counts_without';
/** New rows are numbered from here on, after all that the database holds; their dates follow the two years. */
const FIRST_NEW = 100_000_000;

type Row = Record<string, unknown>;

export async function measureCounts(deps: PartDeps): Promise<void> {
  const { server, report, options } = deps;
  const { database } = await requireOrders(deps, options.rows[0]!, options.mode);
  for (const copy of [WITH, WITHOUT]) await server.create(copy, database);
  const triggers = await withClient(server.url(WITHOUT), async client => {
    const { rows } = await client.query<{ tgname: string }>(
      `select tgname from pg_trigger where tgrelid = 'orders'::regclass and not tgisinternal order by tgname`,
    );
    await client.query('alter table orders disable trigger user');
    return rows.map(({ tgname }) => tgname);
  });
  if (triggers.length === 0) report.note('orders has no triggers here: both sides of `counts` are the same.');

  const inserts = { with: [] as number[], without: [] as number[] };
  const steps = { with: [] as number[], without: [] as number[] };
  let next = FIRST_NEW;
  // Many short slices: the difference is small, and the speed of the disk varies.
  for (let slice = 0; slice < options.rounds * SLICES_PER_ROUND; slice++) {
    // The side that goes first in one slice goes second in the next.
    const sides = slice % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    const first = next;
    for (const side of sides) {
      const copy = side === 'with' ? WITH : WITHOUT;
      const written = await writeFor(server, copy, options.roundSeconds / SLICES_PER_ROUND, first);
      inserts[side].push(written.insertRate);
      steps[side].push(written.stepRate);
      next = Math.max(next, written.next);
    }
  }
  for (const copy of [WITH, WITHOUT]) await server.drop(copy);
  addLoss(report, 'orders written one by one', inserts, MAX_LOSS);
  addLoss(report, 'orders updated from one status to another', steps);
}

type Rates = { readonly with: readonly number[]; readonly without: readonly number[] };

function addLoss(report: Report, measured: string, rates: Rates, maxLoss?: number): void {
  // Pairwise: both sides of a slice had the same conditions.
  const loss = 1 - median(rates.with.map((rate, slice) => rate / rates.without[slice]!));
  report.add({
    part: 'counts',
    measured: `${measured}, ${CONNECTIONS} connections`,
    result: `${formatRate(median(rates.with))} with counts`,
    comparedWith: `${formatRate(median(rates.without))} without`,
    ratio: `${formatPercent(loss)} lost`,
    ...(maxLoss !== undefined && { goal: { text: `≤ ${formatPercent(maxLoss)} lost`, isMet: loss <= maxLoss } }),
  });
}

/** Inserts rows for some seconds, each in a transaction of its own, then updates the status of those rows. */
async function writeFor(server: DatabaseServer, database: string, seconds: number, first: number) {
  const url = server.url(database);
  const rows = await withClient(url, client => newRows(client, first));
  const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map(client => client.connect()));
  try {
    await server.checkpoint();
    const inserted = await writeRows(clients, rows, seconds, (client, row) =>
      client.query({ name: 'insert', text: INSERT, values: COLUMN_NAMES.map(column => row[column]) }),
    );
    await server.checkpoint();
    const updated = await writeRows(clients, rows.slice(0, inserted.count), seconds, (client, { id, account_id }) =>
      client.query({
        name: 'step',
        text: `update orders set status = 'fulfilling', updated_at = updated_at where id = $1 and account_id = $2`,
        values: [id, account_id],
      }),
    );
    return { insertRate: inserted.rate, stepRate: updated.rate, next: first + rows.length };
  } finally {
    await Promise.all(clients.map(client => client.end()));
  }
}

const COLUMN_NAMES = COLUMNS.split(/,\s*/);
const INSERT = `insert into orders (${COLUMNS}) values (${COLUMN_NAMES.map((_, index) => `$${index + 1}`)})`;
const MAX_ROWS = 20_000;

/** Values as text, so that PostgreSQL reads them back unchanged. */
async function newRows(client: pg.Client, first: number): Promise<Row[]> {
  const columns = COLUMN_NAMES.map(column => `${column}::text as ${column}`).join(', ');
  const { rows } = await client.query<Row>(`select ${columns} from (${ROWS}) made where not ended`, [
    first,
    first + MAX_ROWS - 1,
    FIRST_NEW,
  ]);
  return rows;
}

async function writeRows(
  clients: readonly pg.Client[],
  rows: readonly Row[],
  seconds: number,
  write: (client: pg.Client, row: Row) => Promise<unknown>,
): Promise<{ count: number; rate: number }> {
  let next = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  await Promise.all(
    clients.map(async client => {
      while (next < rows.length && performance.now() < endsAt) await write(client, rows[next++]!);
    }),
  );
  return { count: next, rate: (next / (performance.now() - startedAt)) * 1000 };
}
