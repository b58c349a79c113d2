// All SQL of the chains of a sandbox: their memory in the database, where every node sees the same chain.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { ChainMemory, Held } from '../chains/sandbox.ts';
import { heightAt, type Sky, type Weather } from '../chains/sandbox-sky.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database, Row, Sql } from '../storage/database.ts';

/** The chain and, beside it, the transaction that a condition finds, when it finds one. */
const CHAIN_WITH = (condition: string) =>
  `select c.network, weather, behind_blocks, stands_at, sender, nonce, hash, destination, symbol, units, bid, block, reverts,
          sent_at
     from sandbox_chains c left join sandbox_chain_transactions t on t.network = c.network and ${condition}
    where c.network = $1`;

/** Writes on connections of its own, never inside a caller's transaction. */
export function sandboxChainMemory(db: Database): ChainMemory {
  async function readHeld(condition: string, values: unknown[]): Promise<{ sky: Sky; held?: Held }> {
    const [row] = await db.query<SkyRow & (HeldRow | { hash: null })>(CHAIN_WITH(condition), values);
    return { sky: toSky(row!), ...(row!.hash !== null && { held: toHeld(row as HeldRow) }) };
  }

  return {
    readSky: network => readSky(db, network),

    readSlot: ({ network, sender, nonce }) => readHeld('sender = $2 and nonce = $3', [network, sender, nonce]),

    readHash: (network, hash) => readHeld('hash = $2', [network, hash]),

    readLastNonce: async (network, sender) => {
      const [row] = await db.query<SkyRow & { nonce: string | null }>(
        `select weather, behind_blocks, stands_at,
                (select max(nonce) from sandbox_chain_transactions where network = $1 and sender = $2) as nonce
           from sandbox_chains where network = $1`,
        [network, sender],
      );
      return { sky: toSky(row!), ...(row!.nonce !== null && { nonce: BigInt(row!.nonce) }) };
    },

    keep: ({ slot, to, symbol, units, bid, hash }, arrive) =>
      db.transaction(async tx => {
        const sky = await readSky(tx, slot.network, 'for share');
        const { height, block, reverts, sentAt } = arrive(sky);
        await tx.query(
          `insert into sandbox_chain_transactions as held
             (network, sender, nonce, hash, destination, symbol, units, bid, block, reverts, sent_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
           on conflict (network, sender, nonce) do update
              set (hash, destination, symbol, units, bid, block, reverts, sent_at) =
                  (excluded.hash, excluded.destination, excluded.symbol, excluded.units, excluded.bid, excluded.block,
                   excluded.reverts, excluded.sent_at)
            where held.block > $12 and held.bid < excluded.bid`,
          [slot.network, slot.sender, slot.nonce, hash, to, symbol, units, bid, block, reverts, sentAt, height],
        );
        return sky;
      }),

    change: (network, decide) =>
      db.transaction(async tx => {
        const { sky, forget } = decide(await readSky(tx, network, 'for update'));
        await tx.query(
          'update sandbox_chains set weather = $2, behind_blocks = $3, stands_at = $4 where network = $1',
          [network, sky.weather, sky.behind, sky.standsAt],
        );
        if (!forget) return 0;
        const rows = await tx.query(
          'delete from sandbox_chain_transactions where network = $1 and block between $2 and $3 returning hash',
          [network, forget.first, forget.last],
        );
        return rows.length;
      }),
  };
}

/** How often value truly moved: in each slot, and to each destination of each asset. */
export type TransferCounts = {
  readonly perSlot: ReadonlyMap<string, number>;
  readonly perDestination: ReadonlyMap<string, number>;
};

/** Counts what is mined on a chain and did not revert. Slots are called `sender nonce`, destinations `symbol address`. */
export async function countTransfers(
  { db, clock }: { readonly db: Sql; readonly clock: Clock },
  network: Network,
): Promise<TransferCounts> {
  await clock.refresh();
  const height = heightAt(network, await readSky(db, network), clock.now());
  const count = async (columns: string) => {
    const rows = await db.query<{ name: string; count: number }>(
      `select concat_ws(' ', ${columns}) as name, count(*)::int as count
         from sandbox_chain_transactions
        where network = $1 and block <= $2 and not reverts
        group by ${columns} order by ${columns}`,
      [network, height],
    );
    return new Map(rows.map(row => [row.name, row.count]));
  };
  return { perSlot: await count('sender, nonce'), perDestination: await count('symbol, destination') };
}

async function readSky(sql: Sql, network: Network, lock: '' | 'for share' | 'for update' = ''): Promise<Sky> {
  const [row] = await sql.query<SkyRow>(
    `select weather, behind_blocks, stands_at from sandbox_chains where network = $1 ${lock}`,
    [network],
  );
  return toSky(row!);
}

type SkyRow = Row & { weather: Weather; behind_blocks: string; stands_at: string | null };

function toSky({ weather, behind_blocks, stands_at }: SkyRow): Sky {
  return { weather, behind: Number(behind_blocks), ...(stands_at !== null && { standsAt: Number(stands_at) }) };
}

type HeldRow = Row & {
  network: Network;
  sender: string;
  nonce: string;
  hash: string;
  destination: string;
  symbol: AssetSymbol;
  units: string;
  bid: string;
  block: string;
  reverts: boolean;
  sent_at: Date;
};

function toHeld(row: HeldRow): Held {
  const { network, sender, hash, symbol, reverts } = row;
  return {
    slot: { network, sender, nonce: BigInt(row.nonce) },
    to: row.destination,
    symbol,
    units: BigInt(row.units),
    bid: BigInt(row.bid),
    hash,
    block: Number(row.block),
    reverts,
    sentAt: row.sent_at,
  };
}
