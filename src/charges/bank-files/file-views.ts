// How files to banks and instructions are shown, and their lists.
import { countPages, type PageQuery } from '../../lib/paging.ts';
import { outgoingName } from '../../rails/cnab-boleto/folder.ts';
import type { Sql } from '../../storage/database.ts';
import type { BoletoFile } from './store-files.ts';
import { type InstructionStatus, readFilePage, readInstructionPage } from './store-lists.ts';

/** A file that was just made: nothing in it is answered yet. */
export function fileView(file: BoletoFile & { readonly open?: number }) {
  const { rail, sequence, madeAt, titles, digest, offeredAt, isTakenByHand, renewedAt, bytesRemovedAt } = file;
  return {
    agreement: rail,
    sequence,
    name: outgoingName(rail, sequence),
    madeAt: madeAt.toISOString(),
    titles,
    digest,
    unanswered: file.open ?? titles,
    ...(offeredAt && { offeredAt: offeredAt.toISOString() }),
    ...(isTakenByHand && { isTakenByHand }),
    ...(renewedAt && { renewedAt: renewedAt.toISOString() }),
    ...(bytesRemovedAt && { bytesRemovedAt: bytesRemovedAt.toISOString() }),
  };
}

/** Files to banks, newest first. */
export async function listBoletoFiles(
  { db }: { readonly db: Sql },
  query: PageQuery,
  filter: { readonly agreement?: string } = {},
) {
  const { files, total } = await readFilePage(db, query, filter);
  return { files: files.map(fileView), ...countPages(total, query) };
}

/** Instructions to banks, newest first. */
export async function listInstructions(
  { db }: { readonly db: Sql },
  query: PageQuery,
  filter: { readonly agreement?: string; readonly status?: InstructionStatus } = {},
) {
  const { instructions, total } = await readInstructionPage(db, query, filter);
  return {
    instructions: instructions.map(({ rail, createdAt, sequence, ...rest }) => ({
      ...rest,
      agreement: rail,
      createdAt: createdAt.toISOString(),
      ...(sequence !== undefined && { file: sequence }),
    })),
    ...countPages(total, query),
  };
}
