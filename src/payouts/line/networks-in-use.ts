// Networks that still have open work.
import type { Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import type { OwnerRecords } from '../owner.ts';
import { findWatchedNetworks } from '../store/due.ts';

type Deps = { readonly db: Sql; readonly payoutOwner: Pick<OwnerRecords, 'hasWaiting'> };

/** The networks that have payouts to look up, or a line with waiting payouts. */
export async function networksInUse({ db, payoutOwner }: Deps, networks: readonly Network[]): Promise<Network[]> {
  if (networks.length === 0) return [];
  const watched = await findWatchedNetworks(db, networks);
  const isInUse = await Promise.all(
    networks.map(async network => watched.includes(network) || payoutOwner.hasWaiting(db, network)),
  );
  return networks.filter((_, index) => isInUse[index]);
}
