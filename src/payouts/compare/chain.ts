// Compares what a sender sent by the books with what the chain shows. Writes nothing but the record of the sender's balances.
import type { Chain, ChainRecord, Sighting } from '../../chains/chain.ts';
import { concurrencyLimit } from '../../lib/concurrency-limit.ts';
import type { Sql } from '../../storage/database.ts';
import type { OwnerRecords } from '../owner.ts';
import { type Payout, sentUnits, transferOf } from '../payout.ts';
import { firstBlockOf, isFirstAdopted, readArrivals, readPayoutsOfSender } from '../store/compare.ts';
import { readExplanations } from '../store/explanations.ts';
import { findUncompared } from '../store/restores.ts';
import { findSender } from '../store/senders.ts';
import { askBalances, compareBalances, type Spent } from './balances.ts';
import {
  balanceNotes,
  coinText,
  compareHistory,
  compareRecord,
  type Found,
  NOTHING,
  nameOf,
  type OwnedTransfer,
  unitsText,
} from './record.ts';

export type SenderComparison = Found & {
  readonly sender: string;
  /** Payouts that a block has decided, and those still under way. */
  readonly settled: number;
  readonly underWay: number;
};

type Deps = { readonly db: Sql; readonly payoutOwner: Pick<OwnerRecords, 'noun'> };

/** The clocks of the database and of the network differ by less than this. */
const CLOCK_MARGIN_MS = 10 * 60_000;
const beforeBackup = ({ asOf }: { readonly asOf: Date }) => new Date(asOf.getTime() - CLOCK_MARGIN_MS);

const PAGE = 500;
const LOOKUPS_AT_ONCE = 50;

/**
 * Compares one sender. What left before its first payout was not sent by the service. Where the books may be older than that, because
 * they have no payout of the sender or recorded one only after it was sent, transfers after `since` are among `strangers`.
 */
export async function compareSender(
  { db, payoutOwner: { noun } }: Deps,
  chain: Chain,
  sender: string,
  since?: Date,
): Promise<SenderComparison> {
  const { network } = chain;
  const first = await firstBlockOf(db, network, sender);
  const from = first?.isAdopted ? (since ?? first.number) : (first?.number ?? since);
  // The chain is read first: bytes are saved before they are sent, so everything it shows is in the books that are read later.
  const restore = await findUncompared(db);
  const record = chain.record && (await chain.record(sender, from));
  const history = restore && chain.history && (await chain.history(sender, beforeBackup(restore)));
  const balances = await askBalances(chain, sender);
  const known = await findSender(db, network, sender);
  const payouts = await readAll(db, chain, sender);
  const inTurn = concurrencyLimit(LOOKUPS_AT_ONCE);
  const signed = payouts.filter(({ attempts }) => attempts.length > 0);
  const looked = await Promise.all(signed.map(payout => inTurn(() => compareOne(chain, payout, noun))));
  const shown = new Set(looked.flatMap(({ isMined, payout }) => (isMined ? [payout] : [])));
  const mayLackFirst = payouts.length === 0 ? since !== undefined : await isFirstAdopted(db, network, sender);
  const explanations = await readExplanations(db, network, sender);
  const books = { payouts, shown, nextNonce: known?.nextNonce, mayLackFirst, explanations, noun };
  const recorded = record ? compareRecord(books, sender, record, chain) : NOTHING;
  const sinceBackup = restore && chain.history ? compareHistory(books, restore, history, chain) : NOTHING;
  // Top-ups from other senders are expected income, so that they hide nothing that left.
  const spent = [...looked.flatMap(one => one.spent), ...(await readArrivals(db, network, sender))];
  // Without an answer for each payout, the expected balance is unknown.
  const isAllKnown = looked.every(one => one.unanswered.length === 0 || one.spent.length > 0);
  // Where nodes keep no record of a sender, nothing else shows what left before the first balance record.
  const needsNote = !chain.record && !restore && (signed.length > 0 || since !== undefined);
  const held = isAllKnown
    ? await compareBalances(db, chain, sender, balances, { spent, explanations, needsNote })
    : NOTHING;
  const found = [...looked, recorded, sinceBackup, held];
  return {
    sender,
    settled: payouts.filter(isSettled).length,
    underWay: payouts.filter(payout => !isSettled(payout)).length,
    differences: found.flatMap(one => one.differences),
    unanswered: [
      ...found.flatMap(one => one.unanswered),
      ...(chain.record && !record ? ['no node shows what left the sender'] : []),
      ...(restore && waitsUnknown(record, known?.nextNonce) ? [POOLED_SINCE_BACKUP] : []),
    ],
    notes: [...recorded.notes, ...(await balanceNotes(chain, sender, record)), ...held.notes],
    moved: found.flatMap(one => one.moved),
    strangers: found.flatMap(one => one.strangers),
  };
}

const POOLED_SINCE_BACKUP =
  'a transaction that is not in the books, made after the backup, waits in the pool of a node; check again once it is in a block';

/** What was signed after the backup and is in no block yet would be sent again in another slot. */
function waitsUnknown(record: ChainRecord | undefined, nextNonce = 0n): boolean {
  return record?.takenSlots !== undefined && record.takenSlots > record.usedSlots && record.takenSlots > nextNonce;
}

/** A sentence for each owner that was paid by more than one transfer, from any sender. */
export function paidTwice(moved: readonly OwnedTransfer[], noun: string): string[] {
  return [...Map.groupBy(moved, ({ ownerId }) => ownerId)].flatMap(([ownerId, transfers]) => {
    const byHash = new Map(transfers.map(transfer => [transfer.hash, transfer]));
    if (byHash.size < 2) return [];
    const amounts = [...byHash.values()].map(
      ({ units, symbol, network, hash }) => `${unitsText(symbol, units, { network })} ${symbol} in ${hash}`,
    );
    return [`${noun} ${ownerId} was paid ${byHash.size} times: ${amounts.join(', ')}`];
  });
}

async function readAll(db: Sql, { network }: Chain, sender: string): Promise<Payout[]> {
  const payouts: Payout[] = [];
  for (;;) {
    const page = await readPayoutsOfSender(db, network, sender, payouts.at(-1), PAGE);
    payouts.push(...page);
    if (page.length < PAGE) return payouts;
  }
}

/** By the books its outcome is decided, or it has arrived. */
function isSettled({ state }: Payout): boolean {
  return state !== 'open';
}

const OUTCOMES = {
  done: 'transferred',
  final: 'transferred',
  reverted: 'reverted',
  mismatched: 'mismatched',
  voided: 'voided',
} as const satisfies Record<Exclude<Payout['state'], 'open'>, Extract<Sighting, { kind: 'mined' }>['outcome']>;

type Looked = Found & {
  readonly payout: Payout;
  readonly isMined: boolean;
  /** What it took from the sender: by the chain, or by the books while the chain does not answer. */
  readonly spent: readonly Spent[];
};

/**
 * Compares one payout with its chain: what moved, in which transaction, at which fee. A payout that was given up or is under way is
 * looked up too, since crypto may have left.
 */
async function compareOne(chain: Chain, payout: Payout, noun: string): Promise<Looked> {
  const sighting = await chain.lookup(transferOf(payout), payout.attempts, payout.block);
  const name = `${nameOf(payout, noun)}, slot ${payout.nonce}`;
  const looked = { ...NOTHING, payout, isMined: false, spent: [] };
  if (sighting.kind === 'unknown') {
    return { ...looked, spent: spentByBooks(payout), unanswered: [`${name}: ${sighting.message ?? 'no answer'}`] };
  }
  if (sighting.kind !== 'mined') {
    const message = `${name}: the books have ${payout.state} in ${payout.hash}, the chain has no such transaction`;
    const isMissing = isSettled(payout) && payout.hash !== undefined;
    return isMissing ? { ...looked, differences: [message] } : looked;
  }
  const moved = await movedIn(chain, payout, sighting);
  const differences = payout.state === 'open' ? [] : differencesOf(chain, payout, payout.state, sighting);
  const { leftUnits, feeUnits, block } = sighting;
  const spent = [{ symbol: payout.symbol, block: block.number, leftUnits, feeUnits }];
  return { ...looked, isMined: true, moved, spent, differences: differences.map(message => `${name}: ${message}`) };
}

function spentByBooks(payout: Payout): Spent[] {
  const { symbol, block, feeUnits = 0n } = payout;
  return block && isSettled(payout) ? [{ symbol, block: block.number, leftUnits: sentUnits(payout), feeUnits }] : [];
}

type Mined = Extract<Sighting, { readonly kind: 'mined' }>;

function differencesOf(
  chain: Chain,
  payout: Payout,
  state: keyof typeof OUTCOMES,
  { hash, outcome, leftUnits, feeUnits }: Mined,
): string[] {
  const { symbol } = payout;
  const compared = [
    ['the transaction', payout.hash ?? 'missing', hash],
    ['the outcome', OUTCOMES[state], outcome],
    ['what left', unitsText(symbol, sentUnits(payout), chain), unitsText(symbol, leftUnits, chain)],
    ['the fee', coinText(payout.feeUnits ?? 0n, chain), coinText(feeUnits, chain)],
  ] as const;
  return compared.flatMap(([what, books, found]) =>
    books === found ? [] : [`${what} is ${books} in the books and ${found} on the chain`],
  );
}

/** The transfers that the attempts at a payout made. Where attempts do not share a slot, several of them may have moved crypto. */
async function movedIn(chain: Chain, payout: Payout, sighting: Mined): Promise<OwnedTransfer[]> {
  const { ownerId, network, symbol, attempts } = payout;
  if (ownerId === undefined) return [];
  const isOneSighting = sighting.outcome !== 'mismatched' || attempts.length === 1;
  const sightings = isOneSighting
    ? [sighting]
    : await Promise.all(attempts.map(attempt => chain.lookup(transferOf(payout), [attempt])));
  return sightings.flatMap(one =>
    one.kind === 'mined' && one.leftUnits > 0n
      ? [{ ownerId, network, symbol, hash: one.hash, units: one.leftUnits }]
      : [],
  );
}
