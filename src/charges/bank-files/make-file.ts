// Makes a file to a bank out of the waiting instructions. File, bytes and instructions commit together: after a rollback the file
// does not exist and its sequence is free.
import { createHash } from 'node:crypto';
import { CnabError } from '@trilho/cnab';
import type { Clock } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { FileExchange, OutgoingFile, PaymentRequest } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { type Charge, isOf, paymentRequest } from '../charge.ts';
import { failDueChange, withDueDate } from '../due-date/change-due-date.ts';
import { isPayable, rejected } from '../life.ts';
import { findCharges, lockCharges } from '../store/charges.ts';
import { type WriteDeps, writeStep } from '../write.ts';
import { ENDED } from './instruct.ts';
import {
  assignInstructions,
  type BoletoFile,
  deleteFile,
  dropDecided,
  dropInstruction,
  type FileKey,
  findFile,
  finishFile,
  insertFile,
  insertPart,
  lockInstructions,
  readPart,
  type WaitingInstruction,
} from './store-files.ts';
import { warnOfNumbers } from './warn-numbers.ts';

export type MakeDeps = WriteDeps & {
  readonly db: Database;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly log: Log;
};

/** Instructions per batch. */
const PART_SIZE = 1_000;

/** Undefined when no instruction waits. Refuses a rail that has no files. */
export async function makeFile(deps: MakeDeps, railName: string): Promise<BoletoFile | undefined> {
  const files = filesOf(deps, railName);
  const made = await deps.db.transaction(async tx => {
    const now = deps.clock.now();
    // First: another transaction that makes a file of this rail waits here, then finds the instructions that this one leaves.
    const key = { rail: railName, sequence: await insertFile(tx, railName, files.firstFile, now) };
    if (key.sequence > files.lastFile) {
      throw new AppError('not_configured', `The bank of ${railName} takes no file above ${files.lastFile}.`);
    }
    const titles = await writeFile(deps, tx, key, files, now);
    // Instructions that still wait after the last file can never be sent.
    if (titles < files.maxInstructions) await dropDecided(tx, key.rail, now);
    if (titles > 0) return findFile(tx, key);
    await deleteFile(tx, key);
    return undefined;
  });
  if (made) await warnOfNumbers(deps);
  return made;
}

/** More than a bank accepts in a day. */
const MAX_FILES = 1_000;

/** As many files as the waiting instructions need. Later ones wait for the next call: a steady stream would make many small files. */
export async function* makeFiles(deps: MakeDeps, railName: string): AsyncGenerator<BoletoFile> {
  const { maxInstructions } = filesOf(deps, railName);
  for (let count = 0; count < MAX_FILES; count++) {
    const file = await makeFile(deps, railName);
    if (!file) return;
    yield file;
    if (file.titles < maxInstructions) return;
  }
}

function filesOf({ rails }: MakeDeps, railName: string): FileExchange {
  const { files } = railNamed(rails, 'boleto', railName);
  if (!files) throw new AppError('not_configured', `The bank of ${railName} does not work by files.`);
  return files;
}

async function writeFile(deps: MakeDeps, tx: Sql, key: FileKey, files: FileExchange, now: Date): Promise<number> {
  const file = files.open(key.sequence, now);
  const hash = createHash('sha256');
  let [titles, part] = [0, 0];
  const save = async ({ text, written }: WrittenPart) => {
    if (text === '') return;
    hash.update(text);
    await insertPart(tx, key, part++, text);
    if (written.length > 0) await assignInstructions(tx, key, written);
  };
  let last: WaitingInstruction | undefined;
  let before: WrittenPart = { text: '', written: [] };
  while (titles < files.maxInstructions) {
    const some = await lockInstructions(tx, key.rail, last, Math.min(PART_SIZE, files.maxInstructions - titles));
    if (some.length === 0) break;
    last = some.at(-1);
    const ids = some.map(({ chargeId }) => chargeId);
    const charges = new Map((await findCharges(tx, ids)).map(charge => [charge.id, charge]));
    // The database stores one part while the next is built.
    const [saved, written] = await Promise.allSettled([save(before), writePart(deps, tx, file, some, charges, now)]);
    if (saved.status === 'rejected') throw saved.reason;
    if (written.status === 'rejected') throw written.reason;
    before = written.value;
    titles += before.written.length;
  }
  if (titles === 0) return 0;
  await save(before);
  await save({ text: file.end(), written: [] });
  await finishFile(tx, key, titles, hash.digest());
  return titles;
}

/** The records of some instructions, and the instructions that have records. */
type WrittenPart = { readonly text: string; readonly written: readonly string[] };

/** A charge that the layout cannot hold is rejected here, as the bank would reject it; the others go into the file. */
async function writePart(
  deps: MakeDeps,
  tx: Sql,
  file: OutgoingFile,
  some: readonly WaitingInstruction[],
  charges: ReadonlyMap<string, Charge>,
  now: Date,
): Promise<WrittenPart> {
  let text = '';
  const written: string[] = [];
  for (const { id, chargeId, movement } of some) {
    const charge = charges.get(chargeId);
    const reference = charge?.methods.find(isOf('boleto'))?.reference;
    if (!charge || reference === undefined) continue;
    if (movement === 'change_due_day' && !isChangeOpen(charge)) {
      await refuse(deps, tx, charge, movement, ENDED, now);
      continue;
    }
    try {
      text += file.add(movement, requestOf(charge, movement), reference);
      written.push(id);
    } catch (error) {
      if (!(error instanceof CnabError)) throw error;
      deps.log.warn('a boleto does not fit the layout of its bank and is rejected', { chargeId, error });
      await refuse(deps, tx, charge, movement, error.message, now);
    }
  }
  return { text, written };
}

/** The boleto may have been paid since the instruction was written. */
function isChangeOpen({ dueChange, methods }: Charge): boolean {
  const boleto = methods.find(isOf('boleto'));
  return dueChange?.status === 'PENDING' && boleto !== undefined && isPayable(boleto);
}

function requestOf(charge: Charge, movement: WaitingInstruction['movement']): PaymentRequest {
  const { dueChange } = charge;
  const isChanged = movement === 'change_due_day' && dueChange;
  return paymentRequest(isChanged ? withDueDate(charge, dueChange.dueAt) : charge, 'boleto');
}

async function refuse(
  deps: MakeDeps,
  tx: Sql,
  charge: Charge,
  movement: WaitingInstruction['movement'],
  reason: string,
  now: Date,
): Promise<void> {
  await dropInstruction(tx, charge, movement, now);
  const [locked] = await lockCharges(tx, [charge.id]);
  if (movement === 'change_due_day' && locked?.dueChange?.status === 'PENDING') {
    await failDueChange(deps, tx, locked, reason);
  }
  if (movement !== 'register' || locked?.methods.find(isOf('boleto'))?.status !== 'CREATING') return;
  await writeStep(deps, tx, rejected(locked, 'boleto', reason), now);
}

/** The bytes of a file, part by part: the same each time. */
export async function* fileParts(db: Database, key: FileKey): AsyncGenerator<Buffer> {
  for (let part = 0; ; part++) {
    const bytes = await readPart(db, key, part);
    if (!bytes) return;
    yield bytes;
  }
}
