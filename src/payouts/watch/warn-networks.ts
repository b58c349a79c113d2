// Warns the operator about networks with open work that the settings no longer name.
import { NETWORKS } from '../../chains/asset.ts';
import type { Chains } from '../../chains/chain.ts';
import type { Log } from '../../lib/log.ts';
import type { Sql } from '../../storage/database.ts';
import { networksInUse } from '../line/networks-in-use.ts';
import type { OwnerRecords } from '../owner.ts';

export async function warnOfNetworks(deps: {
  readonly db: Sql;
  readonly chains: Chains;
  readonly log: Log;
  readonly payoutOwner: Pick<OwnerRecords, 'hasWaiting'>;
}): Promise<void> {
  const unnamed = NETWORKS.filter(network => !deps.chains[network]);
  for (const network of await networksInUse(deps, unnamed)) {
    deps.log.warn(
      'a network has payouts that are open or wait in line, but chains in TRILHO_CONFIG does not name it: they wait until it does',
      { network },
    );
  }
}
