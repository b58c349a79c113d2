// Compares what a chain keeps of a sender with the books: used slots, transfers of tokens, balances.
import { NETWORKS_OF, type Network, SYMBOLS } from '../../chains/asset.ts';
import type { Chain, ChainHistory, ChainRecord } from '../../chains/chain.ts';
import { coinOf, decimalsOf, type SentSymbol } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Payout } from '../payout.ts';
import { type Difference, type Explanations, explained, slotSubject, transferSubject } from './explanation.ts';

export type StrangeTransfer = Pick<ChainRecord['transfers'][number], 'hash' | 'symbol' | 'to' | 'units'>;

export type OwnedTransfer = {
  readonly ownerId: string;
  readonly network: Network;
  readonly symbol: SentSymbol;
  readonly hash: string;
  readonly units: bigint;
};

/** What a comparison found. */
export type Found = {
  /** One sentence each. */
  readonly differences: readonly string[];
  /** What the chain did not answer, or cannot know. */
  readonly unanswered: readonly string[];
  /** Facts worth knowing that are no differences: money that came in, balances. */
  readonly notes: readonly string[];
  /** Every transfer to an owner that the chain shows. */
  readonly moved: readonly OwnedTransfer[];
  /** Transfers out of the sender that are not in the books. */
  readonly strangers: readonly StrangeTransfer[];
};
export const NOTHING: Found = { differences: [], unanswered: [], notes: [], moved: [], strangers: [] };

/** The sender in the books. */
type SenderBooks = {
  readonly payouts: readonly Payout[];
  /** The payouts that the chain has shown. */
  readonly shown: ReadonlySet<Payout>;
  readonly nextNonce: bigint | undefined;
  /** The service may have sent something before the first payout of the books: they were restored from a backup. */
  readonly mayLackFirst: boolean;
  readonly explanations: Explanations;
  /** The noun of an owner, for messages. */
  readonly noun: string;
};

/** Everything that left must be in the books: every used slot, and every transfer of a token. */
export function compareRecord(
  { payouts, shown, nextNonce, mayLackFirst, explanations, noun }: SenderBooks,
  sender: string,
  { usedSlots, transfers }: ChainRecord,
  chain: Chain,
): Found {
  const found: Difference[] = [];
  const before = slotsBefore(payouts, usedSlots);
  const notes: string[] = mayLackFirst ? [] : before;
  const unanswered = mayLackFirst ? before.map(message => `${message}; ${LOOK_AT_SLOTS}`) : [];
  if (nextNonce !== undefined && usedSlots > nextNonce) {
    found.push({
      message: `the chain has used the slots below ${usedSlots}, and the books gave out those below ${nextNonce}`,
      subjects: Array.from({ length: Number(usedSlots - nextNonce) }, (_, index) =>
        slotSubject(nextNonce + BigInt(index)),
      ),
    });
  }
  const own = sender.toLowerCase();
  const [left, came] = [transfers.filter(({ from }) => from === own), transfers.filter(({ from }) => from !== own)];
  for (const { hash, symbol, from, units } of came) {
    notes.push(`${unitsText(symbol, units, chain)} ${symbol} came from ${from} in ${hash}`);
  }
  const { strangers, moved, owners } = attributed(payouts, left);
  const seen = new Set([...shown, ...owners]);
  for (const payout of payouts) {
    if (!isTaken(payout, usedSlots) || seen.has(payout)) continue;
    found.push({
      message: `slot ${payout.nonce} of ${nameOf(payout, noun)} was used by a transaction that is not in the books`,
      subjects: [slotSubject(payout.nonce)],
    });
  }
  for (const slot of unknownSlots(payouts, nextNonce, usedSlots)) {
    found.push({
      message: `slot ${slot} was used by a transaction that is not in the books`,
      subjects: [slotSubject(slot)],
    });
  }
  // A sender without payouts in the books may have been used for something else.
  if (nextNonce !== undefined) found.push(...strangers.map(transfer => strangeDifference(transfer, chain)));
  const judged = explained(found, explanations);
  return { differences: judged.differences, unanswered, notes: [...notes, ...judged.notes], moved, strangers };
}

/** Everything that left since a backup must be in the books. For chains where only the history of blocks shows it. */
export function compareHistory(
  { payouts, explanations }: Pick<SenderBooks, 'payouts' | 'explanations'>,
  { asOf, restoredAt }: { readonly asOf: Date; readonly restoredAt: Date },
  history: ChainHistory | undefined,
  chain: Chain,
): Found {
  if (!history)
    return { ...NOTHING, unanswered: [`no node shows all blocks since the backup of ${asOf.toISOString()}`] };
  const { strangers, moved } = attributed(payouts, history.transfers);
  const judged = explained(
    strangers.map(transfer => strangeDifference(transfer, chain)),
    explanations,
  );
  const { completeUntil } = history;
  const missing = restoredAt.getTime() - completeUntil.getTime();
  const unanswered =
    missing > 0
      ? [
          `what was signed before the restore may still get into a block: check again in ${Math.ceil(missing / 60_000)} minutes`,
        ]
      : [];
  return { ...judged, unanswered, moved, strangers };
}

/** Transfers out of the sender: those in the books with their owners, and those that are not. */
function attributed(payouts: readonly Payout[], transfers: readonly StrangeTransfer[]) {
  const byHash = new Map(payouts.flatMap(payout => payout.attempts.map(({ hash }) => [hash, payout] as const)));
  const [strangers, moved, owners]: [StrangeTransfer[], OwnedTransfer[], Payout[]] = [[], [], []];
  for (const { hash, symbol, to, units } of transfers) {
    const owner = byHash.get(hash);
    if (!owner) {
      strangers.push({ hash, symbol, to, units });
      continue;
    }
    owners.push(owner);
    const { ownerId, network } = owner;
    if (ownerId !== undefined) moved.push({ ownerId, network, symbol, hash, units });
  }
  return { strangers, moved, owners };
}

function strangeDifference({ hash, symbol, to, units }: StrangeTransfer, chain: Chain): Difference {
  return {
    message: `${unitsText(symbol, units, chain)} ${symbol} left to ${to} in ${hash}, which is not in the books`,
    subjects: [transferSubject(hash)],
  };
}

function isTaken({ nonce, hash, state, lastSighting }: Payout, usedSlots: bigint): boolean {
  return nonce < usedSlots && hash === undefined && (state === 'voided' || lastSighting === 'taken');
}

const LOOK_AT_SLOTS =
  'they may have moved coin: look at the address in an explorer, and settle each transaction that was paid';

/** Slots below the first one of the books were used by another program, or by the service before these books began. */
function slotsBefore([first]: readonly Payout[], usedSlots: bigint): string[] {
  if (first) return first.nonce > 0n ? [`its slots below ${first.nonce} are not in the books`] : [];
  return usedSlots > 0n ? [`it has used ${usedSlots} slots, and they are not in the books`] : [];
}

/** Used slots that are not in the books: a coin leaves without a log, and only the slot shows it. */
function unknownSlots(payouts: readonly Payout[], nextNonce: bigint | undefined, usedSlots: bigint): bigint[] {
  const [first] = payouts;
  if (!first || nextNonce === undefined) return [];
  const known = new Set(payouts.map(({ nonce }) => nonce));
  const slots: bigint[] = [];
  for (let slot = first.nonce; slot < nextNonce && slot < usedSlots; slot++) {
    if (!known.has(slot)) slots.push(slot);
  }
  return slots;
}

/** The balances of the sender, and those before its first payout as far as the record shows them. */
export async function balanceNotes(chain: Chain, sender: string, record: ChainRecord | undefined): Promise<string[]> {
  const notes: string[] = [];
  const own = sender.toLowerCase();
  for (const symbol of SYMBOLS.filter(one => NETWORKS_OF[one].some(network => network === chain.network))) {
    const funds = await chain.funds(sender, symbol);
    if (!funds) continue;
    const isCoin = coinOf(chain.network).symbol === symbol;
    const moves = isCoin ? [] : (record?.transfers.filter(one => one.symbol === symbol) ?? []);
    const before = moves.reduce((sum, { from, units }) => (from === own ? sum + units : sum - units), funds.asset);
    const has = `it has ${unitsText(symbol, funds.asset, chain)} ${symbol}`;
    notes.push(record && !isCoin ? `${has}, and had ${unitsText(symbol, before, chain)} before its first payout` : has);
  }
  return notes;
}

export function nameOf({ id, ownerId, isTopUp }: Payout, noun: string): string {
  if (ownerId !== undefined) return `${noun} ${ownerId}`;
  return `${isTopUp ? 'top-up' : 'sweep'} ${id}`;
}

export function unitsText(symbol: SentSymbol, units: bigint, { network }: Pick<Chain, 'network'>): string {
  return formatUnits(units, decimalsOf(symbol, network));
}

export function coinText(units: bigint, { network }: Chain): string {
  return formatUnits(units, coinOf(network).decimals);
}
