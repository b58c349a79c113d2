// Suggests charges for unmatched money: same amount, open or recently ended, ordered by how well the bank's text matches, then by how
// near their due day is.
import type { Sql } from '../../storage/database.ts';

export type Suggestion = {
  readonly chargeId: string;
  readonly customerName: string;
  readonly amountCents: bigint;
  readonly dueAt: Date;
  /** How many words of the payer's name the bank wrote. */
  readonly sharedWords: number;
};

type Unmatched = {
  readonly reference: string;
  /** Absent if it cannot be read. */
  readonly amountCents?: number;
  readonly words: string;
  readonly postedAt: string;
};

/** The newest charges of each state are searched: an index on amounts would cost every new charge. */
const LOOKED_THROUGH = 5_000;
const STATES = ['ACTIVE', 'OVERDUE', 'EXPIRED'];
const MAX_SUGGESTIONS = 3;
const MIN_WORD_LENGTH = 3;

/** At most three for each receipt, by its reference. */
export async function suggestCharges(
  sql: Sql,
  receipts: readonly Unmatched[],
  accountId?: string,
): Promise<ReadonlyMap<string, readonly Suggestion[]>> {
  const amounts = [...new Set(receipts.flatMap(({ amountCents }) => amountCents ?? []))];
  if (amounts.length === 0) return new Map();
  const rows = await sql.query<{ id: string; name: string; payable_cents: string; due_at: Date }>(
    `select id, name, payable_cents, due_at from unnest($1::text[]) as wanted (state)
       cross join lateral (
         select id, customer ->> 'name' as name, payable_cents, due_at, created_at from charges
          where state = wanted.state and ($3::text is null or account_id = $3)
          order by created_at desc, id desc limit ${LOOKED_THROUGH}) newest
      where payable_cents = any ($2::bigint[]) order by created_at desc`,
    [STATES, amounts, accountId ?? null],
  );
  const byAmount = Map.groupBy(rows, row => Number(row.payable_cents));
  return new Map(
    receipts.map(({ reference, amountCents, words, postedAt }) => {
      const postedMs = Date.parse(postedAt);
      const msFromDue = ({ dueAt }: Suggestion) => Math.abs(dueAt.getTime() - postedMs);
      const written = wordsIn(words);
      const found = (byAmount.get(amountCents ?? 0) ?? []).map(row => ({
        chargeId: row.id,
        customerName: row.name,
        amountCents: BigInt(row.payable_cents),
        dueAt: row.due_at,
        sharedWords: [...wordsIn(row.name)].filter(word => written.has(word)).length,
      }));
      found.sort((a, b) => b.sharedWords - a.sharedWords || msFromDue(a) - msFromDue(b));
      return [reference, found.slice(0, MAX_SUGGESTIONS)];
    }),
  );
}

/** Without accents and case, as banks write names. */
function wordsIn(text: string): ReadonlySet<string> {
  const plain = text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
  return new Set(plain.split(/[^a-z0-9]+/).filter(word => word.length >= MIN_WORD_LENGTH));
}
