// The SQL of instructions to banks and of the files that contain them.
import { gunzipSync, gzipSync } from 'node:zlib';
import { AppError } from '../../lib/errors.ts';
import type { FileMovement } from '../../rails/rail.ts';
import type { Sql } from '../../storage/database.ts';
import type { Charge } from '../charge.ts';

export type NewInstruction = {
  readonly id: string;
  readonly charge: Charge;
  readonly rail: string;
  readonly movement: FileMovement;
};

/** Stores instructions, one for each charge and movement, except that a due day may be changed several times. */
export async function insertInstructions(tx: Sql, instructions: readonly NewInstruction[], at: Date): Promise<void> {
  if (instructions.length === 0) return;
  await tx.query(
    `insert into boleto_instructions (id, account_id, charge_id, rail, movement, due_at, created_at)
     select id, account_id, charge_id, rail, movement, due_at, $7
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::timestamptz[])
              as new (id, account_id, charge_id, rail, movement, due_at)
     on conflict (charge_id, account_id, movement) where movement <> 'change_due_day' do nothing`,
    [
      instructions.map(({ id }) => id),
      instructions.map(({ charge }) => charge.accountId),
      instructions.map(({ charge }) => charge.id),
      instructions.map(({ rail }) => rail),
      instructions.map(({ movement }) => movement),
      instructions.map(({ charge, movement }) => (movement === 'change_due_day' ? charge.dueChange?.dueAt : null)),
      at,
    ],
  );
}

/** Whether a file has asked the bank to register the boleto of a charge. */
export async function isRegistrationSent(tx: Sql, charge: Charge): Promise<boolean> {
  const rows = await tx.query(
    `select from boleto_instructions
      where charge_id = $1 and account_id = $2 and movement = 'register' and coalesce(sequence, former_sequence) is not null`,
    [charge.id, charge.accountId],
  );
  return rows.length > 0;
}

/** Drops an instruction; false when it is in a file or does not exist. */
export async function dropInstruction(tx: Sql, charge: Charge, movement: FileMovement, at: Date): Promise<boolean> {
  const rows = await tx.query(
    `update boleto_instructions set dropped_at = $4
      where charge_id = $1 and account_id = $2 and movement = $3 and sequence is null and dropped_at is null
      returning id`,
    [charge.id, charge.accountId, movement, at],
  );
  return rows.length > 0;
}

/** Drops registrations of boletos that were decided while they waited, such as one paid by hand. */
export async function dropDecided(tx: Sql, rail: string, at: Date): Promise<void> {
  await tx.query(
    `update boleto_instructions i set dropped_at = $2
       from charge_methods m
      where m.charge_id = i.charge_id and m.account_id = i.account_id and m.method = 'boleto' and m.status <> 'CREATING'
        and i.rail = $1 and i.movement = 'register' and i.sequence is null and i.dropped_at is null`,
    [rail, at],
  );
}

export type WaitingInstruction = { readonly id: string; readonly chargeId: string; readonly movement: FileMovement };

/**
 * Locks the next instructions for a file, oldest first. Skips registrations whose charge has ended, which are dropped later, and
 * instructions locked by another transaction, which go into its file.
 */
export async function lockInstructions(
  tx: Sql,
  rail: string,
  after: WaitingInstruction | undefined,
  limit: number,
): Promise<WaitingInstruction[]> {
  const rows = await tx.query<{ id: string; charge_id: string; movement: FileMovement }>(
    `select i.id, i.charge_id, i.movement
       from boleto_instructions i
       join charge_methods m on m.charge_id = i.charge_id and m.account_id = i.account_id and m.method = 'boleto'
      where i.rail = $1 and i.sequence is null and i.dropped_at is null and ($2::uuid is null or i.id > $2)
        and (i.movement <> 'register' or m.status = 'CREATING')
      order by i.id
      limit $3
        for update of i skip locked`,
    [rail, after?.id ?? null, limit],
  );
  return rows.map(({ id, charge_id, movement }) => ({ id, chargeId: charge_id, movement }));
}

/** No more transactions than this make files of one rail at once. */
const MAX_TRIES = 20;

/** Begins the next file of a rail and returns its sequence. A concurrent transaction that does the same waits for this one. */
export async function insertFile(tx: Sql, rail: string, first: number, at: Date): Promise<number> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    const [row] = await tx.query<{ sequence: number }>(
      `insert into boleto_files (rail, sequence, made_at, titles, sha256)
       select $1, greatest($2::integer, coalesce(max(sequence), 0) + 1), $3, 0, ''
         from boleto_files where rail = $1
       on conflict (rail, sequence) do nothing
       returning sequence`,
      [rail, first, at],
    );
    if (row) return row.sequence;
  }
  throw new AppError('overloaded', `Too many files of ${rail} are being made at once.`);
}

export type FileKey = { readonly rail: string; readonly sequence: number };

export async function insertPart(tx: Sql, { rail, sequence }: FileKey, part: number, text: string): Promise<void> {
  await tx.query('insert into boleto_file_parts (rail, sequence, part, body) values ($1, $2, $3, $4)', [
    rail,
    sequence,
    part,
    gzipSync(text),
  ]);
}

export async function assignInstructions(tx: Sql, { rail, sequence }: FileKey, ids: readonly string[]): Promise<void> {
  await tx.query('update boleto_instructions set sequence = $2 where rail = $1 and id = any($3)', [
    rail,
    sequence,
    ids,
  ]);
}

/** Deletes a file that turned out to be empty, before it was committed. */
export async function deleteFile(tx: Sql, { rail, sequence }: FileKey): Promise<void> {
  await tx.query('delete from boleto_files where rail = $1 and sequence = $2', [rail, sequence]);
}

export async function finishFile(tx: Sql, { rail, sequence }: FileKey, titles: number, sha256: Buffer): Promise<void> {
  await tx.query('update boleto_files set titles = $3, sha256 = $4 where rail = $1 and sequence = $2', [
    rail,
    sequence,
    titles,
    sha256,
  ]);
}

export type BoletoFile = FileKey & {
  readonly madeAt: Date;
  readonly titles: number;
  /** SHA-256 of its bytes, in hexadecimal digits. */
  readonly digest: string;
  readonly offeredAt?: Date;
  /** A person downloaded it first, to send it to the bank. */
  readonly isTakenByHand?: true;
  /** When its unanswered instructions were taken out, for a new file. */
  readonly renewedAt?: Date;
  /** When its bytes were removed: it cannot be fetched or offered again. */
  readonly bytesRemovedAt?: Date;
};

export const FILE_COLUMNS = `
  rail, sequence, made_at, titles, encode(sha256, 'hex') as digest, offered_at, taken_by_hand, renewed_at, bytes_removed_at`;

export type FileRow = {
  rail: string;
  sequence: number;
  made_at: Date;
  titles: number;
  digest: string;
  offered_at: Date | null;
  taken_by_hand: boolean;
  renewed_at: Date | null;
  bytes_removed_at: Date | null;
};

export function toFile(row: FileRow): BoletoFile {
  const { rail, sequence, made_at, titles, digest, offered_at, taken_by_hand, renewed_at, bytes_removed_at } = row;
  return {
    ...{ rail, sequence, madeAt: made_at, titles, digest },
    ...(offered_at && { offeredAt: offered_at }),
    ...(taken_by_hand && { isTakenByHand: true }),
    ...(renewed_at && { renewedAt: renewed_at }),
    ...(bytes_removed_at && { bytesRemovedAt: bytes_removed_at }),
  };
}

export async function findFile(sql: Sql, { rail, sequence }: FileKey): Promise<BoletoFile | undefined> {
  const [row] = await sql.query<FileRow>(`select ${FILE_COLUMNS} from boleto_files where rail = $1 and sequence = $2`, [
    rail,
    sequence,
  ]);
  return row && toFile(row);
}

/** The oldest file of a rail not offered yet. One that was renewed or already answered is not offered automatically. */
export async function findUnoffered(sql: Sql, rail: string, last: number): Promise<BoletoFile | undefined> {
  const [row] = await sql.query<FileRow>(
    `select ${FILE_COLUMNS} from boleto_files
      where rail = $1 and sequence <= $2 and offered_at is null and renewed_at is null and bytes_removed_at is null
      order by sequence limit 1`,
    [rail, last],
  );
  return row && toFile(row);
}

export async function findLastUnoffered(sql: Sql, rail: string): Promise<number | undefined> {
  const [row] = await sql.query<{ last: number | null }>(
    `select max(sequence) as last from boleto_files
      where rail = $1 and offered_at is null and renewed_at is null and bytes_removed_at is null`,
    [rail],
  );
  return row?.last ?? undefined;
}

export async function markOffered(sql: Sql, { rail, sequence }: FileKey, at: Date): Promise<void> {
  await sql.query(`update boleto_files set ${OFFERED} where rail = $1 and sequence = $2`, [rail, sequence, at]);
}

/** A file that was not offered before counts as offered by hand. */
export async function markTaken(sql: Sql, { rail, sequence }: FileKey, at: Date): Promise<void> {
  await sql.query(
    `update boleto_files set ${OFFERED}, taken_by_hand = taken_by_hand or offered_at is null
      where rail = $1 and sequence = $2`,
    [rail, sequence, at],
  );
}

/** From the second time on the bank may have the file twice. */
const OFFERED = `offered_at = coalesce(offered_at, $3),
  offered_again_at = case when offered_at is not null then coalesce(offered_again_at, $3::timestamptz) end`;

/** The text of a part; undefined after the last. */
export async function readPart(sql: Sql, { rail, sequence }: FileKey, part: number): Promise<Buffer | undefined> {
  const [row] = await sql.query<{ body: Buffer }>(
    'select body from boleto_file_parts where rail = $1 and sequence = $2 and part = $3',
    [rail, sequence, part],
  );
  return row && gunzipSync(row.body);
}
