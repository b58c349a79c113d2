// Sends again what a bank has not answered, in a new file with a new number: banks accept each file number only once.
import { setAuditObject } from '../../lib/audit-context.ts';
import { AppError } from '../../lib/errors.ts';
import { type MakeDeps, makeFiles } from './make-file.ts';
import { requeueOpen } from './store-answers.ts';
import { type BoletoFile, type FileKey, findFile } from './store-files.ts';

type RenewedFile = {
  /** The new files. */
  readonly files: readonly BoletoFile[];
  /** How many instructions of the old file need no answer any more: the boleto has ended, or another due day was requested. */
  readonly closed: number;
};

/**
 * Makes new files of the unanswered instructions of a file and of everything else that waits. If it is killed in between, the unanswered
 * instructions wait for the next file, and renewing again makes it. Refuses a file that is fully answered.
 */
export async function renewFile(deps: MakeDeps, key: FileKey): Promise<RenewedFile> {
  setAuditObject(`${key.rail} ${key.sequence}`);
  const closed = await deps.db.transaction(async tx => {
    const file = await findFile(tx, key);
    if (!file) throw new AppError('not_found', `There is no file ${key.sequence} of ${key.rail}.`);
    const requeued = await requeueOpen(tx, key, deps.clock.now());
    if (requeued.waiting + requeued.closed > 0 || file.renewedAt) return requeued.closed;
    throw new AppError('wrong_state', `Nothing of file ${key.sequence} of ${key.rail} waits for an answer.`);
  });
  return { files: await Array.fromAsync(makeFiles(deps, key.rail)), closed };
}
