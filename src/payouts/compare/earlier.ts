// Looks the earlier transfers of an owner up again, before another one is made. The books say that they moved nothing, as nodes
// once said; nodes that were wrong then, and show it now, must stop the second transfer.
import type { Chain, Sighting } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';
import { type Payout, transferOf } from '../payout.ts';
import { findThatMovedNothing } from '../store/earlier.ts';

/** What the chain shows now of payouts that the books have as moving nothing. */
export type EarlierTransfers =
  /** As many nodes as must agree say that no payout moved anything, for good. */
  | { readonly kind: 'moved_nothing' }
  /** One was carried out all the same. */
  | { readonly kind: 'moved'; readonly payout: Payout; readonly hash: string }
  | { readonly kind: 'unknown'; readonly message: string };

/** What the chain shows of the earlier payouts of each owner. */
export async function readEarlier(
  db: Sql,
  chain: Chain,
  ownerIds: readonly string[],
): Promise<ReadonlyMap<string, EarlierTransfers>> {
  const payouts = Map.groupBy(await findThatMovedNothing(db, ownerIds), ({ ownerId }) => ownerId);
  return new Map(
    await Promise.all(ownerIds.map(async id => [id, await lookEarlierUp(chain, payouts.get(id) ?? [])] as const)),
  );
}

const MOVED_NOTHING: EarlierTransfers = { kind: 'moved_nothing' };

/** Asks about every attempt at every payout. */
async function lookEarlierUp(chain: Chain, payouts: readonly Payout[]): Promise<EarlierTransfers> {
  const looked = await Promise.all(payouts.map(payout => lookUp(chain, payout)));
  return looked.find(({ kind }) => kind === 'moved') ?? looked.find(({ kind }) => kind === 'unknown') ?? MOVED_NOTHING;
}

async function lookUp(chain: Chain, payout: Payout): Promise<EarlierTransfers> {
  const { attempts, block } = payout;
  // What was never signed moves nothing.
  if (attempts.length === 0) return MOVED_NOTHING;
  return judged(chain, payout, await chain.lookup(transferOf(payout), attempts, block));
}

function judged({ signVoid }: Chain, payout: Payout, sighting: Sighting): EarlierTransfers {
  switch (sighting.kind) {
    case 'mined':
      if (sighting.outcome === 'transferred' || sighting.outcome === 'mismatched') {
        return { kind: 'moved', payout, hash: sighting.hash };
      }
      return sighting.isFinal ? MOVED_NOTHING : unknown('the nodes do not call its block final');
    case 'taken':
      return MOVED_NOTHING;
    case 'stuck':
      // Where slots are not used up, it is the proof that no attempt can be carried out any more.
      return signVoid ? unknown('its slot is free again') : MOVED_NOTHING;
    case 'unknown':
      return unknown(sighting.message ?? 'no node answers');
    default:
      return unknown('it may still be carried out');
  }
}

function unknown(message: string): EarlierTransfers {
  return { kind: 'unknown', message };
}
