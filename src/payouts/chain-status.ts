// How a network stands: what its nodes answer, and what each sender has, owes and may do. For operators.
import { symbolsOn } from '../chains/asset.ts';
import type { Chain, ChainHealth } from '../chains/chain.ts';
import { coinOf, decimalsOf } from '../chains/networks.ts';
import { formatUnits } from '../lib/decimals.ts';
import type { Sql } from '../storage/database.ts';
import { findSender } from './store-senders.ts';

export type ChainStatus = Awaited<ReturnType<typeof readChainStatus>>;

/** Asks the nodes. What none of them answers is absent. */
export async function readChainStatus({ db }: { readonly db: Sql }, chain: Chain) {
  const { network, name, depth, window, senders } = chain;
  const [health, ofSenders] = await Promise.all([
    chain.health(),
    Promise.all(senders.map((_, index) => senderStatus(db, chain, index))),
  ]);
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
    faults: faultsOf(health, ofSenders),
  };
}

async function senderStatus(db: Sql, chain: Chain, index: number) {
  const { network, senders } = chain;
  const address = senders[index] ?? senders[0];
  const coin = coinOf(network);
  const [stored, ...funds] = await Promise.all([
    findSender(db, network, address),
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
    takesSlots: index === 0 && stored?.haltedAt === undefined,
    ...(stored && { nextNonce: String(stored.nextNonce), openSlots: stored.openSlots }),
    ...(stored?.haltedAt && { haltedAt: stored.haltedAt.toISOString() }),
    balances: any ? [amount(any.coin, coin.symbol, coin.decimals), ...assets] : [],
  };
}

/** What is wrong with a network, in words; nothing when all is well. */
function faultsOf(
  { head, providers, fault }: ChainHealth,
  senders: readonly { readonly address: string; readonly haltedAt?: string }[],
): string[] {
  const silent = providers.filter(({ isAnswering }) => !isAnswering);
  return [
    ...(fault === undefined ? [] : [`nothing is sent: ${fault}`]),
    ...(head === undefined ? ['no node answers'] : silent.map(({ name }) => `${name} does not answer`)),
    ...senders.filter(({ haltedAt }) => haltedAt).map(({ address }) => `${address} is halted`),
  ];
}
