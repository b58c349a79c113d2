// Moves old lines of the audit log into the archive, a block at a time. The hash of the last moved line stays in the database, and a line
// of the log itself records it: a log that is cut without such a line does not verify.
import type { Clock } from '../../lib/clock.ts';
import type { Duration } from '../../lib/date-times.ts';
import { StartError } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { insertAuditLines } from '../audit.ts';
import { CUT_ACTION, cutText, followLines, readSealed } from '../audit-chain.ts';
import type { Database, Sql } from '../database.ts';
import type { Prune, PruneStep } from '../pruning.ts';
import { BLOCK_SIZE, type Block } from './block.ts';
import { requireBlockBefore } from './check.ts';
import { moveCut, readCut } from './cuts.ts';
import { writeBlock } from './files.ts';
import { requireArchive } from './owner.ts';

type Deps = { readonly clock: Clock; readonly dir: string };

export function pruneAudit(deps: Deps, keep: Duration | 'forever'): Prune {
  return { kind: 'audit', keep, step: (db, before) => moveBlock(deps, db, before), oldest: findOldest };
}

async function moveBlock({ clock, dir }: Deps, db: Database, before: Date): Promise<PruneStep> {
  const cut = await readCut(db, 'audit');
  const lines = await readSealed(db, cut.position, BLOCK_SIZE);
  if (lines.length < BLOCK_SIZE || lines.some(({ at }) => new Date(at) >= before)) return { removed: 0 };
  const { head, broken } = followLines(cut, lines);
  if (broken) throw new StartError(`Line ${broken.position} of the audit log: ${broken.reason}; nothing is removed.`);
  const rows = lines.map(line => JSON.stringify(line));
  const block: Block = { kind: 'audit', first: cut.position + 1, last: head.position, previous: cut.hash, rows };
  await requireArchive(db, dir);
  await requireBlockBefore(dir, 'audit', cut);
  await writeBlock(dir, block);
  const now = clock.now();
  const context = { actor: 'service', action: CUT_ACTION, at: now, status: 0 };
  const line = { id: uuidV7(now), context, objectId: cutText(head) };
  const removed = await db.transaction(async tx => {
    if (!(await moveCut(tx, 'audit', cut, head))) return 0;
    await tx.query('delete from audit_log where position <= $1', [head.position]);
    await insertAuditLines(tx, [line]);
    return lines.length;
  });
  return { removed, next: 'more' };
}

/** The oldest line of a complete block; an incomplete block stays. */
async function findOldest(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>(
    `select first.at from archive_cuts c
       join audit_log first on first.position = c.position + 1
       join audit_log last on last.position = c.position + ${BLOCK_SIZE}
      where c.kind = 'audit'`,
  );
  return row?.at;
}
