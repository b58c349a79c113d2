// What the database says of what was acknowledged.
import type { Sql } from '../../src/storage/database.ts';
import { AMOUNT_CENTS, type Load } from './load.ts';

export type Proof = { readonly lost: readonly string[]; readonly doubled: readonly string[] };

type Acknowledged = Pick<Load, 'charges' | 'payments'>;

/** Charges and payments, and the events that tell of them. */
export async function prove(db: Sql, acknowledged: Acknowledged): Promise<Proof> {
  const { lost, doubled } = await proveMoney(db, acknowledged);
  const told = await db.query<{ id: string; times: number }>(
    `select object_id::text as id, count(*)::int as times from events where type = 'charge.paid' group by object_id`,
  );
  const timesOf = new Map(told.map(({ id, times }) => [id, times]));
  const untold = [...acknowledged.payments.values()].filter(id => !timesOf.has(id));
  const twice = told.filter(({ times }) => times > 1);
  const wordsOf = (id: string) => `event charge.paid of ${id}`;
  return { lost: [...lost, ...untold.map(wordsOf)], doubled: [...doubled, ...twice.map(({ id }) => wordsOf(id))] };
}

export async function proveMoney(db: Sql, { charges, payments }: Acknowledged): Promise<Proof> {
  const lost: string[] = [];
  const doubled: string[] = [];
  const judge = (name: string, found: readonly string[], wanted: string | undefined) => {
    if (wanted !== undefined && !found.includes(wanted)) lost.push(name);
    if (found.length > 1) doubled.push(name);
  };

  const stored = await db.query<{ name: string; ids: string[] }>(
    'select external_id as name, array_agg(id::text) as ids from charges group by account_id, external_id',
  );
  const chargesBy = new Map(stored.map(({ name, ids }) => [name, ids]));
  for (const name of new Set([...charges.keys(), ...chargesBy.keys()])) {
    judge(`charge ${name}`, chargesBy.get(name) ?? [], charges.get(name));
  }

  const paid = await db.query<{ name: string; ids: string[] }>(
    `select reference as name, array_agg(charge_id::text) as ids from payments where amount_cents = $1 group by reference`,
    [AMOUNT_CENTS],
  );
  const paymentsBy = new Map(paid.map(({ name, ids }) => [name, ids]));
  for (const name of new Set([...payments.keys(), ...paymentsBy.keys()])) {
    judge(`payment ${name}`, paymentsBy.get(name) ?? [], payments.get(name));
  }
  return { lost, doubled };
}
