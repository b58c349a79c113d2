// The SQL of lookups that are due.
import type { Network } from '../../chains/asset.ts';
import type { Sql } from '../../storage/database.ts';
import type { PayoutId } from '../jobs.ts';

type DueLookup = { readonly accountId: string; readonly payoutId: string; readonly network: Network };

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

/** More than the windows of all senders together. */
const MAX_UNSIGNED = 1_000;

/** Open payouts without a signature that were not given up. */
export async function findUnsigned(sql: Sql, networks: readonly Network[]): Promise<DueLookup[]> {
  const rows = await sql.query<{ id: string; account_id: string; network: Network }>(
    `select p.id, p.account_id, p.network from payouts p
      where p.network = any($1) and p.state = 'open' and p.block_number is null and p.void_requested_at is null
        and not exists (select from payout_attempts a where a.payout_id = p.id and a.account_id = p.account_id)
      order by p.network, p.sender, p.nonce limit ${MAX_UNSIGNED}`,
    [networks],
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

/** The networks that have payouts to look up. */
export async function findWatchedNetworks(sql: Sql, networks: readonly Network[]): Promise<Network[]> {
  const rows = await sql.query<{ network: Network }>(
    `select network from unnest($1::text[]) as asked (network)
      where exists (select from payouts p where p.network = asked.network and p.state in ('open', 'done'))`,
    [networks],
  );
  return rows.map(({ network }) => network);
}

/** Payouts of a sender whose slots were seen as taken, to be looked up at once, and again soon. */
export async function takeTaken(tx: Sql, network: Network, sender: string): Promise<PayoutId[]> {
  const rows = await tx.query<{ id: string; account_id: string }>(
    `update payouts set idle_looks = 0
      where network = $1 and sender = $2 and state in ('open', 'done') and last_sighting = 'taken'
      returning id, account_id`,
    [network, sender],
  );
  return rows.map(row => ({ accountId: row.account_id, payoutId: row.id }));
}
