// The SQL of banks' answers to files: which instructions are answered, which files are not, and what goes into a new file.

import type { Meaning } from '@trilho/cnab';
import { type CivilDay, civilDay } from '../../lib/civil-days.ts';
import type { FileMovement } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';
import type { FileKey } from './store-files.ts';

/** The instructions that an entry answers, by its meaning. A fee answers no instruction. */
const ANSWERED: Readonly<Partial<Record<Meaning, readonly FileMovement[]>>> = {
  registered: ['register'],
  rejected: ['register'],
  paid: ['register', 'change_due_day', 'write_off'],
  announced: ['register'],
  written_off: ['register', 'change_due_day', 'write_off'],
  due_day_changed: ['register'],
  refused: ['register'],
  reversed: ['register'],
  confirmed: ['register'],
  other: ['register'],
};

type Answer = {
  readonly chargeId: string;
  readonly meaning: Meaning;
  /** The due day that the bank names. */
  readonly dueDay?: CivilDay;
};

/** An instruction that was taken out of its file to be sent again is put back: the bank did receive it. */
export async function closeAnswered(tx: Sql, rail: string, answers: readonly Answer[], at: Date): Promise<void> {
  await closeOneByOne(tx, rail, answers, at);
  const pairs = answers.flatMap(({ chargeId, meaning }) =>
    (ANSWERED[meaning] ?? []).map(movement => ({ chargeId, movement })),
  );
  if (pairs.length === 0) return;
  await tx.query(
    `update boleto_instructions i set closed_at = $4, sequence = coalesce(i.sequence, i.former_sequence)
       from (select distinct charge_id, movement from unnest($2::uuid[], $3::text[]) as answer (charge_id, movement)) answer
      where i.charge_id = answer.charge_id and i.movement = answer.movement and i.rail = $1
        and i.closed_at is null and i.dropped_at is null and coalesce(i.sequence, i.former_sequence) is not null`,
    [rail, pairs.map(({ chargeId }) => chargeId), pairs.map(({ movement }) => movement), at],
  );
}

type OpenInstruction = { id: string; charge_id: string; movement: FileMovement; due_at: Date | null };

/** Changes of the due day and write-offs: a title may have several, and an answer to one does not answer the later ones. */
async function closeOneByOne(tx: Sql, rail: string, answers: readonly Answer[], at: Date): Promise<void> {
  const single = answers.filter(({ meaning }) => meaning === 'due_day_changed' || meaning === 'refused');
  if (single.length === 0) return;
  const rows = await tx.query<OpenInstruction>(
    `select id, charge_id, movement, due_at from boleto_instructions
      where rail = $1 and charge_id = any($2) and movement <> 'register'
        and closed_at is null and dropped_at is null and coalesce(sequence, former_sequence) is not null
      order by id for update`,
    [rail, single.map(({ chargeId }) => chargeId)],
  );
  const closed = new Set<string>();
  for (const answer of single) {
    const open = rows.filter(({ id, charge_id }) => charge_id === answer.chargeId && !closed.has(id));
    for (const { id } of answeredBy(answer, open)) closed.add(id);
  }
  await tx.query(
    `update boleto_instructions set closed_at = $3, sequence = coalesce(sequence, former_sequence)
      where rail = $1 and id = any($2)`,
    [rail, [...closed], at],
  );
}

/** Which of the open instructions is answered, oldest first. A refusal does not say what it refuses, but banks answer in order. */
function answeredBy({ meaning, dueDay }: Answer, open: readonly OpenInstruction[]): readonly OpenInstruction[] {
  if (meaning === 'refused') return open.slice(0, 1);
  const changes = open.filter(({ movement }) => movement === 'change_due_day');
  if (dueDay === undefined) return changes;
  const last = changes.findLastIndex(({ due_at }) => due_at === null || civilDay(due_at) === dueDay);
  return changes.slice(0, last + 1);
}

/** A file that the bank has not fully answered. */
export type OpenFile = FileKey & {
  readonly madeAt: Date;
  readonly offeredAt?: Date;
  /** Its instructions without an answer. */
  readonly open: number;
};

/** Such files made before `until`, oldest first. Instructions are counted up to the limit. */
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

/** How many open instructions of a file wait for a new file, and how many need no answer any more. */
type Requeued = { readonly waiting: number; readonly closed: number };

/**
 * Takes the unanswered instructions out of a file, to wait for a new one. Those no longer needed, because the boleto was decided or has
 * ended or another due day was requested, are dropped. From now on the file is not sent automatically.
 */
export async function requeueOpen(tx: Sql, { rail, sequence }: FileKey, at: Date): Promise<Requeued> {
  await tx.query('update boleto_files set renewed_at = $3 where rail = $1 and sequence = $2', [rail, sequence, at]);
  const rows = await tx.query<{ is_waiting: boolean }>(
    `with needed as (
       select i.id, i.account_id,
              case i.movement when 'register' then m.status = 'CREATING' else m.status not in ('PAID', 'SETTLED') end
              and not (i.movement = 'change_due_day' and exists (
                select from boleto_instructions later
                 where later.charge_id = i.charge_id and later.account_id = i.account_id and later.movement = i.movement
                   and later.id > i.id and later.dropped_at is null)) as is_needed
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
 * Puts a write-off that the bank refused back to wait for a file: it may have arrived before the registration. Not if the bank has written
 * the title off, or if it was paid.
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

/** Whether a registration was sent in more than one file, or in one that was offered again: a bank that got both refuses the second as known. */
export async function isSentTwice(sql: Sql, chargeId: string): Promise<boolean> {
  const rows = await sql.query(
    `select from boleto_instructions i
      where i.charge_id = $1 and i.movement = 'register'
        and (i.sequence <> i.former_sequence
             or exists (select from boleto_files f
                         where f.rail = i.rail and f.sequence = i.sequence and f.offered_again_at is not null))`,
    [chargeId],
  );
  return rows.length > 0;
}
