// Imports a bank statement: an entry with the txid of a charge pays it, unless it may be a payment that is already known;
// other incoming money is stored for an operator.
import { createHash } from 'node:crypto';
import { type CivilDay, lastSecondOf } from '../../lib/civil-days.ts';
import { earlierOf } from '../../lib/clock.ts';
import { AppError } from '../../lib/errors.ts';
import type { StatementEntry } from '../../rails/statement/statement.ts';
import type { Database } from '../../storage/database.ts';
import type { PossibleDuplicate, RecordedPayment } from '../receive/judge-payment.ts';
import { type PayDeps, recordReadPayment } from '../receive/pay.ts';
import { MAX_REFERENCE_LENGTH, normalReference } from '../receive/payment-reference.ts';
import { type KnownMoney, mayBeSame, type ReadReceipt } from '../receive/same-money.ts';
import { comparable, findChargeByTxid, isRecorded } from '../store/money.ts';
import {
  findKnownMoney,
  findUnmatched,
  insertManyUnmatched,
  insertUnmatched,
  type UnmatchedReceipt,
} from '../unmatched/store.ts';
import { type LookAhead, lookAhead } from './look-ahead.ts';

/** The number of entries by their outcome. */
export type ImportCounts = {
  /** First payments of a charge: of the exact amount, and of another amount. */
  readonly matched: number;
  readonly differing: number;
  /** Payments of a charge that had one. */
  readonly repeated: number;
  /** Kept for an operator: possible duplicates, money that came back, and other money without a charge. */
  readonly duplicate: number;
  readonly returned: number;
  readonly unmatched: number;
  /** Entries that were imported before, and entries that are not incoming money. */
  readonly known: number;
  readonly outgoing: number;
};

export type Import = {
  readonly counts: ImportCounts;
  /** The references of new possible duplicates, each with the one that it may duplicate. */
  readonly duplicates: readonly { readonly reference: string; readonly duplicateOf: string }[];
};

export type ImportDeps = PayDeps & { readonly db: Database };

/** Shared by the entries of one import. */
type Shared = ImportDeps & {
  readonly listed: ReadonlySet<string>;
  knownMoney(amountCents: bigint, day: CivilDay): Promise<readonly KnownMoney[]>;
};

type End = { readonly as: keyof ImportCounts; readonly duplicateOf?: string };

/** Entries looked up and kept together. */
const CHUNK = 500;

/**
 * Imports entries in order. New ones that match no charge are kept many at a time; any other entry has its own transaction. Importing a
 * file again, also after a crash, is safe.
 */
export async function importStatement(deps: ImportDeps, entries: readonly StatementEntry[]): Promise<Import> {
  const counts = {
    matched: 0,
    differing: 0,
    repeated: 0,
    duplicate: 0,
    returned: 0,
    unmatched: 0,
    known: 0,
    outgoing: 0,
  };
  const duplicates: { reference: string; duplicateOf: string }[] = [];
  const shared = { ...deps, listed: new Set(entries.map(referenceOf)), knownMoney: knownMoneyOf(deps) };
  for (let from = 0; from < entries.length; from += CHUNK) {
    const asked = entries.slice(from, from + CHUNK).map(entry => ({ entry, reference: referenceOf(entry) }));
    const ahead = await lookAhead(deps.db, asked);
    const taken = new Set<string>();
    let fresh: UnmatchedReceipt[] = [];
    const keepFresh = async () => {
      const some = fresh;
      fresh = [];
      const kept = await keepMany(shared, some);
      counts.unmatched += kept;
      counts.known += some.length - kept;
    };
    for (const { entry, reference } of asked) {
      const key = comparable(reference);
      const simple = taken.has(key) ? undefined : await simpleEnd(shared, ahead, entry);
      taken.add(key);
      if (simple === 'outgoing' || simple === 'known') counts[simple]++;
      else if (simple) fresh.push(simple);
      else {
        await keepFresh();
        const { as, duplicateOf } = await importEntry(shared, entry);
        counts[as]++;
        if (duplicateOf !== undefined) duplicates.push({ reference, duplicateOf });
      }
    }
    await keepFresh();
  }
  return { counts, duplicates };
}

/** The outcome of most entries: known, or kept since they match no charge. Undefined: the entry needs its own queries. */
async function simpleEnd(
  shared: Shared,
  ahead: LookAhead,
  entry: StatementEntry,
): Promise<'outgoing' | 'known' | UnmatchedReceipt | undefined> {
  const { amountCents, postedDay, txid, isReturn } = entry;
  if (amountCents <= 0n) return 'outgoing';
  if (isReturn || (txid !== undefined && ahead.isCharged(txid))) return undefined;
  const { read, receipt } = readingOf(shared, entry);
  if (ahead.isKept(read.reference)) return 'known';
  if (ahead.isSeen(read.reference)) return undefined;
  const known = ahead.hasMoney(amountCents, postedDay) ? await shared.knownMoney(amountCents, postedDay) : [];
  return known.some(money => mayBeSame(money, read)) ? undefined : { ...receipt, reason: 'no_match' };
}

async function keepMany({ db, clock }: Shared, receipts: readonly UnmatchedReceipt[]): Promise<number> {
  if (receipts.length === 0) return 0;
  return db.transaction(tx => insertManyUnmatched(tx, receipts, clock.now()));
}

/** An entry as it is compared with known money, and as it is kept. */
function readingOf({ listed, clock }: Shared, entry: StatementEntry) {
  const { txid, text, amountCents, postedDay, payerDocument } = entry;
  const reference = referenceOf(entry);
  const read = { reference, amountCents, postedDay, source: 'statement', payerDocument, listed } as const;
  // Without a time of day the payment may have arrived at any hour. Assume the last second, so that a guess never makes it count as in
  // time; for today, that lies in the future.
  const postedAt = earlierOf(entry.postedAt ?? lastSecondOf(postedDay), clock.now());
  return { read, receipt: { reference, postedAt, amountCents, words: text, ...(txid !== undefined && { txid }) } };
}

/**
 * Known money by amount and day, read once: money that this import adds is listed in its own file, so it is never compared.
 */
function knownMoneyOf({ db }: ImportDeps): Shared['knownMoney'] {
  const read = new Map<string, Promise<readonly KnownMoney[]>>();
  return (amountCents, day) => {
    const key = `${amountCents} ${day}`;
    const found = read.get(key) ?? findKnownMoney(db, amountCents, day);
    read.set(key, found);
    return found;
  };
}

async function importEntry(shared: Shared, entry: StatementEntry): Promise<End> {
  if (entry.amountCents <= 0n) return { as: 'outgoing' };
  const { txid, amountCents, postedDay } = entry;
  const { read, receipt } = readingOf(shared, entry);
  const { reference, postedAt } = receipt;
  // Money that came back pays nothing, even if the bank repeats a txid beside it.
  if (entry.isReturn) return keep(shared, { ...receipt, reason: 'returned' });
  const chargeId = txid === undefined ? undefined : await findChargeByTxid(shared.db, txid);
  const paid = chargeId === undefined ? undefined : await payCharge(shared, chargeId, read, postedAt);
  if (paid && 'duplicateOf' in paid) return keep(shared, { ...receipt, reason: 'possible_duplicate', ...paid });
  if (paid) return paid.isNew ? endOf(paid, reference) : { as: 'known' };
  if (await findUnmatched(shared.db, reference)) return { as: 'known' };
  // Where the txid names another charge than the payment is recorded for, a person must see it.
  if (chargeId === undefined && (await isRecorded(shared.db, reference, amountCents))) return { as: 'known' };
  const known = await shared.knownMoney(amountCents, postedDay);
  const same = known.find(money => mayBeSame(money, read));
  if (!same) return keep(shared, { ...receipt, reason: 'no_match' });
  return keep(shared, { ...receipt, reason: 'possible_duplicate', duplicateOf: same.reference });
}

/** Undefined when the charge refuses the payment: an operator decides. */
async function payCharge(
  shared: Shared,
  chargeId: string,
  readFrom: ReadReceipt,
  paidAt: Date,
): Promise<RecordedPayment | PossibleDuplicate | undefined> {
  try {
    const { reference, amountCents } = readFrom;
    const report = { chargeId, method: 'pix' as const, amountCents, paidAt, source: 'statement' as const, reference };
    return await recordReadPayment(shared, { ...report, readFrom });
  } catch (error) {
    // The charge refuses the payment, or the reference belongs to another payment.
    if (error instanceof AppError && ['wrong_state', 'reference_conflict'].includes(error.code)) return undefined;
    throw error;
  }
}

/** The outcome of a new payment of a charge. */
function endOf({ charge }: RecordedPayment, reference: string): End {
  if (charge.payments.find(payment => payment.reference === reference)?.isRepeat) return { as: 'repeated' };
  return { as: charge.paidAmount === 'exact' ? 'matched' : 'differing' };
}

const KEPT_AS = { no_match: 'unmatched', possible_duplicate: 'duplicate', returned: 'returned' } as const;

async function keep({ db, clock }: Shared, receipt: UnmatchedReceipt): Promise<End> {
  const isNew = await db.transaction(tx => insertUnmatched(tx, receipt, clock.now()));
  if (!isNew) return { as: 'known' };
  const { duplicateOf } = receipt;
  return { as: KEPT_AS[receipt.reason], ...(duplicateOf !== undefined && { duplicateOf }) };
}

/**
 * The end-to-end id of the pix payment, which is the same in every report. Without one, the reference of the bank with day
 * and amount, because some banks reuse their numbers.
 */
function referenceOf({ endToEndId, reference, postedDay, amountCents }: StatementEntry): string {
  if (endToEndId !== undefined) return endToEndId;
  const long = normalReference(`${reference} ${postedDay} ${amountCents}`);
  return long.length <= MAX_REFERENCE_LENGTH ? long : createHash('sha256').update(long).digest('hex');
}
