// Transfers of a sender that are not in the books and could have paid an owner that still waits. Before a halted sender resumes, each must be
// settled or explained, or the owner would be paid again.
import type { Chain } from '../../chains/chain.ts';
import { coinOf, decimalsOf } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Database } from '../../storage/database.ts';
import { WHAT_TO_DO } from '../line/foreign-slots.ts';
import type { OwnerRecords } from '../owner.ts';
import { readExplanations } from '../store/explanations.ts';
import { findMissingSlots } from '../store/older-books.ts';
import type { Sender } from '../store/senders.ts';
import { unknownOf } from './check-books.ts';
import { slotSubject } from './explanation.ts';
import type { StrangeTransfer } from './record.ts';

/** Clocks of the network and of this service differ a little. */
const MARGIN_MS = 10 * 60_000;
/** Where each block must be read, a person can wait for a day's worth; the logs of a week are read in seconds or minutes. */
const DAY_MS = 24 * 3_600_000;
const LONGEST_MS = { history: DAY_MS, record: 7 * DAY_MS };
const MAX_SHOWN = 10;
const MAX_LIKE = 3;

type Deps = {
  readonly db: Database;
  readonly payoutOwner: Pick<OwnerRecords, 'noun' | 'findLike' | 'hasUnpaidOf' | 'oldestUnpaidAt'>;
};

/** One sentence each. `silent`: no node answers. */
type Objections = readonly string[] | 'silent';

/** Why a sender may not resume yet. `used`: enough providers report that slots below it are used in blocks. */
export async function objectionsTo(
  deps: Deps,
  chain: Chain,
  sender: Sender,
  { haltedAt, used }: { readonly haltedAt: Date; readonly used: bigint },
): Promise<Objections> {
  const left = await readStrangers(deps, chain, sender.sender, haltedAt);
  if (left === 'silent') return left;
  const { strangers, completeUntil } = left;
  const named = await Promise.all(strangers.slice(0, MAX_SHOWN).map(one => sentenceOf(deps, chain, one)));
  const missingMs = completeUntil ? haltedAt.getTime() - completeUntil.getTime() : 0;
  return [
    ...named.map(({ sentence }) => sentence),
    ...(strangers.length > MAX_SHOWN ? [`… and ${strangers.length - MAX_SHOWN} more.`] : []),
    ...(missingMs > 0
      ? [`A transaction signed before the halt may still be mined: try again in ${minutes(missingMs)}.`]
      : []),
    ...(await coinSlots(deps, chain, sender, used)),
  ];
}

/** For a sender with used slots that the books do not have: the database may be older than its first payout. */
export async function judgeFirst(
  deps: Deps,
  chain: Chain,
  sender: string,
  at: Date,
): Promise<{ readonly message: string; readonly at: Date } | 'silent' | undefined> {
  const left = await readStrangers(deps, chain, sender, at);
  if (left === 'silent') return left;
  const named = await Promise.all(left.strangers.map(one => sentenceOf(deps, chain, one)));
  const paying = named.filter(({ maybePaid }) => maybePaid.length > 0).map(({ sentence }) => sentence);
  const doubts = paying.length > 0 ? paying.slice(0, MAX_SHOWN) : await unseenCoin(deps, chain);
  if (doubts.length === 0) return undefined;
  return { at, message: `The books have no payout of the sender. ${doubts.join(' ')} ${WHAT_TO_DO}` };
}

/** A transfer of a coin leaves no log, so a person checks whether one of the used slots paid an owner. */
async function unseenCoin({ db, payoutOwner }: Deps, { network }: Chain): Promise<string[]> {
  const { symbol } = coinOf(network);
  if (!(await payoutOwner.hasUnpaidOf(db, network, symbol))) return [];
  return [
    `It has used slots, and ${payoutOwner.noun}s of ${symbol}, which leaves no log, are open: look at the address in an explorer.`,
  ];
}

type Strangers = { readonly strangers: readonly StrangeTransfer[]; readonly completeUntil?: Date };

/** Transfers since the oldest unpaid owner was made: an older one cannot have paid one of them. */
async function readStrangers(deps: Deps, chain: Chain, sender: string, until: Date): Promise<Strangers | 'silent'> {
  const { network } = chain;
  const oldest = new Date(until.getTime() - (chain.history ? LONGEST_MS.history : LONGEST_MS.record));
  const from = (await deps.payoutOwner.oldestUnpaidAt(deps.db, network, oldest)) ?? until;
  const since = new Date(Math.max(Math.min(from.getTime(), until.getTime()) - MARGIN_MS, oldest.getTime()));
  const [record, history] = await Promise.all([chain.record?.(sender, since), chain.history?.(sender, since)]);
  if ((chain.record && !record) || (chain.history && !history)) return 'silent';
  const own = sender.toLowerCase();
  const left = [...(record?.transfers.filter(one => one.from === own) ?? []), ...(history?.transfers ?? [])];
  const unknown = new Set(await unknownOf(deps, { network, sender }, [...new Set(left.map(({ hash }) => hash))]));
  return {
    strangers: left.filter(({ hash }) => unknown.has(hash)),
    ...(history && { completeUntil: history.completeUntil }),
  };
}

async function sentenceOf(
  { db, payoutOwner }: Deps,
  { network }: Chain,
  { hash, symbol, to, units }: StrangeTransfer,
): Promise<{ readonly sentence: string; readonly maybePaid: readonly string[] }> {
  const quantity = formatUnits(units, decimalsOf(symbol, network));
  const like = await payoutOwner.findLike(db, { network, symbol, quantity, to: to.toLowerCase() }, MAX_LIKE);
  const maybePaid = like.filter(({ isFulfilled }) => !isFulfilled).map(({ id }) => id);
  const may = maybePaid.length === 0 ? '' : `, and may have paid ${payoutOwner.noun} ${maybePaid.join(' or ')}`;
  return { sentence: `${hash} moved ${quantity} ${symbol} to ${to}${may}.`, maybePaid };
}

/** A transfer of a coin leaves no log: only its slot shows it. */
async function coinSlots(
  { db, payoutOwner }: Deps,
  { network }: Chain,
  { sender, nextNonce }: Sender,
  used: bigint,
): Promise<string[]> {
  const { symbol } = coinOf(network);
  if (used === 0n || !(await payoutOwner.hasUnpaidOf(db, network, symbol))) return [];
  const explanations = await readExplanations(db, network, sender);
  const slots = (await findMissingSlots(db, network, sender, { nextNonce, used })).filter(
    slot => !explanations.has(slotSubject(slot)),
  );
  if (slots.length === 0) return [];
  return [
    `Transactions that are not in the books used the slots ${slots.slice(0, MAX_SHOWN).join(', ')}, and ${payoutOwner.noun}s of ${symbol} are open: look at the address in an explorer.`,
  ];
}

function minutes(ms: number): string {
  const count = Math.ceil(ms / 60_000);
  return count === 1 ? 'a minute' : `${count} minutes`;
}
