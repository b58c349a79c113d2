// The SQL of recorded balances: what senders had when the books were compared with the chains.
import type { Network } from '../../chains/asset.ts';
import type { Balance } from '../../chains/chain.ts';
import type { Sql } from '../../storage/database.ts';

/** The first record of a block stays: blocks of that depth do not change. */
export async function noteBalance(
  sql: Sql,
  network: Network,
  sender: string,
  symbol: string,
  { block, units }: Balance,
): Promise<void> {
  await sql.query(
    `insert into sender_balances (network, sender, symbol, block_number, units) values ($1, $2, $3, $4, $5)
       on conflict do nothing`,
    [network, sender, symbol, block, units],
  );
}

/** With the oldest block first. */
export async function readBalances(sql: Sql, network: Network, sender: string, symbol: string): Promise<Balance[]> {
  const rows = await sql.query<{ block_number: string; units: string }>(
    `select block_number, units from sender_balances
      where network = $1 and sender = $2 and symbol = $3 order by block_number`,
    [network, sender, symbol],
  );
  return rows.map(({ block_number, units }) => ({ block: Number(block_number), units: BigInt(units) }));
}
