// Learning of money from a bank statement: what carries the txid of a charge pays it, the rest is kept for a person.
import { createHash } from 'node:crypto';
import { addDays, type CivilDay, momentOn } from '../lib/civil-days.ts';
import { AppError } from '../lib/errors.ts';
import type { StatementEntry } from '../rails/statement/statement.ts';
import { type PayDeps, recordPayment } from './pay.ts';
import { findChargeByTxid, insertUnmatched } from './store-money.ts';

export type Import = {
  /** Money that paid a charge as asked, and money for a charge that was of another amount. */
  readonly matched: number;
  readonly differing: number;
  /** Money that was known before, that no charge asked for; and entries that are not money coming in. */
  readonly known: number;
  readonly unmatched: number;
  readonly outgoing: number;
};

const SOURCE = 'statement';
const MAX_REFERENCE_LENGTH = 255;

/** Takes entries one by one, each in a transaction of its own: a file imported again, or after a crash, changes nothing twice. */
export async function importStatement(deps: PayDeps, entries: readonly StatementEntry[]): Promise<Import> {
  const counts = { matched: 0, differing: 0, known: 0, unmatched: 0, outgoing: 0 };
  for (const entry of entries) counts[await importEntry(deps, entry)]++;
  return counts;
}

/** A bank that names no hour may mean any: what waits for money in time is not to win by that. */
function lastSecondOf(day: CivilDay): Date {
  return new Date(momentOn(addDays(day, 1)).getTime() - 1_000);
}

async function importEntry(deps: PayDeps, entry: StatementEntry): Promise<keyof Import> {
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
      // What contradicts what is known, or what a charge cannot take, is left to a person.
      if (!(error instanceof AppError) || !['wrong_state', 'reference_conflict'].includes(error.code)) throw error;
    }
  }
  const { amountCents, txid, text: words } = entry;
  const receipt = { reference, postedAt: paidAt, amountCents, words, ...(txid !== undefined && { txid }) };
  const isNew = await deps.db.transaction(tx => insertUnmatched(tx, receipt, deps.clock.now()));
  return isNew ? 'unmatched' : 'known';
}

/** A day without an hour counts as its noon, which may be yet to come. */
function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}

/**
 * The payment's own id in the pix system, whoever tells it. Without one, what the bank calls the entry, bound to its day
 * and amount, since some banks use their numbers again.
 */
function referenceOf({ endToEndId, reference, postedDay, amountCents }: StatementEntry): string {
  if (endToEndId !== undefined) return endToEndId;
  const long = `${reference} ${postedDay} ${amountCents}`;
  return long.length <= MAX_REFERENCE_LENGTH ? long : createHash('sha256').update(long).digest('hex');
}
