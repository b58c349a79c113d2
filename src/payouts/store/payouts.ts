// The SQL of payouts and their attempts.
import type { Network } from '../../chains/asset.ts';
import type { Attempt, Place, Sighting } from '../../chains/chain.ts';
import type { SentSymbol } from '../../chains/networks.ts';
import type { Row, Sql } from '../../storage/database.ts';
import type { Payout, PayoutState, UnsignedReason } from '../payout.ts';

/** Inserts payouts that are looked up from `nextLookupAt` on. */
export async function insertPayouts(tx: Sql, payouts: readonly Payout[], nextLookup: Date, at: Date): Promise<void> {
  await tx.query(
    `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, destination, swept_by,
                          chain_id, token, is_test, sent_at, requested_by, is_top_up, state, next_look_at, created_at, updated_at)
     select id, account_id, order_id, network, sender, nonce, symbol, units, destination, swept_by, chain_id, token, is_test,
            sent_at, requested_by, is_top_up, 'open', $17, $18, $18
       from unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::text[], $8::numeric[],
                   $9::text[], $10::text[], $11::bigint[], $12::text[], $13::boolean[], $14::timestamptz[], $15::text[], $16::boolean[])
         as p (id, account_id, order_id, network, sender, nonce, symbol, units, destination, swept_by, chain_id, token, is_test,
               sent_at, requested_by, is_top_up)`,
    [
      payouts.map(({ id }) => id),
      payouts.map(({ accountId }) => accountId),
      payouts.map(({ ownerId }) => ownerId),
      payouts.map(({ network }) => network),
      payouts.map(({ sender }) => sender),
      payouts.map(({ nonce }) => nonce),
      payouts.map(({ symbol }) => symbol),
      payouts.map(({ units }) => units),
      payouts.map(({ destination }) => destination),
      payouts.map(({ sweptBy }) => sweptBy),
      payouts.map(({ place }) => place?.chainId),
      payouts.map(({ place }) => place?.token),
      payouts.map(({ place }) => place?.isTest),
      payouts.map(({ sentAt }) => sentAt),
      payouts.map(({ requestedBy }) => requestedBy),
      payouts.map(({ isTopUp = false }) => isTopUp),
      nextLookup,
      at,
    ],
  );
}

/** Selects the columns that `toPayout` reads. */
export const SELECT_PAYOUT = `
  select p.id, p.account_id, p.order_id, p.network, p.sender, p.nonce, p.symbol, p.units::text as units, p.destination,
         p.state, p.hash, p.block_number, p.block_hash, p.confirmations, p.last_sighting, p.idle_looks,
         p.left_units::text as left_units, p.fee_units::text as fee_units, p.void_requested_at, p.unsigned_reason,
         p.swept_by, p.is_gap_fill, p.is_top_up, p.chain_id, p.token, p.is_test, p.sent_at, p.contradicted_at, p.created_at, p.updated_at,
         (select json_agg(json_build_object(
                   'number', a.number, 'kind', a.kind, 'hash', a.hash, 'raw', a.raw, 'signedAt', a.created_at) order by a.number)
            from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id) as attempts
    from payouts p`;

/** A payout with its attempts. */
export async function findPayout(sql: Sql, id: string, accountId: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(`${SELECT_PAYOUT} where p.id = $1 and p.account_id = $2`, [id, accountId]);
  return row && toPayout(row);
}

/** Payouts by their ids, with their attempts; missing ones are absent. */
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

/** The payout of an owner that may have moved something, of which there is at most one, or the newest. With its attempts. */
export async function findPayoutOfOwner(sql: Sql, ownerId: string, accountId: string): Promise<Payout | undefined> {
  const [row] = await sql.query<PayoutRow>(
    `${SELECT_PAYOUT} where p.order_id = $1 and p.account_id = $2
      order by p.state not in ('reverted', 'voided') desc, p.created_at desc, p.id desc limit 1`,
    [ownerId, accountId],
  );
  return row && toPayout(row);
}

export type NewAttempt = { readonly payout: Payout; readonly attempt: Attempt };

/**
 * Saves signed attempts, and returns the ids of the payouts whose attempt was saved: an existing attempt of the same number stays. No
 * transfer is saved for a slot that was given up.
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

/** Updates payouts, each once. A payout without a next lookup is not looked up any more. */
export async function updatePayouts(tx: Sql, updates: readonly PayoutUpdate[], at: Date): Promise<void> {
  if (updates.length === 0) return;
  const payouts = updates.map(({ payout }) => payout);
  await tx.query(
    `update payouts p
        set state = u.state, hash = u.hash, confirmations = u.confirmations, last_sighting = u.last_sighting,
            idle_looks = u.idle_looks, next_look_at = u.next_look_at, block_number = u.block_number,
            block_hash = u.block_hash, left_units = u.left_units, fee_units = u.fee_units,
            sent_at = coalesce(p.sent_at, u.sent_at), contradicted_at = u.contradicted_at,
            void_requested_at = coalesce(p.void_requested_at, u.void_requested_at), unsigned_reason = u.unsigned_reason,
            updated_at = $17
       from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::integer[], $6::text[], $7::integer[],
                   $8::timestamptz[], $9::bigint[], $10::text[], $11::numeric[], $12::numeric[], $13::timestamptz[],
                   $14::timestamptz[], $15::timestamptz[], $16::text[])
              as u (id, account_id, state, hash, confirmations, last_sighting, idle_looks, next_look_at, block_number,
                    block_hash, left_units, fee_units, sent_at, contradicted_at, void_requested_at, unsigned_reason)
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
      payouts.map(({ sentAt }) => sentAt),
      payouts.map(({ contradictedAt }) => contradictedAt),
      payouts.map(({ voidRequestedAt }) => voidRequestedAt),
      payouts.map(({ unsignedReason }) => unsignedReason),
      at,
    ],
  );
}

/** Records when the bytes of payouts were first handed to a node. */
export async function markSent(sql: Sql, ids: readonly string[], at: Date): Promise<void> {
  await sql.query('update payouts set sent_at = $2 where id = any($1) and sent_at is null', [ids, at]);
}

export async function setNextLookup(tx: Sql, { id, accountId }: Payout, at: Date): Promise<void> {
  await tx.query('update payouts set next_look_at = $3 where id = $1 and account_id = $2', [id, accountId, at]);
}

/** An operator gives up the slot of a payout, regardless of an earlier reason. The caller schedules a lookup. */
export async function requestVoid(tx: Sql, { id, accountId }: Payout, at: Date): Promise<void> {
  await tx.query(
    `update payouts set void_requested_at = coalesce(void_requested_at, $3), unsigned_reason = null, idle_looks = 0, updated_at = $3
      where id = $1 and account_id = $2`,
    [id, accountId, at],
  );
}

export type PayoutRow = Row & {
  id: string;
  account_id: string;
  order_id: string | null;
  swept_by: string | null;
  is_gap_fill: boolean;
  is_top_up: boolean;
  network: Network;
  sender: string;
  nonce: string;
  symbol: SentSymbol;
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
  unsigned_reason: UnsignedReason | null;
  chain_id: string | null;
  token: string | null;
  is_test: boolean | null;
  sent_at: Date | null;
  contradicted_at: Date | null;
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
    ...(row.order_id !== null && { ownerId: row.order_id }),
    ...(row.swept_by !== null && { sweptBy: row.swept_by }),
    ...(row.is_gap_fill && { isGapFill: true }),
    ...(row.is_top_up && { isTopUp: true }),
    ...(row.hash !== null && { hash: row.hash }),
    ...(row.block_number !== null &&
      row.block_hash !== null && { block: { number: Number(row.block_number), hash: row.block_hash } }),
    ...(row.left_units !== null && { leftUnits: BigInt(row.left_units) }),
    ...(row.fee_units !== null && { feeUnits: BigInt(row.fee_units) }),
    ...(row.void_requested_at !== null && { voidRequestedAt: row.void_requested_at }),
    ...(row.unsigned_reason !== null && { unsignedReason: row.unsigned_reason }),
    ...(row.last_sighting !== null && { lastSighting: row.last_sighting }),
    ...(row.sent_at !== null && { sentAt: row.sent_at }),
    ...(row.contradicted_at !== null && { contradictedAt: row.contradicted_at }),
    ...(row.is_test !== null && { place: placeOf(row, row.is_test) }),
  };
}

function placeOf({ chain_id, token }: PayoutRow, isTest: boolean): Place {
  return {
    isTest,
    ...(chain_id !== null && { chainId: Number(chain_id) }),
    ...(token !== null && { token }),
  };
}
