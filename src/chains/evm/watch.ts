// What each provider sees of the network and of a sender: head, final block, fees and counts, read together and shared by all
// payouts for about half a block. So most lookups cost no call of their own.

import { l1FeeData } from './contracts.ts';
import type { FeeLevel } from './fees.ts';
import type { EvmNetworkFacts } from './network.ts';
import type { Provider, Reply } from './provider.ts';
import { type BlockHead, readHead, readQuantity, readWord } from './read.ts';
import { sharedAnswers } from './shared.ts';

/** What one provider sees of a sender. */
export type View = {
  readonly provider: Provider;
  readonly head: BlockHead;
  /** The block that the network calls final; undefined when the provider does not say. */
  readonly final?: BlockHead;
  /** Transactions of the sender that are mined, and those with what waits in the pool without a gap. */
  readonly mined: bigint;
  readonly pooled: bigint;
};

/** What a transaction costs now. */
type Cost = FeeLevel & {
  /** In wei, for one transfer; 0 where there is no L1 fee. */
  readonly l1Fee: bigint;
};

export type Watch = {
  /** The views of the providers that answer. */
  views(sender: string): Promise<View[]>;
  /**
   * Base fee and L1 fee are those of the first provider that answers: the network charges no more than they are. A tip is paid as bid, so
   * the lowest one that a provider suggests is used.
   */
  cost(): Promise<Cost | undefined>;
};

/** A transfer of a token has about 180 bytes. */
const TRANSFER_BYTES = 200;

type Deps = {
  readonly providers: readonly Provider[];
  readonly facts: EvmNetworkFacts;
  readonly maxAgeMs: number;
  readonly monotonicMs: () => number;
};

export function watchNetwork({ providers, facts, maxAgeMs, monotonicMs }: Deps): Watch {
  const sharedViews = sharedAnswers<View[]>(maxAgeMs, monotonicMs);
  const sharedCost = sharedAnswers<Cost | undefined>(maxAgeMs, monotonicMs);
  return {
    views: sender =>
      sharedViews(sender, async () => {
        const views = await Promise.all(providers.map(provider => view(provider, sender)));
        return views.filter(each => each !== undefined);
      }),
    cost: () =>
      sharedCost('', async () => {
        const said = await Promise.all(providers.map(provider => cost(provider, facts)));
        const costs = said.filter(each => each !== undefined);
        const [first] = costs;
        // Not every node suggests a tip; where no node does, the network's minimum is used.
        return first && { ...first, tip: lowest(costs.flatMap(({ tip }) => tip ?? [])) ?? 0n };
      }),
  };
}

/** The first answer that a provider gives, in their order; undefined when no provider answers. */
export async function firstOf<T>(
  providers: readonly Provider[],
  ask: (provider: Provider) => Promise<T | undefined>,
): Promise<T | undefined> {
  for (const provider of providers) {
    const answer = await ask(provider);
    if (answer !== undefined) return answer;
  }
  return undefined;
}

/** The head comes first, so that a node that answers in order shows no count ahead of it. */
async function view(provider: Provider, sender: string): Promise<View | undefined> {
  const [head, final, mined, pooled] = await Promise.all([
    provider.ask('eth_getBlockByNumber', ['latest', false], readHead),
    provider.ask('eth_getBlockByNumber', ['finalized', false], readHead),
    provider.ask('eth_getTransactionCount', [sender, 'latest'], readQuantity),
    provider.ask('eth_getTransactionCount', [sender, 'pending'], readQuantity),
  ]);
  if (head.kind !== 'value' || head.value === null || mined.kind !== 'value') return undefined;
  return {
    provider,
    head: head.value,
    mined: mined.value,
    // A provider without a pool of its own does not show it.
    pooled: replyValue(pooled) ?? mined.value,
    ...(final.kind === 'value' && final.value !== null && { final: final.value }),
  };
}

type ReportedCost = Omit<Cost, 'tip'> & { readonly tip: bigint | undefined };

async function cost(provider: Provider, { l1FeeOracle }: EvmNetworkFacts): Promise<ReportedCost | undefined> {
  const oracle = { to: l1FeeOracle, data: l1FeeData(TRANSFER_BYTES) };
  const [head, tip, l1Fee] = await Promise.all([
    provider.ask('eth_getBlockByNumber', ['latest', false], readHead),
    provider.ask('eth_maxPriorityFeePerGas', [], readQuantity),
    l1FeeOracle === undefined ? undefined : provider.ask('eth_call', [oracle, 'latest'], readWord),
  ]);
  if (head.kind !== 'value' || head.value === null) return undefined;
  if (l1Fee && l1Fee.kind !== 'value') return undefined;
  return { baseFee: head.value.baseFee, tip: replyValue(tip), l1Fee: l1Fee?.value ?? 0n };
}

export function lowest(values: readonly bigint[]): bigint | undefined {
  return values.toSorted((a, b) => (a < b ? -1 : 1))[0];
}

export function replyValue<T>(reply: Reply<T>): T | undefined {
  return reply.kind === 'value' ? reply.value : undefined;
}
