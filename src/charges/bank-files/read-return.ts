// Reads a return file of a bank and books its entries in batches. The same bytes, from any source, are the same file. The number of
// booked entries commits with the entries, so a reading that was interrupted continues where it stopped.
import { createHash } from 'node:crypto';
import { CnabError, type Meaning, type ReturnEntry, type ReturnHead, readHead } from '@trilho/cnab';
import { currentActor } from '../../lib/audit-context.ts';
import { type CivilDay, civilDay, daysBetween } from '../../lib/civil-days.ts';
import { concurrencyLimit } from '../../lib/concurrency-limit.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { FileExchange, Rail } from '../../rails/rail.ts';
import { allRails, type Rails } from '../../rails/rails.ts';
import { type Charge, paymentRequest } from '../charge.ts';
import { findCharge, findCharges } from '../store/charges.ts';
import { bookEntry, bookStranger } from './book-entry.ts';
import { bookStrangeMoney } from './book-payment.ts';
import type { BookDeps } from './booking.ts';
import { countEqual, markOf } from './entry-mark.ts';
import {
  type BoletoReturn,
  type BookedEntry,
  findChargesByNumber,
  findRepeatedMarks,
  findReturn,
  finishReturn,
  insertEntries,
  openReturn,
} from './store-returns.ts';

export type ReadDeps = BookDeps & { readonly rails: Rails };

export type ReadReturn = {
  readonly file: BoletoReturn;
  /** Whether it had already been read to its end. */
  readonly isKnown: boolean;
};

/** Entries booked together: two batches of decisions, or eight of payments. */
const PART_SIZE = 800;
/** An older file was sent by mistake. */
const MAX_AGE_DAYS = 366;

/** Throws a CnabError and writes nothing if the file is not a return of this agreement. */
export async function readReturn(deps: ReadDeps, bytes: Buffer, agreement?: string): Promise<ReadReturn> {
  const head = readHead(bytes);
  requireRecent(head, civilDay(deps.clock.now()));
  const { rail, files } = agreementOf(deps.rails, head, agreement);
  const receivedAt = deps.clock.now();
  const opened = await deps.db.transaction(tx =>
    openReturn(tx, {
      id: uuidV7(receivedAt),
      rail: rail.name,
      bank: head.bank,
      digest: createHash('sha256').update(bytes).digest('hex'),
      sequence: head.sequence,
      ...(head.day !== undefined && { madeOn: head.day }),
      receivedAt,
      receivedBy: currentActor() ?? 'operator',
    }),
  );
  if (opened.finishedAt) return { file: opened, isKnown: true };
  await bookAll(deps, { rail, files, file: opened, fileDay: head.day }, bytes);
  return { file: (await findReturn(deps.db, opened.id))!, isKnown: false };
}

function requireRecent({ day }: ReturnHead, today: CivilDay): void {
  if (day === undefined) throw new CnabError('The file has no date, so its year is unknown.');
  const age = daysBetween(day, today);
  if (age > MAX_AGE_DAYS) throw new CnabError(`The file was made on ${day}, more than a year ago.`);
  if (age < -1) throw new CnabError(`The file was made on ${day}, which is in the future.`);
}

type Agreement = { readonly rail: Rail; readonly files: FileExchange };

function agreementOf(rails: Rails, { bank, header }: ReturnHead, name: string | undefined): Agreement {
  const all = allRails(rails).flatMap(rail => (rail.files ? { rail, files: rail.files } : []));
  const namesOf = (some: readonly Agreement[]) => some.map(({ rail }) => rail.name).join(', ');
  if (name !== undefined) {
    const named = all.find(({ rail }) => rail.name === name);
    if (!named) throw new CnabError(`There is no agreement ${name}. Configured: ${namesOf(all) || 'none'}.`);
    if (named.files.bank !== bank) {
      throw new CnabError(`The file is from bank ${bank}, but ${name} is an agreement with bank ${named.files.bank}.`);
    }
    // If the header fits no agreement, the bank may fill it in its own way; and agreements may share a server folder.
    const owner = named.files.owns(header)
      ? undefined
      : all.find(({ files }) => files.bank === bank && files.owns(header));
    if (owner) throw new CnabError(`The file belongs to the agreement ${owner.rail.name}, not ${name}.`);
    return named;
  }
  const ofBank = all.filter(({ files }) => files.bank === bank);
  if (ofBank.length === 0)
    throw new CnabError(`The file is from bank ${bank}, and no agreement with that bank is configured.`);
  const [owner, ...others] = ofBank.filter(({ files }) => files.owns(header));
  if (!owner) {
    throw new CnabError(
      `The file does not look like one of ${namesOf(ofBank)}, the agreement with bank ${bank}: name the agreement if it is.`,
    );
  }
  if (others.length > 0) throw new CnabError(`The file may belong to ${namesOf([owner, ...others])}: name one.`);
  return owner;
}

type Reading = Agreement & { readonly file: BoletoReturn; readonly fileDay: CivilDay | undefined };
type Marked = { readonly entry: ReturnEntry; readonly count: number; readonly mark: string };

async function bookAll(deps: ReadDeps, reading: Reading, bytes: Buffer): Promise<void> {
  const { files, file } = reading;
  const countOf = countEqual();
  const entries = files.entries(bytes);
  let part: Marked[] = [];
  let read = 0;
  const bookPart = async () => {
    if (part.length === 0) return;
    const booked = await bookSome(deps, reading, part);
    await deps.db.transaction(tx => insertEntries(tx, file, booked, read));
    part = [];
  };
  for (let next = entries.next(); ; next = entries.next()) {
    if (next.done) {
      await bookPart();
      const { warnings } = next.value;
      await deps.db.transaction(tx => finishReturn(tx, file, warnings, deps.clock.now()));
      return;
    }
    read++;
    const entry = next.value;
    const count = countOf(entry);
    // Already booked before the reading was interrupted.
    if (read <= file.booked) continue;
    part.push({ entry, count, mark: markOf(entry, count) });
    if (part.length === PART_SIZE) await bookPart();
  }
}

async function bookSome(deps: ReadDeps, reading: Reading, part: readonly Marked[]): Promise<BookedEntry[]> {
  const { rail, file } = reading;
  const numbers = part.flatMap(({ entry }) => entry.ourNumber ?? []);
  const [repeatedMarks, chargeIds] = await Promise.all([
    findRepeatedMarks(
      deps.db,
      file,
      part.map(({ mark }) => mark),
    ),
    findChargesByNumber(deps.db, rail.name, numbers),
  ]);
  const ids = [...new Set(chargeIds.values())];
  const found = await findCharges(deps.db, ids);
  const charges = new Map(found.map(one => [one.id, one]));
  const known = { repeatedMarks, chargeIds, charges };
  // Entries of one charge in order; those of different charges concurrently.
  const groups = Map.groupBy(
    part,
    ({ entry }) => chargeIds.get(entry.ourNumber ?? '') ?? (isPayment(entry) ? STRANGE_MONEY : entry.line),
  );
  const limit = concurrencyLimit(MAX_AT_ONCE);
  const booked = await Promise.all(
    [...groups].map(([key, group]) => {
      if (key === STRANGE_MONEY) return bookStrangers(deps, reading, group, known);
      const book = () => bookGroup(deps, reading, group, known);
      const isBatched = typeof key === 'string' && group.every(({ entry }) => BATCHED.includes(entry.meaning));
      return isBatched && group.length === 1 ? book() : limit(book);
    }),
  );
  return booked.flat();
}

/** Payments of titles that are not boletos of this service, as one group: a transaction for each took minutes. */
const STRANGE_MONEY = 'strange money';
const isPayment = ({ meaning, damage }: ReturnEntry) => meaning === 'paid' && damage === undefined;

async function bookStrangers(
  deps: ReadDeps,
  { rail, fileDay }: Reading,
  group: readonly Marked[],
  { repeatedMarks }: Known,
): Promise<BookedEntry[]> {
  const reported = group.map(({ entry, count, mark }) => {
    return { rail, entry, count, fileDay, isRepeated: repeatedMarks.has(mark) };
  });
  const bookings = await bookStrangeMoney(deps, reported);
  return group.map(({ entry, mark }, index) => ({ entry, mark, ...bookings[index]! }));
}

/** These are written in batches, so a whole part may run at once; others need a transaction each. */
const BATCHED: readonly Meaning[] = ['registered', 'rejected', 'paid'];
const MAX_AT_ONCE = 8;

type Known = {
  readonly repeatedMarks: ReadonlySet<string>;
  readonly chargeIds: ReadonlyMap<string, string>;
  readonly charges: ReadonlyMap<string, Charge>;
};

async function bookGroup(
  deps: ReadDeps,
  { rail, files, fileDay }: Reading,
  group: readonly Marked[],
  { repeatedMarks, chargeIds, charges }: Known,
): Promise<BookedEntry[]> {
  const chargeId = chargeIds.get(group[0]?.entry.ourNumber ?? '');
  let charge = chargeId === undefined ? undefined : charges.get(chargeId);
  const booked: BookedEntry[] = [];
  for (const { entry, count, mark } of group) {
    // The entry before may have changed it.
    if (charge && booked.length > 0) charge = await findCharge(deps.db, charge.id, charge.accountId);
    const own = charge && files.isAbout(entry, paymentRequest(charge, 'boleto')) ? charge : undefined;
    const reported = { rail, entry, count, fileDay, isRepeated: repeatedMarks.has(mark) };
    const booking = await (own ? bookEntry(deps, reported, own) : bookStranger(deps, reported));
    booked.push({ entry, mark, ...booking, ...(own && { charge: own }) });
  }
  return booked;
}
