// The SQL of the evidence of disputes.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import { type Evidence, MAX_SHOWN_BYTES } from './evidence.ts';

const STORED = 'id, account_id, dispute_id, name, media_type, size, created_at, erased_at';
const COLUMNS = `${STORED},
  case when media_type = 'text/plain' and size <= ${MAX_SHOWN_BYTES} then convert_from(content, 'UTF8') end as text`;
const toEvidence = recordOf<Evidence>(`${STORED}, text`);

type NewEvidence = Omit<Evidence, 'text' | 'erasedAt'> & {
  readonly content: Buffer;
  readonly sha256: Buffer;
  readonly addedBy: string;
};

export async function insertEvidence(tx: Sql, evidence: NewEvidence): Promise<void> {
  const { id, accountId, disputeId, name, mediaType, size, content, sha256, addedBy, createdAt } = evidence;
  await tx.query(
    `insert into dispute_evidence (id, account_id, dispute_id, name, media_type, size, content, sha256, added_by, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [id, accountId, disputeId, name, mediaType, size, content, sha256, addedBy, createdAt],
  );
}

type OfDispute = { readonly id: string; readonly accountId: string };

/** The evidence of a dispute, oldest first, without the contents of files. */
export async function listEvidence(sql: Sql, { id, accountId }: OfDispute): Promise<Evidence[]> {
  const rows = await sql.query<RowOf<Evidence>>(
    `select ${COLUMNS} from dispute_evidence where dispute_id = $1 and account_id = $2 order by created_at, id`,
    [id, accountId],
  );
  return rows.map(toEvidence);
}

/** The evidence with this content that the dispute has. */
export async function findSameEvidence(
  sql: Sql,
  { id, accountId }: OfDispute,
  sha256: Buffer,
): Promise<Evidence | undefined> {
  const [row] = await sql.query<RowOf<Evidence>>(
    `select ${COLUMNS} from dispute_evidence where dispute_id = $1 and account_id = $2 and sha256 = $3`,
    [id, accountId, sha256],
  );
  return row && toEvidence(row);
}

/** Null when it was erased; undefined when the dispute has no such evidence. */
export async function readContent(
  sql: Sql,
  { id, accountId }: OfDispute,
  evidenceId: string,
): Promise<{ readonly content: Buffer | null; readonly name: string | null } | undefined> {
  const [row] = await sql.query<{ content: Buffer | null; name: string | null }>(
    'select content, name from dispute_evidence where id = $1 and dispute_id = $2 and account_id = $3',
    [evidenceId, id, accountId],
  );
  return row;
}

/** Everything kept with the disputes of these charges, for a payer who asks for it. */
export async function readEvidenceOfCharges(sql: Sql, chargeIds: readonly string[]) {
  return sql.query<{ id: string; dispute_id: string; name: string | null; media_type: string; content: string | null }>(
    `select e.id, e.dispute_id, e.name, e.media_type, encode(e.content, 'base64') as content
       from dispute_evidence e join disputes d on d.id = e.dispute_id and d.account_id = e.account_id
      where d.charge_id = any($1) order by e.id`,
    [chargeIds],
  );
}

/** Removes what callers wrote about the disputes of these charges, and their evidence. Returns the ids of those disputes. */
export async function eraseTexts(tx: Sql, chargeIds: readonly string[], at: Date): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(
    `update disputes set note = null, reason = case when closed_by is null then reason end
      where charge_id = any($1) returning id`,
    [chargeIds],
  );
  const ids = rows.map(({ id }) => id);
  await tx.query(
    `update dispute_evidence set name = null, content = null, sha256 = null, erased_at = $2
      where dispute_id = any($1) and erased_at is null`,
    [ids, at],
  );
  return ids;
}
