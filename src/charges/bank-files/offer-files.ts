// Puts files to a bank where they are collected. Each file is saved first, so the next run continues one that was killed: the same
// file, with the same bytes.
import { setAuditObject } from '../../lib/audit-context.ts';
import { AppError } from '../../lib/errors.ts';
import { outgoingName, placeFile } from '../../rails/cnab-boleto/folder.ts';
import { fileParts, type MakeDeps, makeFiles } from './make-file.ts';
import {
  type BoletoFile,
  type FileKey,
  findFile,
  findLastUnoffered,
  findUnoffered,
  markOffered,
  markTaken,
} from './store-files.ts';

export type OfferedFile = BoletoFile & { readonly path: string };

/**
 * Carries first the files that an earlier run made but did not offer, then as many as the waiting instructions need. A file counts as
 * offered once `carry` has returned: after a crash it is carried again.
 */
export async function takeFiles(deps: MakeDeps, rail: string, carry: Carry): Promise<void> {
  const left = await findLastUnoffered(deps.db, rail);
  if (left !== undefined) await carryUpTo(deps, { rail, sequence: left }, carry);
  for await (const file of makeFiles(deps, rail)) await carryUpTo(deps, file, carry);
}

type Carry = (file: BoletoFile) => Promise<void>;

/** In the order of their numbers, as banks require: another call may have made some of them. */
async function carryUpTo({ db, clock }: MakeDeps, { rail, sequence: last }: FileKey, carry: Carry): Promise<void> {
  for (;;) {
    const file = await findUnoffered(db, rail, last);
    if (!file) return;
    await carry(file);
    await markOffered(db, file, clock.now());
  }
}

export async function offerFiles(deps: MakeDeps, rail: string, folder: string): Promise<OfferedFile[]> {
  const offered: OfferedFile[] = [];
  await takeFiles(deps, rail, async file => {
    offered.push(await place(deps, file, folder));
  });
  return offered;
}

/** Refuses a file whose bytes were removed: only its number and hash are left. */
export function requireBytes({ rail, sequence, bytesRemovedAt }: BoletoFile): void {
  if (!bytesRemovedAt) return;
  const message = `The bytes of file ${sequence} of ${rail} were removed, as TRILHO_KEEP_BOLETO_FILES says; its SHA-256 is kept.`;
  throw new AppError('not_found', message);
}

/** Carries an earlier file once more. Refuses an unknown number, and a file whose bytes were removed. */
export async function offerAgain(deps: MakeDeps, key: FileKey, folder: string): Promise<OfferedFile> {
  const file = await findFile(deps.db, key);
  if (!file) throw new AppError('not_found', `There is no file ${key.sequence} of ${key.rail}.`);
  requireBytes(file);
  const placed = await place(deps, file, folder);
  await markOffered(deps.db, file, deps.clock.now());
  return placed;
}

/**
 * Marks a file as transferred by a person: it is no longer offered automatically, and if it was already offered, the bank may have it
 * twice. Refuses a renewed file: its unanswered instructions are in a newer one.
 */
export async function takeByHand({ db, clock }: Pick<MakeDeps, 'db' | 'clock'>, key: FileKey): Promise<BoletoFile> {
  const { rail, sequence } = key;
  return db.transaction(async tx => {
    setAuditObject(`${rail} ${sequence}`);
    await markTaken(tx, key, clock.now());
    const file = await findFile(tx, key);
    if (!file) throw new AppError('not_found', `There is no file ${sequence} of ${rail}.`);
    requireBytes(file);
    if (file.renewedAt)
      throw new AppError('wrong_state', `File ${sequence} of ${rail} was renewed: send the newer one.`);
    return file;
  });
}

async function place({ db }: MakeDeps, file: BoletoFile, folder: string): Promise<OfferedFile> {
  const name = outgoingName(file.rail, file.sequence);
  const path = await placeFile(folder, { name, digest: file.digest, parts: fileParts(db, file) });
  return { ...file, path };
}
