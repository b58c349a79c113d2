// What left a sender and is not in the books, as far as it could have paid an order that is still open. Before a halted sender goes on
// each such transfer must be settled, or explained: the order would be paid again.
import type { Chain } from '../chains/chain.ts';
import { coinOf, decimalsOf } from '../chains/networks.ts';
import { formatUnits } from '../lib/decimals.ts';
import { unknownOf } from '../payouts/check-books.ts';
import type { StrangeTransfer } from '../payouts/compare-record.ts';
import { slotSubject } from '../payouts/explanation.ts';
import { readExplanations } from '../payouts/store-explanations.ts';
import { findMissingSlots } from '../payouts/store-older-books.ts';
import type { Sender } from '../payouts/store-senders.ts';
import type { Database } from '../storage/database.ts';
import { findOrdersLike } from './store-like.ts';
import { hasUnpaidOf, oldestUnpaidAt } from './store-unpaid.ts';

/** Clocks of the network and of this service differ a little. */
const MARGIN_MS = 10 * 60_000;
/** Where each block must be read a day is as much as a person waits for; logs of a week are read in seconds or minutes. */
const DAY_MS = 24 * 3_600_000;
const LONGEST_MS = { history: DAY_MS, record: 7 * DAY_MS };
const MAX_SHOWN = 10;
const MAX_LIKE = 3;

type Deps = { readonly db: Database };

/** Each a sentence. `silent`: no node answers. */
export type Objections = readonly string[] | 'silent';

/** Why a sender may not go on yet. `used`: slots below it are used in blocks, as enough providers say. */
export async function objectionsTo(
  deps: Deps,
  chain: Chain,
  sender: Sender,
  { haltedAt, used }: { readonly haltedAt: Date; readonly used: bigint },
): Promise<Objections> {
  const { network } = chain;
  const longestMs = chain.history ? LONGEST_MS.history : LONGEST_MS.record;
  const oldest = new Date(haltedAt.getTime() - longestMs);
  const from = (await oldestUnpaidAt(deps.db, network, oldest)) ?? haltedAt;
  const since = new Date(Math.max(Math.min(from.getTime(), haltedAt.getTime()) - MARGIN_MS, oldest.getTime()));
  const own = sender.sender.toLowerCase();
  const [record, history] = await Promise.all([
    chain.record?.(sender.sender, since),
    chain.history?.(sender.sender, since),
  ]);
  if ((chain.record && !record) || (chain.history && !history)) return 'silent';
  const left = [...(record?.transfers.filter(one => one.from === own) ?? []), ...(history?.transfers ?? [])];
  const unknown = new Set(await unknownOf(deps, sender, [...new Set(left.map(({ hash }) => hash))]));
  const strangers = left.filter(({ hash }) => unknown.has(hash));
  const named = await Promise.all(strangers.slice(0, MAX_SHOWN).map(one => sentenceOf(deps, chain, one)));
  const missingMs = history ? haltedAt.getTime() - history.completeUntil.getTime() : 0;
  return [
    ...named,
    ...(strangers.length > MAX_SHOWN ? [`… and ${strangers.length - MAX_SHOWN} more.`] : []),
    ...(missingMs > 0
      ? [`What was signed before the halt may still get into a block: try again in ${minutes(missingMs)}.`]
      : []),
    ...(await coinSlots(deps, chain, sender, used)),
  ];
}

async function sentenceOf(
  { db }: Deps,
  { network }: Chain,
  { hash, symbol, to, units }: StrangeTransfer,
): Promise<string> {
  const quantity = formatUnits(units, decimalsOf(symbol, network));
  const like = await findOrdersLike(db, { network, symbol, quantity, to: to.toLowerCase() }, MAX_LIKE);
  const open = like.filter(({ isFulfilled }) => !isFulfilled).map(({ id }) => id);
  const may = open.length === 0 ? '' : `, and may have paid order ${open.join(' or ')}`;
  return `${hash} moved ${quantity} ${symbol} to ${to}${may}.`;
}

/** A coin leaves without a log: a slot is all that shows it. */
async function coinSlots(
  { db }: Deps,
  { network }: Chain,
  { sender, nextNonce }: Sender,
  used: bigint,
): Promise<string[]> {
  const { symbol } = coinOf(network);
  if (used === 0n || !(await hasUnpaidOf(db, network, symbol))) return [];
  const explanations = await readExplanations(db, network, sender);
  const slots = (await findMissingSlots(db, network, sender, { nextNonce, used })).filter(
    slot => !explanations.has(slotSubject(slot)),
  );
  if (slots.length === 0) return [];
  return [
    `Transactions that are not in the books used the slots ${slots.slice(0, MAX_SHOWN).join(', ')}, and orders of ${symbol} are open: look at the address in an explorer.`,
  ];
}

function minutes(ms: number): string {
  const count = Math.ceil(ms / 60_000);
  return count === 1 ? 'a minute' : `${count} minutes`;
}
