// The state of a network for operators: the answers of its nodes, and the funds and slots of each sender.
import { type Network, symbolsOn } from '../../chains/asset.ts';
import { activeSendersOf, type Chain, type ChainHealth, type SlotCount } from '../../chains/chain.ts';
import { coinOf, decimalsOf } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Sql } from '../../storage/database.ts';
import { overruledOf } from '../line/foreign-slots.ts';
import { firstUnused, gapMessage } from '../line/gap.ts';
import { findGap } from '../store/gaps.ts';
import { findSender } from '../store/senders.ts';

export type ChainStatus = Awaited<ReturnType<typeof readChainStatus>>;

/** Asks the nodes. Fields without an answer are absent. */
export async function readChainStatus({ db }: { readonly db: Sql }, chain: Chain) {
  const { network, name, depth, window, senders } = chain;
  const [health, counts, ofSenders] = await Promise.all([
    chain.health(),
    Promise.all(activeSendersOf(chain).map(sender => chain.slotCounts?.(sender))),
    Promise.all(senders.map(sender => senderStatus(db, chain, sender))),
  ]);
  const overruled = counts.flatMap(one => (one ? overruledOf(one) : []));
  const { head, finalityLagMs, providers } = health;
  return {
    network,
    name,
    ...(head !== undefined && { head: String(head) }),
    ...(finalityLagMs !== undefined && { finalityLagSeconds: Math.round(finalityLagMs / 1_000) }),
    confirmationsNeeded: depth,
    window,
    providers,
    senders: ofSenders,
    faults: [...faultsOf(network, health, ofSenders), ...new Set(overruled.map(overruledMessage))],
  };
}

async function senderStatus(db: Sql, chain: Chain, address: string) {
  const { network } = chain;
  const coin = coinOf(network);
  // Before the books: every slot that it counts was given out before.
  const counts = await chain.slotCounts?.(address);
  const unused = counts && firstUnused(counts);
  const [stored, gap, ...funds] = await Promise.all([
    findSender(db, network, address),
    unused === undefined ? [] : findGap(db, network, address, unused),
    ...symbolsOn(network).map(async symbol => ({ symbol, found: await chain.funds(address, symbol) })),
  ]);
  const known = funds.flatMap(({ symbol, found }) => (found ? [{ symbol, ...found }] : []));
  const [any] = known;
  const amount = (units: bigint, symbol: string, decimals: number) => ({
    symbol,
    amount: formatUnits(units, decimals),
  });
  const assets = known
    .filter(({ symbol }) => symbol !== coin.symbol)
    .map(({ symbol, asset }) => amount(asset, symbol, decimalsOf(symbol, network)));
  return {
    address,
    takesSlots: activeSendersOf(chain).includes(address) && stored?.haltedAt === undefined,
    ...(stored && { nextNonce: String(stored.nextNonce), openSlots: stored.openSlots }),
    ...(gap.length > 0 && { missingSlots: gap.map(String) }),
    ...(stored?.haltedAt && { haltedAt: stored.haltedAt.toISOString() }),
    balances: any ? [amount(any.coin, coin.symbol, coin.decimals), ...assets] : [],
  };
}

/** The faults of a network as texts; empty when there are no faults. */
function faultsOf(
  network: Network,
  { head, providers, fault }: ChainHealth,
  senders: readonly { readonly address: string; readonly haltedAt?: string; readonly missingSlots?: string[] }[],
): string[] {
  const silent = providers.filter(({ isAnswering }) => !isAnswering);
  return [
    ...(fault === undefined ? [] : [`nothing is sent: ${fault}`]),
    ...(head === undefined ? ['no node answers'] : silent.map(({ name }) => `${name} does not answer`)),
    ...senders.filter(({ haltedAt }) => haltedAt).map(({ address }) => `${address} is halted`),
    ...senders.flatMap(({ address, missingSlots }) =>
      missingSlots ? gapMessage(network, address, missingSlots.map(BigInt)) : [],
    ),
  ];
}

const overruledMessage = ({ provider }: SlotCount) =>
  `${provider} counts slots of the sender as used that others do not`;
