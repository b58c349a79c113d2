// The SQL of payouts, their attempts and the nonces of each sender.
import assert from 'node:assert/strict';
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Attempt, Sighting } from '../chains/chain.ts';
import type { Row, Sql } from '../storage/database.ts';
import type { Payout, PayoutState } from './payout.ts';

/** Whether the next nonce of a sender is stored. */
export async function isSenderKnown(sql: Sql, network: Network, sender: string): Promise<boolean> {
  const rows = await sql.query('select from chain_senders where network = $1 and sender = $2', [network, sender]);
  return rows.length > 0;
}

/** Stores the next nonce of a sender, unless it is stored. From then on only this row counts, not the answer of a node. */
export async function insertSender(sql: Sql, network: Network, sender: string, nextNonce: bigint): Promise<void> {
  await sql.query(
    'insert into chain_senders (network, sender, next_nonce) values ($1, $2, $3) on conflict do nothing',
    [network, sender, nextNonce],
  );
}

/** Takes the next nonce of a sender. Locks its row: other transactions wait until this one ends. */
export async function takeNonce(tx: Sql, network: Network, sender: string): Promise<bigint> {
  const [row] = await tx.query<{ nonce: string }>(
    `update chain_senders set next_nonce = next_nonce + 1 where network = $1 and sender = $2
     returning next_nonce - 1 as nonce`,
    [network, sender],
  );
  assert(row, 'the next nonce of the sender is stored');
  return BigInt(row.nonce);
}

export async function insertPayout(tx: Sql, payout: Payout, at: Date): Promise<void> {
  await tx.query(
    `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, destination, state,
                          created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
    [
      payout.id,
      payout.accountId,
      payout.orderId,
      payout.network,
      payout.sender,
      payout.nonce,
      payout.symbol,
      payout.units,
      payout.destination,
      payout.state,
      at,
    ],
  );
}

const SELECT_PAYOUT = `
  select p.id, p.account_id, p.order_id, p.network, p.sender, p.nonce, p.symbol, p.units::text as units, p.destination,
         p.state, p.hash, p.block_number, p.block_hash, p.confirmations, p.last_sighting, p.idle_looks,
         (select json_agg(json_build_object(
                   'number', a.number, 'kind', a.kind, 'hash', a.hash, 'raw', a.raw, 'signedAt', a.created_at) order by a.number)
            from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id) as attempts
    from payouts p`;

/** A payout with its attempts. */
export async function findPayout(sql: Sql, id: string, accountId: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(`${SELECT_PAYOUT} where p.id = $1 and p.account_id = $2`, [id, accountId]);
  return row && toPayout(row);
}

/** The newest payout of an order, with its attempts. */
export async function findPayoutOfOrder(sql: Sql, orderId: string, accountId: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.order_id = $1 and p.account_id = $2 order by p.created_at desc, p.id desc limit 1`,
    [orderId, accountId],
  );
  return row && toPayout(row);
}

/** Saves a signed attempt. If an attempt with this number is saved already, that one stays. */
export async function insertAttempt(tx: Sql, payout: Payout, attempt: Attempt): Promise<void> {
  const { number, kind, hash, raw, signedAt } = attempt;
  await tx.query(
    `insert into payout_attempts (payout_id, account_id, number, kind, hash, raw, created_at)
     values ($1, $2, $3, $4, $5, $6, $7)
     on conflict do nothing`,
    [payout.id, payout.accountId, number, kind, hash, raw, signedAt],
  );
}

/** Updates a payout. Without a next lookup it is not looked up any more. */
export async function updatePayout(tx: Sql, payout: Payout, nextLookup: Date | undefined, at: Date): Promise<void> {
  await tx.query(
    `update payouts
        set state = $3, hash = $4, confirmations = $5, last_sighting = $6, idle_looks = $7, next_look_at = $8,
            updated_at = $9, block_number = $10, block_hash = $11
      where id = $1 and account_id = $2`,
    [
      payout.id,
      payout.accountId,
      payout.state,
      payout.hash,
      payout.confirmations,
      payout.lastSighting,
      payout.idleLookups,
      nextLookup,
      at,
      payout.block?.number,
      payout.block?.hash,
    ],
  );
}

export async function setNextLookup(tx: Sql, { id, accountId }: Payout, at: Date): Promise<void> {
  await tx.query('update payouts set next_look_at = $3 where id = $1 and account_id = $2', [id, accountId, at]);
}

/** Takes payouts whose lookup is due, oldest first. A row that another transaction has locked is skipped. */
export async function takeDueLookups(
  tx: Sql,
  until: Date,
  limit: number,
): Promise<{ accountId: string; payoutId: string }[]> {
  const rows = await tx.query<{ id: string; account_id: string }>(
    `with due as materialized (
       select id, account_id from payouts
        where next_look_at <= $1 order by next_look_at, id limit $2 for update skip locked)
     update payouts p set next_look_at = null from due
      where p.id = due.id and p.account_id = due.account_id
      returning p.id, p.account_id`,
    [until, limit],
  );
  return rows.map(row => ({ accountId: row.account_id, payoutId: row.id }));
}

/** The time of the next lookup, up to `until`. */
export async function nextLookupAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date }>(
    'select next_look_at as at from payouts where next_look_at <= $1 order by next_look_at limit 1',
    [until],
  );
  return row?.at;
}

export type WatchedCount = {
  readonly network: string;
  readonly state: string;
  readonly count: number;
  readonly oldestAt: Date;
};

/** Payouts that are still watched, by network and state. Counts the `limit` oldest, so that it costs the same at any size. */
export async function countWatchedPayouts(sql: Sql, limit: number): Promise<WatchedCount[]> {
  const rows = await sql.query<{ network: string; state: string; count: string; oldest_at: Date }>(
    `select network, state, count(*), min(created_at) as oldest_at
       from (select network, state, created_at from payouts
              where state in ('open', 'done') order by created_at limit $1) watched
      group by network, state`,
    [limit],
  );
  return rows.map(row => ({
    network: row.network,
    state: row.state,
    count: Number(row.count),
    oldestAt: row.oldest_at,
  }));
}

type PayoutRow = Row & {
  id: string;
  account_id: string;
  order_id: string;
  network: Network;
  sender: string;
  nonce: string;
  symbol: AssetSymbol;
  units: string;
  destination: string;
  state: PayoutState;
  hash: string | null;
  block_number: string | null;
  block_hash: string | null;
  confirmations: number;
  last_sighting: Sighting['kind'] | null;
  idle_looks: number;
  attempts: (Omit<Attempt, 'signedAt'> & { signedAt: string })[] | null;
};

function toPayout(row: PayoutRow): Payout {
  return {
    id: row.id,
    accountId: row.account_id,
    orderId: row.order_id,
    network: row.network,
    sender: row.sender,
    nonce: BigInt(row.nonce),
    symbol: row.symbol,
    units: BigInt(row.units),
    destination: row.destination,
    state: row.state,
    confirmations: row.confirmations,
    idleLookups: row.idle_looks,
    attempts: (row.attempts ?? []).map(attempt => ({ ...attempt, signedAt: new Date(attempt.signedAt) })),
    ...(row.hash !== null && { hash: row.hash }),
    ...(row.block_number !== null &&
      row.block_hash !== null && { block: { number: Number(row.block_number), hash: row.block_hash } }),
    ...(row.last_sighting !== null && { lastSighting: row.last_sighting }),
  };
}
