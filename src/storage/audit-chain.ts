// The audit log, second half: committed lines are moved from the inbox into a chain, where each hash covers the line and the
// hash before it. So a line that is changed, moved or taken out later breaks the chain.
import { setTimeout as wait } from 'node:timers/promises';
import { contentHash } from '../lib/hash.ts';
import type { Log } from '../lib/log.ts';
import type { Database, Row, Sql } from './database.ts';

export type Head = { readonly position: number; readonly hash: string };

export type Verdict = {
  /** How far the chain was followed. */
  readonly head: Head;
  /** The first line that is not as it was sealed. */
  readonly broken?: { readonly position: number; readonly reason: string };
  /** Lines of the last moment, which no hash covers yet. */
  readonly unsealed: number;
};

const BATCH_SIZE = 1_000;
const MAX_BATCHES = 1_000_000;
const SEAL_EVERY_MS = 500;
/** Where every chain begins. */
const BEGINNING: Head = { position: 0, hash: '0'.repeat(64) };

const LINE = 'id, iso_utc(at) as at, actor, action, object_id, request_id, status';

type LineRow = Row & {
  id: string;
  at: string;
  actor: string;
  action: string;
  object_id: string | null;
  request_id: string | null;
  status: number;
};
type SealedRow = LineRow & { position: string; hash: string };

/** Moves every line that is committed by now into the chain, and returns how many those were. One node at a time does it. */
export async function sealAudit(db: Database): Promise<number> {
  // Most looks find nothing, and then nobody is kept waiting.
  const [waiting] = await db.query<{ any: boolean }>('select exists (select from audit_inbox) as any');
  if (!waiting?.any) return 0;
  let sealed = 0;
  // Lines that come meanwhile may wait for the next call: under load they would never end.
  for (let isFull = true; isFull; ) {
    const batch = await db.transaction(sealBatch);
    sealed += batch.sealed;
    isFull = batch.taken >= BATCH_SIZE;
  }
  return sealed;
}

async function sealBatch(tx: Sql): Promise<{ taken: number; sealed: number }> {
  await tx.query('select from audit_seal for update');
  const [last] = await tx.query<{ position: string; hash: string }>(
    `select position, encode(hash, 'hex') as hash from audit_log order by position desc limit 1`,
  );
  const lines = await tx.query<LineRow>(`select ${LINE} from audit_inbox order by id limit $1`, [BATCH_SIZE]);
  const ids = lines.map(({ id }) => id);
  const known = await tx.query<{ id: string }>('select id from audit_log where id = any($1)', [ids]);
  const isKnown = new Set(known.map(({ id }) => id));
  // A transaction that was run again after a lost commit may have left its line a second time.
  const fresh = lines.filter(({ id }) => !isKnown.has(id));
  let head = last ? { position: Number(last.position), hash: last.hash } : BEGINNING;
  const heads = fresh.map(line => {
    head = nextHead(head, line);
    return head;
  });
  await tx.query(
    `insert into audit_log (position, id, at, actor, action, object_id, request_id, status, hash)
     select s.position, i.id, i.at, i.actor, i.action, i.object_id, i.request_id, i.status, decode(s.hash, 'hex')
       from unnest($1::uuid[], $2::bigint[], $3::text[]) as s (id, position, hash)
       join audit_inbox i on i.id = s.id`,
    [fresh.map(({ id }) => id), heads.map(({ position }) => position), heads.map(({ hash }) => hash)],
  );
  await tx.query('delete from audit_inbox where id = any($1)', [ids]);
  return { taken: lines.length, sealed: fresh.length };
}

/** Follows the chain from its beginning. `noted` is a head that was kept elsewhere: it must still be there. */
export async function verifyAudit(sql: Sql, noted?: Head): Promise<Verdict> {
  const [inbox] = await sql.query<{ count: string }>('select count(*) from audit_inbox');
  const unsealed = Number(inbox!.count);
  let head = BEGINNING;
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const lines = await sql.query<SealedRow>(
      `select position, encode(hash, 'hex') as hash, ${LINE} from audit_log where position > $1 order by position limit $2`,
      [head.position, BATCH_SIZE],
    );
    for (const line of lines) {
      const next = nextHead(head, line);
      const reason = faultOf(line, next, noted);
      if (reason !== undefined) return { head, unsealed, broken: { position: next.position, reason } };
      head = next;
    }
    if (lines.length === BATCH_SIZE) continue;
    if (!noted || noted.position <= head.position) return { head, unsealed };
    return { head, unsealed, broken: { position: head.position + 1, reason: 'it was there once and is gone' } };
  }
  throw new Error('the audit log has no end');
}

function faultOf(line: SealedRow, expected: Head, noted: Head | undefined): string | undefined {
  if (Number(line.position) !== expected.position) return 'it is missing';
  if (line.hash !== expected.hash) return 'it, or the order it stands in, was changed';
  if (noted?.position === expected.position && noted.hash !== expected.hash) return 'it is not the one that was noted';
  return undefined;
}

function nextHead(previous: Head, line: LineRow): Head {
  const position = previous.position + 1;
  const { id, at, actor, action, object_id: objectId, request_id: requestId, status } = line;
  const content = { previous: previous.hash, position, id, at, actor, action, objectId, requestId, status };
  return { position, hash: contentHash(content) };
}

/** Seals from time to time until it is stopped, and once more then. What fails is tried again with the next turn. */
export function startSealing({ db, log }: { db: Database; log: Log }): { stop(): Promise<void> } {
  const stopping = new AbortController();
  async function takeTurns(): Promise<void> {
    for (let isLast = false; !isLast; ) {
      isLast = stopping.signal.aborted;
      try {
        await sealAudit(db);
      } catch (error) {
        log.warn('the audit log could not be sealed and will be tried again', { error });
      }
      if (!isLast) await wait(SEAL_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }
  const turns = takeTurns();
  return {
    stop: async () => {
      stopping.abort();
      await turns;
    },
  };
}
