// The SQL of answers to files to banks: which instructions are answered, which files are not, and what goes into a new file.
import type { Meaning } from '../../rails/cnab/occurrence.ts';
import type { FileMovement } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';
import type { FileKey } from './store-files.ts';

/** What a bank says of a title, and the instructions that need no other answer then. A fee is none. */
const ANSWERED: Readonly<Partial<Record<Meaning, readonly FileMovement[]>>> = {
  registered: ['register'],
  rejected: ['register'],
  paid: ['register', 'change_due_day', 'write_off'],
  written_off: ['register', 'change_due_day', 'write_off'],
  due_day_changed: ['register', 'change_due_day'],
  refused: ['register', 'change_due_day', 'write_off'],
  reversed: ['register'],
  confirmed: ['register'],
  other: ['register'],
};

export type Answer = { readonly chargeId: string; readonly meaning: Meaning };

/** One that was taken out of its file to be sent again is in that file again: the bank did get it. */
export async function closeAnswered(tx: Sql, rail: string, answers: readonly Answer[], at: Date): Promise<void> {
  const pairs = answers.flatMap(({ chargeId, meaning }) =>
    (ANSWERED[meaning] ?? []).map(movement => ({ chargeId, movement })),
  );
  if (pairs.length === 0) return;
  await tx.query(
    `update boleto_instructions i set closed_at = $4, sequence = coalesce(i.sequence, i.former_sequence)
       from (select distinct charge_id, movement from unnest($2::uuid[], $3::text[]) as told (charge_id, movement)) told
      where i.charge_id = told.charge_id and i.movement = told.movement and i.rail = $1
        and i.closed_at is null and i.dropped_at is null and coalesce(i.sequence, i.former_sequence) is not null`,
    [rail, pairs.map(({ chargeId }) => chargeId), pairs.map(({ movement }) => movement), at],
  );
}

/** A file of which the bank has not answered everything. */
export type OpenFile = FileKey & {
  readonly madeAt: Date;
  readonly offeredAt?: Date;
  /** Its instructions without an answer. */
  readonly open: number;
};

/** Those that were made before a moment, oldest first. Instructions are counted up to the limit. */
export async function readOpenFiles(sql: Sql, before: Date, limit: number): Promise<OpenFile[]> {
  const rows = await sql.query<{
    rail: string;
    sequence: number;
    made_at: Date;
    offered_at: Date | null;
    open: string;
  }>(
    `select f.rail, f.sequence, f.made_at, f.offered_at, counted.open
       from boleto_files f
       cross join lateral (
         select count(*) as open from (select from boleto_instructions i
          where i.rail = f.rail and i.sequence = f.sequence and i.closed_at is null limit $2) few) counted
      where f.made_at < $1 and counted.open > 0
      order by f.rail, f.sequence`,
    [before, limit],
  );
  return rows.map(({ rail, sequence, made_at, offered_at, open }) => ({
    rail,
    sequence,
    madeAt: made_at,
    ...(offered_at && { offeredAt: offered_at }),
    open: Number(open),
  }));
}

/** What became of the open instructions of a file: how many wait for a new one, and how many need no answer any more. */
export type Requeued = { readonly waiting: number; readonly closed: number };

/**
 * Takes what the bank has not answered out of a file, to wait for a new one. What is needless by now, since its boleto was decided or has
 * ended, waits for nothing any more. The file is not carried to the bank by itself from now on.
 */
export async function requeueOpen(tx: Sql, { rail, sequence }: FileKey, at: Date): Promise<Requeued> {
  await tx.query('update boleto_files set renewed_at = $3 where rail = $1 and sequence = $2', [rail, sequence, at]);
  const rows = await tx.query<{ is_waiting: boolean }>(
    `with needed as (
       select i.id, i.account_id,
              case i.movement when 'register' then m.status = 'CREATING' else m.status not in ('PAID', 'SETTLED') end as is_needed
         from boleto_instructions i
         join charge_methods m on m.charge_id = i.charge_id and m.account_id = i.account_id and m.method = 'boleto'
        where i.rail = $1 and i.sequence = $2 and i.closed_at is null
        order by i.id for update of i)
     update boleto_instructions i
        set sequence = case when is_needed then null else i.sequence end,
            former_sequence = case when is_needed then i.sequence else i.former_sequence end,
            closed_at = case when is_needed then null else $3::timestamptz end
       from needed where i.id = needed.id and i.account_id = needed.account_id
     returning i.sequence is null as is_waiting`,
    [rail, sequence, at],
  );
  const waiting = rows.filter(row => row.is_waiting).length;
  return { waiting, closed: rows.length - waiting };
}

/**
 * Puts a write-off that the bank has refused back to wait for a file: it may have come before the registration. Not one of a title that the
 * bank has written off, or that was paid there.
 */
export async function requeueWriteOff(tx: Sql, { id, accountId }: Charge): Promise<void> {
  await tx.query(
    `update boleto_instructions i set former_sequence = i.sequence, sequence = null, closed_at = null
      where i.charge_id = $1 and i.account_id = $2 and i.movement = 'write_off'
        and i.closed_at is not null and i.sequence is not null
        and not exists (select from boleto_return_entries e
                         where e.charge_id = i.charge_id and e.account_id = i.account_id
                           and e.outcome in ('written_off', 'paid', 'possible_duplicate'))`,
    [id, accountId],
  );
}

/** Whether a registration was sent in more than one file: a bank that got both refuses the second as known. */
export async function isSentTwice(sql: Sql, chargeId: string): Promise<boolean> {
  const rows = await sql.query(
    `select from boleto_instructions where charge_id = $1 and movement = 'register' and former_sequence is not null`,
    [chargeId],
  );
  return rows.length > 0;
}
