// Reads a return file of a bank and books what it says, some entries at a time. The same file again, from any source, is the same
// file; what is booked of it is counted with the entries, so a reading that was cut off goes on where it was.
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
  findReturn,
  findToldBefore,
  finishReturn,
  insertEntries,
  openReturn,
} from './store-returns.ts';

export type ReadDeps = BookDeps & { readonly rails: Rails };

export type ReadReturn = {
  readonly file: BoletoReturn;
  /** Whether it was read to its end before. */
  readonly isKnown: boolean;
};

/** Entries that are booked together: two batches of decisions, or eight of payments. */
const PART_SIZE = 800;
/** A file that is older was sent by mistake. */
const MAX_AGE_DAYS = 366;

/** Throws a CnabError, in one sentence, for a file that is no return of this agreement; then nothing is written. */
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
  if (day === undefined) throw new CnabError('The file names no day, so that it may be of any year.');
  const age = daysBetween(day, today);
  if (age > MAX_AGE_DAYS) throw new CnabError(`The file was made on ${day}, more than a year ago.`);
  if (age < -1) throw new CnabError(`The file was made on ${day}, which is still to come.`);
}

type Agreement = { readonly rail: Rail; readonly files: FileExchange };

function agreementOf(rails: Rails, { bank, header }: ReturnHead, name: string | undefined): Agreement {
  const all = allRails(rails).flatMap(rail => (rail.files ? { rail, files: rail.files } : []));
  const namesOf = (some: readonly Agreement[]) => some.map(({ rail }) => rail.name).join(', ');
  if (name !== undefined) {
    const named = all.find(({ rail }) => rail.name === name);
    if (!named) throw new CnabError(`There is no agreement ${name}; there is ${namesOf(all) || 'none'}.`);
    if (named.files.bank !== bank) {
      throw new CnabError(`The file is of bank ${bank}, and ${name} is an agreement with bank ${named.files.bank}.`);
    }
    // A header that fits no agreement may be filled in a way of the bank's own; agreements may share the folder of a server.
    const owner = named.files.owns(header)
      ? undefined
      : all.find(({ files }) => files.bank === bank && files.owns(header));
    if (owner) throw new CnabError(`The file is of the agreement ${owner.rail.name}, and not of ${name}.`);
    return named;
  }
  const ofBank = all.filter(({ files }) => files.bank === bank);
  if (ofBank.length === 0) throw new CnabError(`The file is of bank ${bank}, with which there is no agreement.`);
  const [owner, ...others] = ofBank.filter(({ files }) => files.owns(header));
  if (!owner) {
    throw new CnabError(
      `The file is of another agreement with bank ${bank} than ${namesOf(ofBank)}: name one if it is not.`,
    );
  }
  if (others.length > 0) throw new CnabError(`The file may be of ${namesOf([owner, ...others])}: name one.`);
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
    // Booked before the reading was cut off.
    if (read <= file.booked) continue;
    part.push({ entry, count, mark: markOf(entry, count) });
    if (part.length === PART_SIZE) await bookPart();
  }
}

async function bookSome(deps: ReadDeps, reading: Reading, part: readonly Marked[]): Promise<BookedEntry[]> {
  const { rail, file } = reading;
  const numbers = part.flatMap(({ entry }) => entry.ourNumber ?? []);
  const [toldBefore, chargeIds] = await Promise.all([
    findToldBefore(
      deps.db,
      file,
      part.map(({ mark }) => mark),
    ),
    findChargesByNumber(deps.db, rail.name, numbers),
  ]);
  const ids = [...new Set(chargeIds.values())];
  const found = await findCharges(deps.db, ids);
  const charges = new Map(found.map(one => [one.id, one]));
  const known = { toldBefore, chargeIds, charges };
  // Entries of one charge in their order, those of different charges at once.
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

/** The group of payments whose titles are no boletos of this service: each in a transaction of its own took minutes. */
const STRANGE_MONEY = 'strange money';
const isPayment = ({ meaning, damage }: ReturnEntry) => meaning === 'paid' && damage === undefined;

async function bookStrangers(
  deps: ReadDeps,
  { rail, fileDay }: Reading,
  group: readonly Marked[],
  { toldBefore }: Known,
): Promise<BookedEntry[]> {
  const told = group.map(({ entry, count, mark }) => {
    return { rail, entry, count, fileDay, isToldBefore: toldBefore.has(mark) };
  });
  const bookings = await bookStrangeMoney(deps, told);
  return group.map(({ entry, mark }, index) => ({ entry, mark, ...bookings[index]! }));
}

/** These are written in batches, so all of a part may be on their way; others need a transaction each. */
const BATCHED: readonly Meaning[] = ['registered', 'rejected', 'paid'];
const MAX_AT_ONCE = 8;

type Known = {
  readonly toldBefore: ReadonlySet<string>;
  readonly chargeIds: ReadonlyMap<string, string>;
  readonly charges: ReadonlyMap<string, Charge>;
};

async function bookGroup(
  deps: ReadDeps,
  { rail, files, fileDay }: Reading,
  group: readonly Marked[],
  { toldBefore, chargeIds, charges }: Known,
): Promise<BookedEntry[]> {
  const chargeId = chargeIds.get(group[0]?.entry.ourNumber ?? '');
  let charge = chargeId === undefined ? undefined : charges.get(chargeId);
  const booked: BookedEntry[] = [];
  for (const { entry, count, mark } of group) {
    // The entry before has changed it.
    if (charge && booked.length > 0) charge = await findCharge(deps.db, charge.id, charge.accountId);
    const own = charge && files.isAbout(entry, paymentRequest(charge, 'boleto')) ? charge : undefined;
    const told = { rail, entry, count, fileDay, isToldBefore: toldBefore.has(mark) };
    const booking = await (own ? bookEntry(deps, told, own) : bookStranger(deps, told));
    booked.push({ entry, mark, ...booking, ...(own && { charge: own }) });
  }
  return booked;
}
