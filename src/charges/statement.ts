// Imports a bank statement: an entry with the txid of a charge pays it; other incoming money is stored for an operator.
import { createHash } from 'node:crypto';
import { addDays, type CivilDay, momentOn } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import type { StatementEntry } from '../rails/statement/statement.ts';
import type { Database } from '../storage/database.ts';
import { type PayDeps, recordPayment } from './pay.ts';
import { findChargeByTxid, insertUnmatched } from './store-money.ts';

export type Import = {
  /** Payments of the exact amount, and payments of another amount. */
  readonly matched: number;
  readonly differing: number;
  /** Entries that were imported before, incoming money without a charge, and entries that are not incoming money. */
  readonly known: number;
  readonly unmatched: number;
  readonly outgoing: number;
};

export type ImportDeps = PayDeps & { readonly db: Database };

const SOURCE = 'statement';
const MAX_REFERENCE_LENGTH = 255;

/** Imports entries one by one, each in its own transaction. To import a file again, also after a crash, is safe. */
export async function importStatement(deps: ImportDeps, entries: readonly StatementEntry[]): Promise<Import> {
  const counts = { matched: 0, differing: 0, known: 0, unmatched: 0, outgoing: 0 };
  for (const entry of entries) counts[await importEntry(deps, entry)]++;
  return counts;
}

/**
 * Without a time of day the payment may have come at any hour. Assume the last second, so that it never counts as in
 * time by guess.
 */
function lastSecondOf(day: CivilDay): Date {
  return new Date(momentOn(addDays(day, 1)).getTime() - 1_000);
}

async function importEntry(deps: ImportDeps, entry: StatementEntry): Promise<keyof Import> {
  if (entry.amountCents <= 0n) return 'outgoing';
  const reference = referenceOf(entry);
  const paidAt = earlier(entry.postedAt ?? lastSecondOf(entry.postedDay), deps.clock.now());
  const chargeId = entry.txid === undefined ? undefined : await findChargeByTxid(deps.db, entry.txid);
  if (chargeId !== undefined) {
    try {
      const { amountCents } = entry;
      const { isNew, charge } = await recordPayment(deps, {
        chargeId,
        method: 'pix',
        amountCents,
        paidAt,
        source: SOURCE,
        reference,
      });
      if (!isNew) return 'known';
      return charge.paidAmount === 'exact' ? 'matched' : 'differing';
    } catch (error) {
      // The charge refuses the payment, or the reference belongs to another one: an operator decides.
      if (!(error instanceof AppError) || !['wrong_state', 'reference_conflict'].includes(error.code)) throw error;
    }
  }
  const { amountCents, txid, text: words } = entry;
  const receipt = { reference, postedAt: paidAt, amountCents, words, ...(txid !== undefined && { txid }) };
  const isNew = await deps.db.transaction(tx => insertUnmatched(tx, receipt, deps.clock.now()));
  return isNew ? 'unmatched' : 'known';
}

/** The assumed last second of today lies in the future. */
function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

/**
 * The end-to-end id of the pix payment, which is the same in every report. Without one, the reference of the bank with day
 * and amount, because some banks reuse their numbers.
 */
function referenceOf({ endToEndId, reference, postedDay, amountCents }: StatementEntry): string {
  if (endToEndId !== undefined) return endToEndId;
  const long = `${reference} ${postedDay} ${amountCents}`;
  return long.length <= MAX_REFERENCE_LENGTH ? long : createHash('sha256').update(long).digest('hex');
}
