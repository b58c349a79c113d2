// The SQL of agreements with banks: which numbers are given, and how far they are used.
import type { Rail } from '../rails/rail.ts';
import type { Sql } from '../storage/database.ts';

/** Records the agreements of a service that are new. */
export async function recordAgreements(tx: Sql, rails: readonly Rail[]): Promise<void> {
  const numbered = rails.flatMap(({ name, numbers }) => (numbers ? { name, first: String(numbers.first) } : []));
  if (numbered.length === 0) return;
  await tx.query(
    `insert into boleto_agreements (rail, next_number)
     select * from unnest($1::text[], $2::bigint[])
     on conflict (rail) do nothing`,
    [numbered.map(({ name }) => name), numbered.map(({ first }) => first)],
  );
}

/**
 * Takes the next numbers of a rail and returns the first of them; undefined when fewer are left. The row is locked until the
 * transaction ends: a transaction that is rolled back has given none away.
 */
export async function takeNumbers(
  tx: Sql,
  rail: string,
  { first, last }: { readonly first: bigint; readonly last: bigint },
  count: number,
): Promise<bigint | undefined> {
  const [row] = await tx.query<{ taken: string }>(
    `update boleto_agreements set next_number = greatest(next_number, $2::bigint) + $4::integer
      where rail = $1 and greatest(next_number, $2::bigint) + $4::integer - 1 <= $3::bigint
      returning next_number - $4::integer as taken`,
    [rail, String(first), String(last), count],
  );
  return row && BigInt(row.taken);
}

/** How far an agreement has been used. */
export type AgreementUse = {
  readonly rail: string;
  readonly nextNumber: bigint;
  /** Instructions that no file has yet. */
  readonly waiting: number;
  readonly lastFile?: { readonly sequence: number; readonly madeAt: Date };
};

export async function readAgreementUses(sql: Sql): Promise<AgreementUse[]> {
  type Found = { rail: string; next_number: string; waiting: string; sequence: number | null; made_at: Date };
  const rows = await sql.query<Found>(
    `select a.rail, a.next_number, file.sequence, file.made_at,
            (select count(*) from boleto_instructions i
              where i.rail = a.rail and i.sequence is null and i.dropped_at is null) as waiting
       from boleto_agreements a
       left join lateral (select sequence, made_at from boleto_files f where f.rail = a.rail
                           order by sequence desc limit 1) file on true
      order by a.rail`,
  );
  return rows.map(({ rail, next_number, waiting, sequence, made_at }) => ({
    rail,
    nextNumber: BigInt(next_number),
    waiting: Number(waiting),
    ...(sequence !== null && { lastFile: { sequence, madeAt: made_at } }),
  }));
}
