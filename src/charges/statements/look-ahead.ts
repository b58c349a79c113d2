// Looks up many entries of a statement at once, so that most need no query of their own.
import type { CivilDay } from '../../lib/civil-days.ts';
import type { StatementEntry } from '../../rails/statement/statement.ts';
import type { Sql } from '../../storage/database.ts';
import { normalReference } from '../receive/payment-reference.ts';
import { comparable } from '../store/money.ts';
import { findAmountsWithMoney } from '../unmatched/store.ts';

type Asked = { readonly reference: string; readonly entry: StatementEntry };

export type LookAhead = {
  /** Whether a pix charge has the txid. */
  isCharged(txid: string): boolean;
  /** Whether there is a receipt with exactly this reference. */
  isKept(reference: string): boolean;
  /** Whether a payment or a receipt has the reference, in any case. */
  isSeen(reference: string): boolean;
  /** Whether any money of this amount is known around the day. */
  hasMoney(amountCents: bigint, day: CivilDay): boolean;
};

export async function lookAhead(sql: Sql, asked: readonly Asked[]): Promise<LookAhead> {
  const references = asked.map(({ reference }) => reference);
  const txids = asked.flatMap(({ entry }) => entry.txid ?? []);
  const incoming = asked.map(({ entry }) => entry).filter(({ amountCents }) => amountCents > 0n);
  const [charged, kept, recorded, money] = await Promise.all([
    sql.query<{ reference: string }>(
      `select reference from charge_methods where method = 'pix' and reference = any($1)`,
      [txids],
    ),
    sql.query<{ reference: string }>(
      'select reference from unmatched_receipts where lower(reference collate "C") = any($1)',
      [references.map(comparable)],
    ),
    // The index begins with the rail; there are a few.
    sql.query<{ reference: string }>(
      `with recursive rails as (
         select min(rail) as rail from payments
          union all
         select (select min(p.rail) from payments p where p.rail > rails.rail) from rails where rails.rail is not null
       )
       select p.reference from rails join payments p on p.rail = rails.rail and lower(p.reference collate "C") = any($1)
        union all
       select p.also_reported_as from payments p where p.is_by_pix and lower(p.also_reported_as collate "C") = any($1)`,
      [references.map(comparable)],
    ),
    findAmountsWithMoney(sql, incoming),
  ]);
  const exact = new Set(kept.map(({ reference }) => reference));
  const seen = new Set([...kept, ...recorded].map(({ reference }) => comparable(reference)));
  const txidsOfCharges = new Set(charged.map(({ reference }) => reference));
  return {
    isCharged: txid => txidsOfCharges.has(txid),
    isKept: reference => exact.has(normalReference(reference)),
    isSeen: reference => seen.has(comparable(reference)),
    hasMoney: (amountCents, day) => money.has(`${amountCents} ${day}`),
  };
}
