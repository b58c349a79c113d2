// The SQL of agreements with banks and of the numbers that they have given out.
import type { Rail } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';

/** A rail that gave numbers of another agreement than the one it has now. */
export type ChangedAgreement = {
  readonly rail: string;
  readonly before: string;
  readonly now: string;
  readonly first: bigint;
  readonly last: bigint;
};

/**
 * Records the agreements of a service. One that has given out no number yet follows the settings. Returns those that have given out
 * numbers and are now set to another agreement: the caller refuses them, so that the numbers given out stay known.
 */
export async function recordAgreements(tx: Sql, rails: readonly Rail[]): Promise<ChangedAgreement[]> {
  const numbered = rails.flatMap(({ name, numbers }) => (numbers ? { name, ...numbers } : []));
  if (numbered.length === 0) return [];
  const agreements = new Map(numbered.map(({ name, agreement }) => [name, agreement]));
  const names = [...agreements.keys()];
  const known = await tx.query<AgreementRow>(
    `select rail, agreement, first_number, next_number from boleto_agreements
      where rail = any($1) and agreement is not null and first_number is not null order by rail for update`,
    [names],
  );
  await tx.query(
    `insert into boleto_agreements as known (rail, next_number, first_number, agreement)
     select rail, first, first, agreement from unnest($1::text[], $2::bigint[], $3::text[]) as new (rail, first, agreement)
     on conflict (rail) do update
       set agreement = excluded.agreement,
           first_number = case when known.next_number > known.first_number then known.first_number
                               when known.first_number is null then least(known.next_number, excluded.first_number)
                               else excluded.first_number end,
           next_number = case when known.next_number = known.first_number then excluded.next_number else known.next_number end
     where known.agreement is distinct from excluded.agreement or known.first_number is null
        or (known.next_number = known.first_number and known.first_number <> excluded.first_number)`,
    [names, numbered.map(({ first }) => String(first)), numbered.map(({ agreement }) => agreement)],
  );
  return known.map(toGiven).flatMap(({ rail, agreement, first, last }) => {
    const now = agreements.get(rail) ?? agreement;
    return now !== agreement && last >= first ? { rail, before: agreement, now, first, last } : [];
  });
}

/** The numbers that a rail has given out under an agreement; other rails may share or have had that agreement. */
type GivenNumbers = {
  readonly rail: string;
  readonly agreement: string;
  readonly first: bigint;
  /** Less than `first` while no number was given out. */
  readonly last: bigint;
};

type AgreementRow = { rail: string; agreement: string; first_number: string; next_number: string };

function toGiven({ rail, agreement, first_number, next_number }: AgreementRow): GivenNumbers {
  return { rail, agreement, first: BigInt(first_number), last: BigInt(next_number) - 1n };
}

export async function findGivenNumbers(sql: Sql, agreements: readonly string[]): Promise<GivenNumbers[]> {
  const rows = await sql.query<AgreementRow>(
    `select rail, agreement, first_number, next_number from boleto_agreements
      where agreement = any($1) and first_number is not null order by rail`,
    [agreements],
  );
  return rows.map(toGiven);
}

/**
 * Takes the next numbers of a rail and returns the first; undefined when too few are left. The row is locked until the transaction
 * ends, so a rollback gives the numbers back.
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

/** The use of an agreement. */
export type AgreementUse = {
  readonly rail: string;
  readonly nextNumber: bigint;
  /** Instructions that no file has yet. */
  readonly waiting: number;
  /** When the oldest of them was written. */
  readonly waitingSince?: Date;
  readonly lastFile?: { readonly sequence: number; readonly madeAt: Date };
  /** When the last return was received. */
  readonly lastReturnAt?: Date;
  /** Why the last exchange with the SFTP server failed. */
  readonly exchangeError?: string;
  /** Entries of return files that need a person and are not marked as seen. */
  readonly unseenEntries: number;
};

/** How many numbers are left. */
export function numbersLeft(
  { first, last }: { readonly first: bigint; readonly last: bigint },
  { nextNumber }: AgreementUse,
): bigint {
  const left = last - (nextNumber > first ? nextNumber : first) + 1n;
  return left > 0n ? left : 0n;
}

/** Instructions and entries are counted up to `limit`; all of them without it. */
export async function readAgreementUses(sql: Sql, limit?: number): Promise<AgreementUse[]> {
  type Found = {
    rail: string;
    next_number: string;
    waiting: string;
    waiting_since: Date | null;
    sequence: number | null;
    made_at: Date;
    last_return_at: Date | null;
    exchange_error: string | null;
    unseen: string;
  };
  const rows = await sql.query<Found>(
    `select a.rail, a.next_number, a.exchange_error, file.sequence, file.made_at, instruction.waiting, instruction.waiting_since,
            (select max(received_at) from boleto_returns r where r.rail = a.rail) as last_return_at,
            (select count(*) from (select from boleto_return_entries e
                                    where e.rail = a.rail and e.outcome = 'needs_attention' and e.seen_at is null limit $1) seen) as unseen
       from boleto_agreements a
       cross join lateral (
         select count(*) as waiting, min(created_at) as waiting_since
           from (select created_at from boleto_instructions i
                  where i.rail = a.rail and i.sequence is null and i.dropped_at is null order by i.id limit $1) oldest) instruction
       left join lateral (select sequence, made_at from boleto_files f where f.rail = a.rail
                           order by sequence desc limit 1) file on true
      order by a.rail`,
    [limit],
  );
  return rows.map(
    ({ rail, next_number, waiting, waiting_since, sequence, made_at, last_return_at, exchange_error, unseen }) => ({
      rail,
      nextNumber: BigInt(next_number),
      waiting: Number(waiting),
      ...(waiting_since && { waitingSince: waiting_since }),
      ...(sequence !== null && { lastFile: { sequence, madeAt: made_at } }),
      ...(last_return_at && { lastReturnAt: last_return_at }),
      ...(exchange_error !== null && { exchangeError: exchange_error }),
      unseenEntries: Number(unseen),
    }),
  );
}
