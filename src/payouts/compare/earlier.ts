// Looks up the earlier transfers of an owner again before another one is made. By the books they moved nothing, as nodes reported
// then; if nodes report otherwise now, a second transfer must not be sent.
import type { Chain, Sighting } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';
import { type Payout, transferOf } from '../payout.ts';
import { findThatMovedNothing } from '../store/earlier.ts';

/** What the chain shows now of payouts that moved nothing by the books. */
export type EarlierTransfers =
  /** A quorum of nodes shows, for good, that no payout moved anything. */
  | { readonly kind: 'moved_nothing' }
  /** One was carried out. */
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
  // What was never signed cannot move anything.
  if (attempts.length === 0) return MOVED_NOTHING;
  return judged(chain, payout, await chain.lookup(transferOf(payout), attempts, block));
}

function judged({ signVoid }: Chain, payout: Payout, sighting: Sighting): EarlierTransfers {
  switch (sighting.kind) {
    case 'mined':
      if (sighting.outcome === 'transferred' || sighting.outcome === 'mismatched') {
        return { kind: 'moved', payout, hash: sighting.hash };
      }
      return sighting.isFinal ? MOVED_NOTHING : unknown('its block is not final yet');
    case 'taken':
      return MOVED_NOTHING;
    case 'stuck':
      // Where slots are not used up, this proves that no attempt can be carried out any more.
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
