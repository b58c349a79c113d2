// The SQL of payouts and their attempts.
import type { AssetSymbol, Network } from '../chains/asset.ts';
import type { Attempt, Sighting } from '../chains/chain.ts';
import type { Row, Sql } from '../storage/database.ts';
import type { Payout, PayoutState } from './payout.ts';

/** Inserts payouts that are looked up from `nextLookupAt` on. */
export async function insertPayouts(tx: Sql, payouts: readonly Payout[], nextLookup: Date, at: Date): Promise<void> {
  await tx.query(
    `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, destination, swept_by,
                          state, next_look_at, created_at, updated_at)
     select id, account_id, order_id, network, sender, nonce, symbol, units, destination, swept_by, 'open', $11, $12, $12
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::numeric[],
                   $9::text[], $10::text[])
         as p (id, account_id, order_id, network, sender, nonce, symbol, units, destination, swept_by)`,
    [
      payouts.map(({ id }) => id),
      payouts.map(({ accountId }) => accountId),
      payouts.map(({ orderId }) => orderId),
      payouts.map(({ network }) => network),
      payouts.map(({ sender }) => sender),
      payouts.map(({ nonce }) => nonce),
      payouts.map(({ symbol }) => symbol),
      payouts.map(({ units }) => units),
      payouts.map(({ destination }) => destination),
      payouts.map(({ sweptBy }) => sweptBy),
      nextLookup,
      at,
    ],
  );
}

/** Reads payouts as `toPayout` takes them. */
export const SELECT_PAYOUT = `
  select p.id, p.account_id, p.order_id, p.network, p.sender, p.nonce, p.symbol, p.units::text as units, p.destination,
         p.state, p.hash, p.block_number, p.block_hash, p.confirmations, p.last_sighting, p.idle_looks,
         p.left_units::text as left_units, p.fee_units::text as fee_units, p.void_requested_at,
         p.swept_by, p.created_at, p.updated_at,
         (select json_agg(json_build_object(
                   'number', a.number, 'kind', a.kind, 'hash', a.hash, 'raw', a.raw, 'signedAt', a.created_at) order by a.number)
            from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id) as attempts
    from payouts p`;

/** A payout with its attempts. */
export async function findPayout(sql: Sql, id: string, accountId: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(`${SELECT_PAYOUT} where p.id = $1 and p.account_id = $2`, [id, accountId]);
  return row && toPayout(row);
}

/** Those of the payouts that exist, by their ids, with their attempts. */
export async function findPayouts(
  sql: Sql,
  wanted: readonly Pick<Payout, 'id' | 'accountId'>[],
): Promise<ReadonlyMap<string, Payout>> {
  const rows = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} join unnest($1::uuid[], $2::text[]) as wanted (id, account_id)
         on wanted.id = p.id and wanted.account_id = p.account_id`,
    [wanted.map(({ id }) => id), wanted.map(({ accountId }) => accountId)],
  );
  return new Map(rows.map(row => [row.id, toPayout(row)]));
}

/** The newest payout of an order, with its attempts. */
export async function findPayoutOfOrder(sql: Sql, orderId: string, accountId: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.order_id = $1 and p.account_id = $2 order by p.created_at desc, p.id desc limit 1`,
    [orderId, accountId],
  );
  return row && toPayout(row);
}

export type NewAttempt = { readonly payout: Payout; readonly attempt: Attempt };

/**
 * Saves signed attempts, and returns the ids of the payouts whose attempt was saved: an attempt of the same number that is
 * saved already stays. No transfer is saved for a slot that was given up.
 */
export async function insertAttempts(tx: Sql, added: readonly NewAttempt[]): Promise<ReadonlySet<string>> {
  const rows = await tx.query<{ payout_id: string }>(
    `insert into payout_attempts (payout_id, account_id, number, kind, hash, raw, created_at)
     select a.payout_id, a.account_id, a.number, a.kind, a.hash, a.raw, a.created_at
       from unnest($1::uuid[], $2::text[], $3::integer[], $4::text[], $5::text[], $6::text[], $7::timestamptz[])
              as a (payout_id, account_id, number, kind, hash, raw, created_at)
       join payouts p on p.id = a.payout_id and p.account_id = a.account_id
      where p.state in ('open', 'done') and (a.kind = 'void') = (p.void_requested_at is not null)
        for share of p
     on conflict do nothing
     returning payout_id`,
    [
      added.map(({ payout }) => payout.id),
      added.map(({ payout }) => payout.accountId),
      added.map(({ attempt }) => attempt.number),
      added.map(({ attempt }) => attempt.kind),
      added.map(({ attempt }) => attempt.hash),
      added.map(({ attempt }) => attempt.raw),
      added.map(({ attempt }) => attempt.signedAt),
    ],
  );
  return new Set(rows.map(row => row.payout_id));
}

export type PayoutUpdate = { readonly payout: Payout; readonly nextLookup: Date | undefined };

/** Updates payouts, each once. Without a next lookup a payout is not looked up any more. */
export async function updatePayouts(tx: Sql, updates: readonly PayoutUpdate[], at: Date): Promise<void> {
  if (updates.length === 0) return;
  const payouts = updates.map(({ payout }) => payout);
  await tx.query(
    `update payouts p
        set state = u.state, hash = u.hash, confirmations = u.confirmations, last_sighting = u.last_sighting,
            idle_looks = u.idle_looks, next_look_at = u.next_look_at, block_number = u.block_number,
            block_hash = u.block_hash, left_units = u.left_units, fee_units = u.fee_units, updated_at = $13
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::integer[],
                   $8::timestamptz[], $9::bigint[], $10::text[], $11::numeric[], $12::numeric[])
              as u (id, account_id, state, hash, confirmations, last_sighting, idle_looks, next_look_at, block_number,
                    block_hash, left_units, fee_units)
      where p.id = u.id and p.account_id = u.account_id`,
    [
      payouts.map(({ id }) => id),
      payouts.map(({ accountId }) => accountId),
      payouts.map(({ state }) => state),
      payouts.map(({ hash }) => hash),
      payouts.map(({ confirmations }) => confirmations),
      payouts.map(({ lastSighting }) => lastSighting),
      payouts.map(({ idleLookups }) => idleLookups),
      updates.map(({ nextLookup }) => nextLookup),
      payouts.map(({ block }) => block?.number),
      payouts.map(({ block }) => block?.hash),
      payouts.map(({ leftUnits }) => leftUnits),
      payouts.map(({ feeUnits }) => feeUnits),
      at,
    ],
  );
}

export async function setNextLookup(tx: Sql, { id, accountId }: Payout, at: Date): Promise<void> {
  await tx.query('update payouts set next_look_at = $3 where id = $1 and account_id = $2', [id, accountId, at]);
}

/** Gives the slot of a payout up. The caller looks the payout up next. */
export async function requestVoid(tx: Sql, { id, accountId }: Payout, at: Date): Promise<void> {
  await tx.query(
    `update payouts set void_requested_at = $3, idle_looks = 0, updated_at = $3
      where id = $1 and account_id = $2 and void_requested_at is null`,
    [id, accountId, at],
  );
}

export type DueLookup = { readonly accountId: string; readonly payoutId: string; readonly network: Network };

/** Takes payouts whose lookup is due, oldest first. A row that another transaction has locked is skipped. */
export async function takeDueLookups(tx: Sql, until: Date, limit: number): Promise<DueLookup[]> {
  const rows = await tx.query<{ id: string; account_id: string; network: Network }>(
    `with due as materialized (
       select id, account_id from payouts
        where next_look_at <= $1 order by next_look_at, id limit $2 for update skip locked)
     update payouts p set next_look_at = null from due
      where p.id = due.id and p.account_id = due.account_id
      returning p.id, p.account_id, p.network`,
    [until, limit],
  );
  return rows.map(row => ({ accountId: row.account_id, payoutId: row.id, network: row.network }));
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

export type PayoutRow = Row & {
  id: string;
  account_id: string;
  order_id: string | null;
  swept_by: string | null;
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
  left_units: string | null;
  fee_units: string | null;
  void_requested_at: Date | null;
  created_at: Date;
  updated_at: Date;
  attempts: (Omit<Attempt, 'signedAt'> & { signedAt: string })[] | null;
};

export function toPayout(row: PayoutRow): Payout {
  return {
    id: row.id,
    accountId: row.account_id,
    network: row.network,
    sender: row.sender,
    nonce: BigInt(row.nonce),
    symbol: row.symbol,
    units: BigInt(row.units),
    destination: row.destination,
    state: row.state,
    confirmations: row.confirmations,
    idleLookups: row.idle_looks,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    attempts: (row.attempts ?? []).map(attempt => ({ ...attempt, signedAt: new Date(attempt.signedAt) })),
    ...(row.order_id !== null && { orderId: row.order_id }),
    ...(row.swept_by !== null && { sweptBy: row.swept_by }),
    ...(row.hash !== null && { hash: row.hash }),
    ...(row.block_number !== null &&
      row.block_hash !== null && { block: { number: Number(row.block_number), hash: row.block_hash } }),
    ...(row.left_units !== null && { leftUnits: BigInt(row.left_units) }),
    ...(row.fee_units !== null && { feeUnits: BigInt(row.fee_units) }),
    ...(row.void_requested_at !== null && { voidRequestedAt: row.void_requested_at }),
    ...(row.last_sighting !== null && { lastSighting: row.last_sighting }),
  };
}
