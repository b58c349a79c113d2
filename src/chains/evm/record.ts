// Everything that a sender sent and received, as the network itself records it: the count of its transactions, and the transfer logs of the
// tokens, read in ranges that providers allow.
import type { AssetSymbol } from '../asset.ts';
import type { ChainRecord } from '../chain.ts';
import { TRANSFER_TOPIC, tokenTransfers } from './contracts.ts';
import { newestBlockUntil } from './memory.ts';
import type { Provider } from './provider.ts';
import { readTransferLogs, type TransferLog } from './read.ts';
import type { EvmPlan } from './settings.ts';
import { firstOf, replyValue, type View, type Watch } from './watch.ts';

type Deps = { readonly providers: readonly Provider[]; readonly plan: EvmPlan; readonly watch: Watch };

/** Providers allow 2,000 blocks and more. */
const RANGE_BLOCKS = 2_000n;
/** Ranges that are asked for at the same time. */
const RANGES_AT_ONCE = 20;

/** Undefined when no provider answers every range. */
export async function recordOf(deps: Deps, sender: string, since?: number | Date): Promise<ChainRecord | undefined> {
  const views = await deps.watch.views(sender);
  const [view] = views.toSorted((a, b) => Number(b.head.number - a.head.number));
  if (!view) return undefined;
  const ranges: [bigint, bigint][] = [];
  const first = await firstBlockOf(view, since);
  if (first === undefined) return undefined;
  for (let from = first; from <= view.head.number; from += RANGE_BLOCKS) {
    ranges.push([from, min(from + RANGE_BLOCKS - 1n, view.head.number)]);
  }
  const transfers: ChainRecord['transfers'][number][] = [];
  for (let done = 0; done < ranges.length; done += RANGES_AT_ONCE) {
    const some = ranges.slice(done, done + RANGES_AT_ONCE);
    const found = await Promise.all(some.map(range => transfersIn(deps, sender, range)));
    if (!found.every(one => one !== undefined)) return undefined;
    transfers.push(...found.flat());
  }
  const takenSlots = views.reduce((most, { pooled }) => (pooled > most ? pooled : most), view.mined);
  return { usedSlots: view.mined, takenSlots, transfers };
}

async function firstBlockOf(view: View, since: number | Date | undefined): Promise<bigint | undefined> {
  if (since instanceof Date) return newestBlockUntil(view, since);
  return since === undefined ? view.head.number + 1n : BigInt(since);
}

async function transfersIn(
  { providers, plan }: Deps,
  sender: string,
  [from, to]: readonly [bigint, bigint],
): Promise<ChainRecord['transfers'] | undefined> {
  const tokens = Object.entries(plan.tokens) as [AssetSymbol, { readonly address: string }][];
  const place = { address: tokens.map(([, { address }]) => address), fromBlock: hex(from), toBlock: hex(to) };
  const owner = `0x${sender.slice(2).toLowerCase().padStart(64, '0')}`;
  const ask = (topics: readonly (string | null)[]) =>
    firstOf(providers, async provider =>
      replyValue(await provider.ask('eth_getLogs', [{ ...place, topics }], readTransferLogs)),
    );
  const [out, into] = await Promise.all([ask([TRANSFER_TOPIC, owner]), ask([TRANSFER_TOPIC, null, owner])]);
  if (!out || !into) return undefined;
  // Transfers to ourselves are in both lists.
  const logs = [...out, ...into.filter(log => log.topics[1] !== owner)];
  return logs.flatMap(log => tokens.flatMap(([symbol, { address }]) => transferOf(log, symbol, address)));
}

function transferOf(log: TransferLog, symbol: AssetSymbol, contract: string): ChainRecord['transfers'] {
  return tokenTransfers([log], contract).map(transfer => ({ ...transfer, symbol, hash: log.transactionHash }));
}

const hex = (value: bigint) => `0x${value.toString(16)}`;
const min = (a: bigint, b: bigint) => (a < b ? a : b);
