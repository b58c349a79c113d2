// The audit log: seals committed audit lines. It moves them from the inbox into a hash chain, where each hash
// covers the line and the previous hash, so a line that is changed, moved or removed later breaks the chain.
import assert from 'node:assert/strict';
import { contentHash } from '../lib/hash.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { type Loop, startLoop } from '../lib/loop.ts';
import { readCut } from './archive/cuts.ts';
import { AUDIT_CHANNEL } from './audit.ts';
import type { Database, Row, Sql } from './database.ts';

export type Head = { readonly position: number; readonly hash: string };

type Verdict = {
  /** The last line that was verified. */
  readonly head: Head;
  /** The first line that does not match the chain. */
  readonly broken?: { readonly position: number; readonly reason: string };
  /** The number of recent lines that are still in the inbox, without a hash. */
  readonly unsealed: number;
  /** The last line that was moved to the archive, if one was. */
  readonly cut?: Head;
};

const BATCH_SIZE = 1_000;
const MAX_BATCHES = 1_000_000;
/** Lines of other processes wait at most this long. */
const LOOK_EVERY_MS = 5_000;
/** Lines of this process that are written within this time are sealed together. */
const GATHER_MS = 500;
/** The action of the line that records a move to the archive. */
export const CUT_ACTION = 'archive audit';

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

/** A line in the archive. */
export type SealedLine = {
  readonly position: number;
  readonly id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly objectId: string | null;
  readonly requestId: string | null;
  readonly status: number;
  readonly hash: string;
};

/** Moves every committed line into the chain, and returns their number. A row lock lets one node at a time do it. */
export async function sealAudit(db: Database): Promise<number> {
  // Most runs find nothing and take no lock.
  const [waiting] = await db.query<{ any: boolean }>('select exists (select from audit_inbox) as any');
  if (!waiting?.any) return 0;
  let sealed = 0;
  // Stop at the first batch that is not full: under load, new lines would keep this loop running for ever.
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
  // A transaction retried after a commit whose answer was lost may have inserted its line a second time.
  const fresh = lines.filter(({ id }) => !isKnown.has(id));
  // A log that was moved to the archive entirely continues from there.
  let head = last ? { position: Number(last.position), hash: last.hash } : await readCut(tx, 'audit');
  const heads = fresh.map(line => {
    head = nextHead(head, { ...line, objectId: line.object_id, requestId: line.request_id });
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

/** The next lines after a position. */
export async function readSealed(sql: Sql, after: number, limit: number): Promise<SealedLine[]> {
  const rows = await sql.query<SealedRow>(
    `select position, encode(hash, 'hex') as hash, ${LINE} from audit_log where position > $1 order by position limit $2`,
    [after, limit],
  );
  return rows.map(({ object_id: objectId, request_id: requestId, position, hash, ...row }) => {
    const { id, at, actor, action, status } = row;
    return { position: Number(position), id, at, actor, action, objectId, requestId, status, hash };
  });
}

/** The object id of a line that records a move: position and hash of the last moved line. */
export function cutText({ position, hash }: Head): string {
  return `${position} ${hash}`;
}

/**
 * Verifies the chain from its first line in the database. `knownHead` is a head that was stored elsewhere: it must be part of the chain,
 * unless it was moved to the archive.
 */
export async function verifyAudit(sql: Sql, knownHead?: Head): Promise<Verdict> {
  for (;;) {
    const cut = await readCut(sql, 'audit');
    const verdict = await verifyFrom(sql, cut, knownHead);
    // Lines that were moved to the archive meanwhile are not missing.
    if (!verdict.broken || (await readCut(sql, 'audit')).position === cut.position) return verdict;
  }
}

async function verifyFrom(sql: Sql, cut: Head, knownHead: Head | undefined): Promise<Verdict> {
  const [inbox] = await sql.query<{ count: string; moves: string[] | null }>(
    `select count(*), array_agg(object_id) filter (where action = $1) as moves from audit_inbox`,
    [CUT_ACTION],
  );
  const common = { unsealed: Number(inbox!.count), ...(cut.position > 0 && { cut }) };
  let head: Head = cut;
  let isRecorded = cut.position === 0 || (inbox!.moves ?? []).includes(cutText(cut));
  for (let batch = 0; batch < MAX_BATCHES; batch++) {
    const lines = await readSealed(sql, head.position, BATCH_SIZE);
    const followed = followLines(head, lines, knownHead);
    if (followed.broken) return { ...common, ...followed };
    head = followed.head;
    isRecorded ||= lines.some(({ action, objectId }) => action === CUT_ACTION && objectId === cutText(cut));
    if (lines.length === BATCH_SIZE) continue;
    const broken = faultOfEnds(cut, head, isRecorded, knownHead);
    return { ...common, head, ...(broken && { broken }) };
  }
  assert.fail(`the audit log has more than ${MAX_BATCHES} batches`);
}

/** The fault before the first line or after the last one, if any. */
function faultOfEnds(cut: Head, head: Head, isRecorded: boolean, knownHead: Head | undefined): Verdict['broken'] {
  const { position } = cut;
  if (!isRecorded) return { position, reason: 'it and the lines before it are gone, and no line records it' };
  if (!knownHead) return undefined;
  if (knownHead.position === position && knownHead.hash !== cut.hash) return { position, reason: NOT_RECORDED };
  if (knownHead.position <= head.position) return undefined;
  return { position: head.position + 1, reason: 'it existed and is gone' };
}

const NOT_RECORDED = 'it is not the one that was recorded';

/** Verifies the chain along lines: returns the last that matches and the first that does not. */
export function followLines(
  from: Head,
  lines: readonly SealedLine[],
  knownHead?: Head,
): { readonly head: Head; readonly broken?: { readonly position: number; readonly reason: string } } {
  let head = from;
  for (const line of lines) {
    const next = nextHead(head, line);
    const reason = faultOf(line, next, knownHead);
    if (reason !== undefined) return { head, broken: { position: next.position, reason } };
    head = next;
  }
  return { head };
}

function faultOf(line: SealedLine, expected: Head, knownHead: Head | undefined): string | undefined {
  if (line.position !== expected.position) return 'it is missing';
  if (line.hash !== expected.hash) return 'it or its order was changed';
  if (knownHead?.position === expected.position && knownHead.hash !== expected.hash) return NOT_RECORDED;
  return undefined;
}

type Content = Omit<SealedLine, 'position' | 'hash'>;

function nextHead(previous: Head, { id, at, actor, action, objectId, requestId, status }: Content): Head {
  const position = previous.position + 1;
  const content = { previous: previous.hash, position, id, at, actor, action, objectId, requestId, status };
  return { position, hash: contentHash(content) };
}

export type SealingDeps = { readonly db: Database; readonly log: Log; readonly heartbeats?: Heartbeats | undefined };

/** Seals after commits of this process and at intervals, until it is stopped, and a last time at the stop. */
export function startSealing({ db, log, heartbeats }: SealingDeps): Loop {
  const loop = startLoop({
    name: 'sealing the audit log',
    task: async () => {
      await sealAudit(db);
    },
    pauseMs: LOOK_EVERY_MS,
    minPauseMs: GATHER_MS,
    runsAtStop: true,
    heartbeats,
    log,
  });
  db.listen(AUDIT_CHANNEL, () => loop.wake());
  return loop;
}
