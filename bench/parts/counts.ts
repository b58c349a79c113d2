// What it costs to keep counts of the list as rows are written: the same writes with the triggers of the table and, in a copy,
// without.
import pg from 'pg';
import { median, percent, perSecond } from '../figures.ts';
import { COLUMNS, ROWS, seededDatabase } from '../seed.ts';
import { type Stage, withClient } from '../stage.ts';
import type { Needs } from './part.ts';

const MOST_LOST = 0.15;
const CONNECTIONS = 8;
const TURNS_A_ROUND = 4;
const WITH = 'counts_with';
const WITHOUT = 'counts_without';
/** Rows to be written are numbered from here on, past those that are there; their moments follow the two years. */
const FIRST_NEW = 100_000_000;

type Row = Record<string, unknown>;

export async function measureCounts(needs: Needs): Promise<void> {
  const { stage, report, options } = needs;
  const database = await seededDatabase(needs, options.rows[0]!);
  for (const copy of [WITH, WITHOUT]) await stage.create(copy, database);
  const triggers = await withClient(stage.url(WITHOUT), async client => {
    const { rows } = await client.query<{ tgname: string }>(
      `select tgname from pg_trigger where tgrelid = 'crypto_transactions'::regclass and not tgisinternal order by tgname`,
    );
    await client.query('alter table crypto_transactions disable trigger user');
    return rows.map(({ tgname }) => tgname);
  });
  if (triggers.length === 0)
    report.note('crypto_transactions has no triggers here: both sides of `counts` are the same.');

  const inserts = { with: [] as number[], without: [] as number[] };
  const steps = { with: [] as number[], without: [] as number[] };
  let next = FIRST_NEW;
  // Many short turns: what is looked for is small, and the disk has moods.
  for (let round = 0; round < options.rounds * TURNS_A_ROUND; round++) {
    // Whoever goes first in one round goes second in the next.
    const sides = round % 2 === 0 ? (['with', 'without'] as const) : (['without', 'with'] as const);
    const first = next;
    for (const side of sides) {
      const copy = side === 'with' ? WITH : WITHOUT;
      const written = await writeFor(stage, copy, options.roundSeconds / TURNS_A_ROUND, first);
      inserts[side].push(written.insertRate);
      steps[side].push(written.stepRate);
      next = Math.max(next, written.next);
    }
  }
  for (const copy of [WITH, WITHOUT]) await stage.drop(copy);
  addLost(needs, 'orders written one by one', inserts, MOST_LOST);
  addLost(needs, 'orders moved from one status to another', steps);
}

type Rates = { readonly with: readonly number[]; readonly without: readonly number[] };

function addLost({ report }: Needs, what: string, rates: Rates, most?: number): void {
  // Of the two sides of one round, since they met the same machine.
  const lost = 1 - median(rates.with.map((rate, round) => rate / rates.without[round]!));
  report.add({
    part: 'counts',
    what: `${what}, ${CONNECTIONS} connections`,
    figure: `${perSecond(median(rates.with))} with counts`,
    beside: `${perSecond(median(rates.without))} without`,
    ratio: `${percent(lost)} lost`,
    ...(most !== undefined && { goal: `≤ ${percent(most)} lost`, met: lost <= most }),
  });
}

/** Inserts for so many seconds, each in a transaction of its own, then moves what was inserted on. */
async function writeFor(stage: Stage, database: string, seconds: number, first: number) {
  const url = stage.url(database);
  const rows = await withClient(url, client => newRows(client, first));
  const clients = Array.from({ length: CONNECTIONS }, () => new pg.Client({ connectionString: url }));
  await Promise.all(clients.map(client => client.connect()));
  try {
    await stage.calm();
    const inserted = await inTurn(clients, rows, seconds, (client, row) =>
      client.query({ name: 'insert', text: INSERT, values: COLUMN_NAMES.map(column => row[column]) }),
    );
    await stage.calm();
    const moved = await inTurn(clients, rows.slice(0, inserted.count), seconds, (client, { id, account_id }) =>
      client.query({
        name: 'step',
        text: `update crypto_transactions set status = 'fulfilling', updated_at = updated_at where id = $1 and account_id = $2`,
        values: [id, account_id],
      }),
    );
    return { insertRate: inserted.rate, stepRate: moved.rate, next: first + rows.length };
  } finally {
    await Promise.all(clients.map(client => client.end()));
  }
}

const COLUMN_NAMES = COLUMNS.split(/,\s*/);
const INSERT = `insert into crypto_transactions (${COLUMNS}) values (${COLUMN_NAMES.map((_, index) => `$${index + 1}`)})`;
const MOST_ROWS = 20_000;

/** As text, so that they go back as they came. */
async function newRows(client: pg.Client, first: number): Promise<Row[]> {
  const columns = COLUMN_NAMES.map(column => `${column}::text as ${column}`).join(', ');
  const { rows } = await client.query<Row>(`select ${columns} from (${ROWS}) made where not ended`, [
    first,
    first + MOST_ROWS - 1,
    FIRST_NEW,
  ]);
  return rows;
}

async function inTurn(
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
