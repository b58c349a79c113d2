// The used slots of a sender: in final blocks, as several providers agree, and right now, as each of them counts.
import type { SlotCounts } from '../chain.ts';
import { readQuantity } from './read.ts';
import { replyValue, type Watch } from './watch.ts';

type Deps = { readonly watch: Watch; readonly quorum: number };

/** The highest count that a quorum confirms: all slots below it are used in final blocks. Undefined when too few providers answer. */
export async function usedSlots({ watch, quorum }: Deps, sender: string): Promise<bigint | undefined> {
  const views = await watch.views(sender);
  const replies = await Promise.all(
    views.map(({ provider }) => provider.ask('eth_getTransactionCount', [sender, 'finalized'], readQuantity)),
  );
  const counts = replies.map(replyValue).filter(count => count !== undefined);
  return counts.toSorted((a, b) => Number(b - a))[quorum - 1];
}

/** From the views that lookups share, so it costs no call while payouts are looked up. */
export async function slotCounts({ watch, quorum }: Deps, sender: string): Promise<SlotCounts> {
  const views = await watch.views(sender);
  const said = views.map(({ provider, head, mined, pooled }) => ({
    provider: provider.name,
    head: head.number,
    mined,
    pooled,
  }));
  return { quorum, said };
}
