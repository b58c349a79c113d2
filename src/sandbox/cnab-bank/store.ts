// The SQL of the simulated banks of a sandbox, so that their state survives restarts.
import type { Database, Sql } from '../../storage/database.ts';
import { type BankState, type BankTitle, type CnabBank, NEW_BANK, openBank } from './bank.ts';
import type { Customer } from './customer.ts';

/** Which boletos to load: by their numbers, or by the ids that the customer gave them. */
export type AskedTitles = { readonly numbers?: readonly string[]; readonly ownId?: string };

type Place = { readonly db: Database; readonly rail: string; readonly customer: Customer };

/** Runs something at the bank of an agreement and commits its new state. Concurrent requests wait. */
export async function withBank<T>(
  { db, rail, customer }: Place,
  asked: AskedTitles,
  work: (bank: CnabBank) => T,
): Promise<T> {
  return db.transaction(async tx => {
    const before = await lockBank(tx, rail);
    const titles = await readTitles(tx, rail, asked);
    // A node of an earlier version keeps them all in its state; they become rows here.
    const bank = openBank(customer, { ...before, titles: { ...before.titles, ...titles } });
    const result = work(bank);
    const { titles: after, ...rest } = bank.state();
    await tx.query('update sandbox_banks set state = $2 where rail = $1', [rail, textOf({ ...rest, titles: {} })]);
    await saveTitles(
      tx,
      rail,
      Object.values(after).filter(title => titles[title.number] !== title),
    );
    return result;
  });
}

async function lockBank(tx: Sql, rail: string): Promise<BankState> {
  await tx.query('insert into sandbox_banks (rail, state) values ($1, $2) on conflict (rail) do nothing', [
    rail,
    textOf(NEW_BANK),
  ]);
  const [row] = await tx.query<{ state: string }>('select state from sandbox_banks where rail = $1 for update', [rail]);
  return row ? parse(row.state) : NEW_BANK;
}

async function readTitles(tx: Sql, rail: string, { numbers = [], ownId }: AskedTitles): Promise<BankState['titles']> {
  const rows = await tx.query<{ number: string; title: string }>(
    'select number, title from sandbox_bank_titles where rail = $1 and (number = any($2) or own_id = $3)',
    [rail, numbers, ownId ?? null],
  );
  return Object.fromEntries(rows.map(({ number, title }) => [number, parse<BankTitle>(title)]));
}

async function saveTitles(tx: Sql, rail: string, titles: readonly BankTitle[]): Promise<void> {
  if (titles.length === 0) return;
  await tx.query(
    `insert into sandbox_bank_titles (rail, number, own_id, title)
     select $1, t.* from unnest($2::text[], $3::text[], $4::text[]) as t (number, own_id, title)
     on conflict (rail, number) do update set title = excluded.title, own_id = excluded.own_id`,
    [rail, titles.map(({ number }) => number), titles.map(({ ownId }) => ownId.trim()), titles.map(textOf)],
  );
}

/** Amounts are text in JSON; their names end in `Cents`. */
function textOf(state: BankState | BankTitle): string {
  return JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

function parse<T = BankState>(text: string): T {
  return JSON.parse(text, (key, value) => (key.endsWith('Cents') ? BigInt(value) : value));
}
