// All SQL of payouts, their attempts and the slots of each sender.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Attempt } from '../chains/chain.ts';
import type { Row, Sql } from '../storage/database.ts';
import type { Payout, PayoutState } from './payout.ts';
import type { Order } from './transaction.ts';

/** True when we know where a sender stands. */
export async function isSenderKnown(sql: Sql, network: Network, sender: string): Promise<boolean> {
  const rows = await sql.query('select from chain_senders where network = $1 and sender = $2', [network, sender]);
  return rows.length > 0;
}

/** Notes where a sender stands, unless that is known: from then on we count, whatever the chain says. */
export async function noteSender(sql: Sql, network: Network, sender: string, nextNonce: bigint): Promise<void> {
  await sql.query(
    'insert into chain_senders (network, sender, next_nonce) values ($1, $2, $3) on conflict do nothing',
    [network, sender, nextNonce],
  );
}

/** Takes the next slot of a sender, for ever; others wait for the transaction to end. */
export async function takeNonce(tx: Sql, network: Network, sender: string): Promise<bigint> {
  const [row] = await tx.query<{ nonce: string }>(
    `update chain_senders set next_nonce = next_nonce + 1 where network = $1 and sender = $2
     returning next_nonce - 1 as nonce`,
    [network, sender],
  );
  if (!row) throw new Error('a sender is noted before it sends');
  return BigInt(row.nonce);
}

export async function insertPayout(tx: Sql, payout: Payout, at: Date): Promise<void> {
  await tx.query(
    `insert into payouts (id, account_id, transaction_id, network, sender, nonce, symbol, units, destination, state,
                          created_at, updated_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $11)`,
    [
      payout.id,
      payout.accountId,
      payout.transactionId,
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

/** The newest payout of an order, with its attempts. */
export async function findPayout(
  sql: Sql,
  { id, accountId }: Pick<Order, 'id' | 'accountId'>,
): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(
    `select p.id, p.account_id, p.transaction_id, p.network, p.sender, p.nonce, p.symbol, p.units::text as units,
            p.destination, p.state, p.hash, p.confirmations, p.idle_looks,
            (select json_agg(json_build_object('number', a.number, 'hash', a.hash, 'raw', a.raw) order by a.number)
               from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id) as attempts
       from payouts p
      where p.transaction_id = $1 and p.account_id = $2
      order by p.created_at desc, p.id desc limit 1`,
    [id, accountId],
  );
  return row && toPayout(row);
}

/** Saves signed bytes, unless an attempt of that number was saved before: then that one counts. */
export async function insertAttempt(tx: Sql, payout: Payout, attempt: Attempt, at: Date): Promise<void> {
  await tx.query(
    `insert into payout_attempts (payout_id, account_id, number, hash, raw, created_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict do nothing`,
    [payout.id, payout.accountId, attempt.number, attempt.hash, attempt.raw, at],
  );
}

export async function updatePayout(tx: Sql, payout: Payout, at: Date): Promise<void> {
  await tx.query(
    `update payouts set state = $3, hash = $4, confirmations = $5, idle_looks = $6, updated_at = $7
      where id = $1 and account_id = $2`,
    [payout.id, payout.accountId, payout.state, payout.hash, payout.confirmations, payout.idleLooks, at],
  );
}

type PayoutRow = Row & {
  id: string;
  account_id: string;
  transaction_id: string;
  network: Network;
  sender: string;
  nonce: string;
  symbol: AssetSymbol;
  units: string;
  destination: string;
  state: PayoutState;
  hash: string | null;
  confirmations: number;
  idle_looks: number;
  attempts: Attempt[] | null;
};

function toPayout(row: PayoutRow): Payout {
  return {
    id: row.id,
    accountId: row.account_id,
    transactionId: row.transaction_id,
    network: row.network,
    sender: row.sender,
    nonce: BigInt(row.nonce),
    symbol: row.symbol,
    units: BigInt(row.units),
    destination: row.destination,
    state: row.state,
    confirmations: row.confirmations,
    idleLooks: row.idle_looks,
    attempts: row.attempts ?? [],
    ...(row.hash !== null && { hash: row.hash }),
  };
}
