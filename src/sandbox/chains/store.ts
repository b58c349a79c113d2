// The SQL of the sandbox chains. They are stored in the database, so that every node sees the same chain.
import type { Network } from '../../chains/asset.ts';
import type { SentSymbol } from '../../chains/networks.ts';
import type { Database, Row, Sql } from '../../storage/database.ts';
import type { ChainStore, ChainTransaction } from './simulated-chain.ts';
import type { ChainFault, ChainSimulation, Fork } from './simulation.ts';

/** The chain, joined with the transaction that matches a condition, if there is one. */
const CHAIN_WITH = (condition: string) =>
  `select c.network, fault, behind_blocks, stands_at, forks, sender, nonce, hash, destination, symbol, units, bid, block,
          reverts, kept_units, sent_at
     from sandbox_chains c left join sandbox_chain_transactions t on t.network = c.network and ${condition}
    where c.network = $1`;

/** Uses its own connections, never the caller's transaction. */
export function sandboxChainStore(db: Database): ChainStore {
  async function readWith(
    condition: string,
    values: unknown[],
  ): Promise<{ simulation: ChainSimulation; held?: ChainTransaction }> {
    const [row] = await db.query<SimulationRow & (TransactionRow | { hash: null })>(CHAIN_WITH(condition), values);
    return {
      simulation: toSimulation(row!),
      ...(row!.hash !== null && { held: toTransaction(row as TransactionRow) }),
    };
  }

  return {
    readSimulation: network => readSimulation(db, network),

    readSlot: ({ network, sender, nonce }) => readWith('sender = $2 and nonce = $3', [network, sender, nonce]),

    readHash: (network, hash) => readWith('hash = $2', [network, hash]),

    readLastNonce: async (network, sender) => {
      const [row] = await db.query<SimulationRow & { nonce: string | null }>(
        `select fault, behind_blocks, stands_at, forks,
                (select max(nonce) from sandbox_chain_transactions where network = $1 and sender = $2) as nonce
           from sandbox_chains where network = $1`,
        [network, sender],
      );
      return { simulation: toSimulation(row!), ...(row!.nonce !== null && { nonce: BigInt(row!.nonce) }) };
    },

    keep: (network, arrive) =>
      db.transaction(async tx => {
        const simulation = await readSimulation(tx, network, 'for share');
        const { slot, moves, hash, bid, height, block, reverts, keptUnits, sentAt } = arrive(simulation);
        await tx.query(
          `insert into sandbox_chain_transactions as held
             (network, sender, nonce, hash, destination, symbol, units, bid, block, reverts, kept_units, sent_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
           on conflict (network, sender, nonce) do update
              set (hash, destination, symbol, units, bid, block, reverts, kept_units, sent_at) =
                  (excluded.hash, excluded.destination, excluded.symbol, excluded.units, excluded.bid, excluded.block,
                   excluded.reverts, excluded.kept_units, excluded.sent_at)
            where held.block > $13 and held.bid < excluded.bid`,
          [
            ...[network, slot.sender, slot.nonce, hash, moves?.to, moves?.symbol, moves?.units],
            ...[bid, block, reverts, keptUnits, sentAt, height],
          ],
        );
        return simulation;
      }),

    change: (network, decide) =>
      db.transaction(async tx => {
        const { simulation, replaced } = decide(await readSimulation(tx, network, 'for update'));
        await tx.query(
          'update sandbox_chains set fault = $2, behind_blocks = $3, stands_at = $4, forks = $5 where network = $1',
          [network, simulation.fault, simulation.behind, simulation.standsAt, JSON.stringify(simulation.forks)],
        );
        if (!replaced) return 0;
        const rows = await tx.query(
          'delete from sandbox_chain_transactions where network = $1 and block between $2 and $3 returning hash',
          [network, replaced.first, replaced.last],
        );
        return rows.length;
      }),
  };
}

async function readSimulation(
  sql: Sql,
  network: Network,
  lock: '' | 'for share' | 'for update' = '',
): Promise<ChainSimulation> {
  const [row] = await sql.query<SimulationRow>(
    `select fault, behind_blocks, stands_at, forks from sandbox_chains where network = $1 ${lock}`,
    [network],
  );
  return toSimulation(row!);
}

type SimulationRow = Row & {
  fault: ChainFault;
  behind_blocks: string;
  stands_at: string | null;
  forks: readonly Fork[];
};

function toSimulation({ fault, behind_blocks, stands_at, forks }: SimulationRow): ChainSimulation {
  return { fault, behind: Number(behind_blocks), forks, ...(stands_at !== null && { standsAt: Number(stands_at) }) };
}

type TransactionRow = Row & {
  network: Network;
  sender: string;
  nonce: string;
  hash: string;
  destination: string | null;
  symbol: SentSymbol | null;
  units: string | null;
  bid: string;
  block: string;
  reverts: boolean;
  kept_units: string;
  sent_at: Date;
};

function toTransaction(row: TransactionRow): ChainTransaction {
  const { network, sender, hash, destination: to, symbol, units, reverts } = row;
  return {
    slot: { network, sender, nonce: BigInt(row.nonce) },
    ...(to !== null && symbol !== null && units !== null && { moves: { to, symbol, units: BigInt(units) } }),
    bid: BigInt(row.bid),
    hash,
    block: Number(row.block),
    reverts,
    keptUnits: BigInt(row.kept_units),
    sentAt: row.sent_at,
  };
}
