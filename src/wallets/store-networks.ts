// The SQL of networks and their assets, which wallets, quotes and orders refer to.
import { NETWORKS, symbolsOn } from '../chains/asset.ts';
import type { Sql } from '../storage/database.ts';

/** Adds networks and assets that the database does not have yet. A removed network keeps its rows. */
export async function keepNetworks(tx: Sql): Promise<void> {
  const assets = NETWORKS.flatMap(network => symbolsOn(network).map(symbol => ({ symbol, network })));
  await tx.query(
    `with added as (
       insert into networks (network) select unnest($1::text[]) on conflict do nothing
     ), simulated as (
       insert into sandbox_chains (network) select unnest($1::text[]) on conflict do nothing
     )
     insert into network_assets (symbol, network)
     select symbol, network from unnest($2::text[], $3::text[]) as asset (symbol, network)
     on conflict do nothing`,
    [NETWORKS, assets.map(({ symbol }) => symbol), assets.map(({ network }) => network)],
  );
}
