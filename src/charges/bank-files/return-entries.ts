// How the entries of a return file are shown, and marking as seen those that need a person.

import { occurrenceOf, reasonsOf } from '@trilho/cnab';
import { currentActor, setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { noSuch, requireFound } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { countPages, type PageQuery } from '../../lib/paging.ts';
import type { Database, Sql } from '../../storage/database.ts';
import type { ReadReturn } from './read-return.ts';
import { type EntryRecord, hasEntry, markSeen, readEntryPage } from './store-return-entries.ts';
import { type BoletoReturn, findReturn, type ReturnOutcome } from './store-returns.ts';

export function entryView(entry: EntryRecord) {
  const { returnId: _, rail: __, bank, occurrence, reasons, ...shown } = entry;
  const { amountCents, paidCents, feeCents, seenAt, ...rest } = shown;
  const { text: words, meaning } = occurrenceOf(bank ?? '', occurrence);
  return {
    ...rest,
    occurrence,
    words,
    reasons: reasonsOf(meaning, reasons.join('')).map(reason => ({ code: reason.code, words: reason.text })),
    amountCents: Number(amountCents),
    paidCents: Number(paidCents),
    feeCents: Number(feeCents),
    ...(seenAt && { seenAt: seenAt.toISOString() }),
  };
}

/** Refuses an unknown id. */
export async function requireReturn(sql: Sql, id: string): Promise<BoletoReturn> {
  return requireFound(await findReturn(sql, id), 'return file');
}

/** The entries of a return file in their order. */
export async function listEntries({ db }: { readonly db: Sql }, id: string, query: PageQuery, outcome?: ReturnOutcome) {
  await requireReturn(db, id);
  const { entries, total } = await readEntryPage(db, id, query, outcome);
  return { entries: entries.map(entryView), ...countPages(total, query) };
}

/** Marks one entry of a file that needs a person, or all of them, as seen. Repeating it changes nothing. */
export function seeEntries(
  { db, clock }: { readonly db: Database; readonly clock: Clock },
  entries: { readonly returnId: string; readonly line?: number },
): Promise<number> {
  const { returnId, line } = entries;
  setAuditObject(returnId);
  return db.transaction(async tx => {
    await requireReturn(tx, returnId);
    if (line !== undefined && !(await hasEntry(tx, returnId, line))) {
      throw noSuch('entry of the return file');
    }
    return markSeen(tx, entries, currentActor() ?? 'operator', clock.now());
  });
}

/** Warns the operator that a file has entries that need a person. */
export function warnOfEntries(log: Log, { file, isKnown }: ReadReturn): void {
  const count = file.counts.needs_attention ?? 0;
  if (isKnown || count === 0) return;
  log.warn('a return file of a bank has entries that need a person', { rail: file.rail, count });
}
