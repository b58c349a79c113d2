// The SQL of senders: their next nonce, their open slots, and whether they may take another.
import assert from 'node:assert/strict';
import type { Network } from '../../chains/asset.ts';
import { SENT_SYMBOLS, type SentSymbol } from '../../chains/networks.ts';
import type { Row, Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';

/** A sender with its open slots, from one snapshot. */
export type Sender = {
  readonly network: Network;
  readonly sender: string;
  readonly nextNonce: bigint;
  readonly haltedAt?: Date;
  readonly openSlots: number;
  /** Smallest units of the payouts in those slots, by asset. */
  readonly openUnits: { readonly [S in SentSymbol]?: bigint };
};

/** Undefined until the next nonce of the sender is stored. */
export async function findSender(sql: Sql, network: Network, sender: string): Promise<Sender | undefined> {
  const [row] = await sql.query<SenderRow>(
    `select s.next_nonce, s.halted_at, coalesce(sum(open.slots), 0)::int as slots,
            json_object_agg(open.symbol, open.units) filter (where open.symbol is not null) as units
       from chain_senders s
       left join lateral (
         select p.symbol, count(*) as slots, sum(p.units)::text as units from payouts p
          where p.network = s.network and p.sender = s.sender and p.state in ('open', 'done') and p.block_number is null
          group by p.symbol) open on true
      where s.network = $1 and s.sender = $2
      group by s.network, s.sender`,
    [network, sender],
  );
  return (
    row && {
      network,
      sender,
      nextNonce: BigInt(row.next_nonce),
      openSlots: row.slots,
      openUnits: unitsIn(row.units ?? {}),
      ...(row.halted_at !== null && { haltedAt: row.halted_at }),
    }
  );
}

type SenderRow = Row & {
  next_nonce: string;
  halted_at: Date | null;
  slots: number;
  units: { readonly [S in SentSymbol]?: string } | null;
};

function unitsIn(texts: NonNullable<SenderRow['units']>): Sender['openUnits'] {
  return Object.fromEntries(SENT_SYMBOLS.map(symbol => [symbol, BigInt(texts[symbol] ?? 0)]));
}

/** Unsigned slots of each sender of a network. */
export async function countUnsigned(sql: Sql, network: Network): Promise<ReadonlyMap<string, number>> {
  const rows = await sql.query<{ sender: string; count: number }>(
    `select sender, count(*)::int as count from payouts p
      where network = $1 and state in ('open', 'done') and block_number is null
        and not exists (select from payout_attempts a where a.account_id = p.account_id and a.payout_id = p.id)
      group by sender`,
    [network],
  );
  return new Map(rows.map(({ sender, count }) => [sender, count]));
}

/** Every address that the service has sent from. */
export async function readSenders(sql: Sql): Promise<Pick<Sender, 'network' | 'sender'>[]> {
  return sql.query<Row & Pick<Sender, 'network' | 'sender'>>(
    'select network, sender from chain_senders order by network, sender',
  );
}

/** Stores the next nonce of a new sender. From then on this row is authoritative, not the answer of a node. */
export async function insertSender(sql: Sql, network: Network, sender: string, nextNonce: bigint): Promise<void> {
  await sql.query(
    'insert into chain_senders (network, sender, next_nonce) values ($1, $2, $3) on conflict do nothing',
    [network, sender, nextNonce],
  );
}

type LockedSender = Pick<Sender, 'nextNonce'> & { readonly isHalted: boolean };

/**
 * Locks the senders of a network until the transaction ends, since limits count what all of them send, and returns what may have changed
 * since they were read.
 */
export async function lockNetwork(tx: Sql, network: Network): Promise<ReadonlyMap<string, LockedSender>> {
  const rows = await tx.query<{ sender: string; next_nonce: string; is_halted: boolean }>(
    `select sender, next_nonce, halted_at is not null as is_halted from chain_senders
      where network = $1 order by sender for update`,
    [network],
  );
  return new Map(
    rows.map(row => [row.sender, { nextNonce: BigInt(row.next_nonce), isHalted: row.is_halted }] as const),
  );
}

/** The same, for one sender that is stored. */
export async function lockSender(tx: Sql, { network, sender }: Sender): Promise<LockedSender> {
  const locked = (await lockNetwork(tx, network)).get(sender);
  assert(locked, 'the next nonce of the sender is stored');
  return locked;
}

/** Waits for transactions that hold senders of these networks, and locks the senders until the transaction ends. */
export async function lockSenders(tx: Sql, networks: readonly Network[]): Promise<void> {
  await tx.query('select from chain_senders where network = any($1) order by network, sender for update', [networks]);
}

/** Waits for claims and `lockSenders`, and blocks both until the transaction ends. Concurrent calls of this do not wait. */
export async function keepFromSenders(tx: Sql, network: Network): Promise<void> {
  await tx.query('select from chain_senders where network = $1 order by sender for key share', [network]);
}

/** The caller holds the row lock of the sender. */
export async function setNextNonce(tx: Sql, { network, sender }: Sender, nextNonce: bigint): Promise<void> {
  await tx.query('update chain_senders set next_nonce = $3 where network = $1 and sender = $2', [
    network,
    sender,
    nextNonce,
  ]);
}

/** Schedules the next run of the line of a network, kept with one of its senders. An earlier time stays. */
export async function setNextClaim(sql: Sql, network: Network, at: Date): Promise<void> {
  await sql.query(
    `update chain_senders set next_claim_at = $2
      where network = $1 and sender = (select min(sender) from chain_senders where network = $1)
        and (next_claim_at is null or next_claim_at > $2)`,
    [network, at],
  );
}

/** Takes the lines that are due; returns their networks. */
export async function takeDueClaims(tx: Sql, until: Date): Promise<Network[]> {
  const rows = await tx.query<{ network: Network }>(
    'update chain_senders set next_claim_at = null where next_claim_at <= $1 returning network',
    [until],
  );
  return [...new Set(rows.map(({ network }) => network))];
}

export async function nextClaimAt(sql: Sql, until: Date): Promise<Date | undefined> {
  const [row] = await sql.query<{ at: Date | null }>(
    'select min(next_claim_at) as at from chain_senders where next_claim_at <= $1',
    [until],
  );
  return row?.at ?? undefined;
}

/**
 * Halts a sender: it takes no further slot until it is resumed. `message`: why, and what to do; the text of the first halt stays. False
 * when it was already halted.
 */
export async function haltSender(
  tx: Sql,
  network: Network,
  sender: string,
  at: Date,
  message: string = HALTED,
): Promise<boolean> {
  const rows = await tx.query(
    `update chain_senders set halted_at = $3, halt_words = $4
      where network = $1 and sender = $2 and halted_at is null returning network`,
    [network, sender, at, message],
  );
  return rows.length > 0;
}

/** Records the used slots of a halted sender. When they grow, beyond what the books gave out, the halt begins anew at this moment. */
export async function noteHaltSeen(
  sql: Sql,
  { network, sender }: Pick<Sender, 'network' | 'sender'>,
  slots: bigint,
  at: Date,
): Promise<void> {
  await sql.query(
    `update chain_senders set halt_seen = $3, halted_at = case when halt_seen is not null and next_nonce < $3 then $4 else halted_at end
      where network = $1 and sender = $2 and halted_at is not null and (halt_seen is null or halt_seen < $3)`,
    [network, sender, slots, at],
  );
}

export const HALTED = 'The sender takes no slots: its key was used elsewhere, and an operator has not resumed it.';

/** Halts a sender with used slots that were never given out. */
export async function haltUsedElsewhere(
  tx: Sql,
  network: Network,
  sender: string,
  usedSlots: bigint,
  at: Date,
  message: string,
): Promise<void> {
  await tx.query(
    `update chain_senders set halted_at = $4, halt_words = $5
      where network = $1 and sender = $2 and next_nonce < $3 and halted_at is null`,
    [network, sender, usedSlots, at, message],
  );
}

/**
 * Lets a halted sender take slots again, from the first unused one. Returns how many slots it skips; undefined when it was not halted.
 */
export async function resumeSender(
  tx: Sql,
  network: Network,
  sender: string,
  usedSlots: bigint,
): Promise<number | undefined> {
  const [row] = await tx.query<{ passed: number }>(
    `with before as (
       select next_nonce from chain_senders
        where network = $1 and sender = $2 and halted_at is not null for update)
     update chain_senders s set halted_at = null, halt_words = null, halt_seen = null, next_nonce = greatest(s.next_nonce, $3) from before
      where s.network = $1 and s.sender = $2
      returning (s.next_nonce - before.next_nonce)::int as passed`,
    [network, sender, usedSlots],
  );
  return row?.passed;
}

export type HaltedSender = {
  readonly network: Network;
  readonly sender: string;
  readonly haltedAt: Date;
  readonly words?: string;
};

const HALT_COLUMNS = 'network, sender, halted_at, halt_words as words';
const toHalted = recordOf<HaltedSender>(HALT_COLUMNS);

/** Halted senders, which wait for a person. */
export async function readHalts(sql: Sql): Promise<HaltedSender[]> {
  const rows = await sql.query<RowOf<HaltedSender>>(
    `select ${HALT_COLUMNS} from chain_senders where halted_at is not null order by halted_at, network, sender`,
  );
  return rows.map(toHalted);
}

/** The halted senders of each network, for the metrics. */
export async function countHaltedSenders(sql: Sql): Promise<ReadonlyMap<Network, number>> {
  const rows = await sql.query<{ network: Network; count: number }>(
    'select network, count(*)::int as count from chain_senders where halted_at is not null group by network',
  );
  return new Map(rows.map(({ network, count }) => [network, count]));
}
