// Transfers that the sandbox chains have mined, counted in their tables.
import type { Network } from '../../src/chains/asset.ts';
import { heightAt } from '../../src/sandbox/chains/simulation.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import type { SandboxClock } from '../../src/sandbox/clock/sandbox-clock.ts';
import type { Database } from '../../src/storage/database.ts';

type Deps = { readonly db: Database; readonly clock: Pick<SandboxClock, 'now' | 'refresh'> };

type TransferCounts = {
  readonly perSlot: ReadonlyMap<string, number>;
  readonly perDestination: ReadonlyMap<string, number>;
};

/** Those that moved something. Slot keys are `sender nonce`, destination keys `symbol address`. */
export async function countTransfers({ db, clock }: Deps, network: Network): Promise<TransferCounts> {
  await clock.refresh();
  const height = heightAt(network, await sandboxChainStore(db).readSimulation(network), clock.now());
  const count = async (columns: string) => {
    const rows = await db.query<{ name: string; count: number }>(
      `select concat_ws(' ', ${columns}) as name, count(*)::int as count
         from sandbox_chain_transactions
        where network = $1 and block <= $2 and not reverts and destination is not null
        group by ${columns} order by ${columns}`,
      [network, height],
    );
    return new Map(rows.map(row => [row.name, row.count]));
  };
  return { perSlot: await count('sender, nonce'), perDestination: await count('symbol, destination') };
}
