// The SQL of the simulated banks of a sandbox: each is one row, so that what it remembers outlives the service.
import type { Database, Sql } from '../../storage/database.ts';
import { type BankState, type CnabBank, NEW_BANK, openBank } from './bank.ts';
import type { Customer } from './customer.ts';

/** Lets the bank of an agreement do something; what it remembers commits with it. Another request waits for this one. */
export async function withBank<T>(
  db: Database,
  rail: string,
  customer: Customer,
  work: (bank: CnabBank) => T,
): Promise<T> {
  return db.transaction(async tx => {
    const bank = openBank(customer, await lockState(tx, rail));
    const result = work(bank);
    await tx.query('update sandbox_banks set state = $2 where rail = $1', [rail, textOf(bank.state())]);
    return result;
  });
}

async function lockState(tx: Sql, rail: string): Promise<BankState> {
  await tx.query('insert into sandbox_banks (rail, state) values ($1, $2) on conflict (rail) do nothing', [
    rail,
    textOf(NEW_BANK),
  ]);
  const [row] = await tx.query<{ state: string }>('select state from sandbox_banks where rail = $1 for update', [rail]);
  return stateOf(row?.state ?? textOf(NEW_BANK));
}

/** Amounts are text in JSON; their names end in `Cents`. */
function textOf(state: BankState): string {
  return JSON.stringify(state, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

function stateOf(text: string): BankState {
  return JSON.parse(text, (key, value) => (key.endsWith('Cents') ? BigInt(value) : value));
}
