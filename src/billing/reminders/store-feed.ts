// The SQL of rules that follow events: of payments, and of charges that failed.
import type { Sql } from '../../storage/database.ts';
import { type RowOf, recordOf } from '../../storage/records.ts';
import type { Rule } from './rule.ts';
import { TRIED } from './tried.ts';

const COLUMNS = 'id, account_id, occasion, days, channels, locale, is_enabled, created_at, updated_at, feed_position';
type FollowingRule = Rule & { readonly feedPosition: bigint };
const toRule = recordOf<FollowingRule>(COLUMNS, ['feedPosition']);

/** One entry of the index by account, which `exists` does not ensure: expecting many unread events, it reads the table until it meets one. */
const HAS_UNREAD = `(select p.account_id = r.account_id from event_positions p
                      where (p.account_id, p.position) > (r.account_id, r.feed_position)
                      order by p.account_id, p.position limit 1)`;

/** Whether an account with such a rule has events that were not looked at, including those without a position. */
export async function hasUnreadEvents(sql: Sql): Promise<boolean> {
  const [row] = await sql.query<{ any: boolean }>(
    `select exists (
       select from reminder_rules r
        where r.feed_position is not null
          and (${HAS_UNREAD} or exists (select from unpositioned_events u where u.account_id = r.account_id))) as any`,
  );
  return row!.any;
}

/** A rule with unread events. The caller holds the sweep lock. */
export async function findRuleWithUnread(tx: Sql): Promise<FollowingRule | undefined> {
  const [row] = await tx.query<RowOf<FollowingRule>>(
    `select ${COLUMNS} from reminder_rules r where r.feed_position is not null and ${HAS_UNREAD} order by r.id limit 1 for update`,
  );
  return row && toRule(row);
}

/** The position of the last event, once those without a position have theirs. */
export async function findEnd(sql: Sql): Promise<bigint> {
  const [row] = await sql.query<{ end: string }>(
    'select position + (select count(*) from unpositioned_events) as end from event_feed',
  );
  return BigInt(row!.end);
}

type SeenEvent = {
  readonly position: bigint;
  readonly type: string;
  /** The charge, its collection, or the subscription of a cycle that no mandate collects. */
  readonly objectId: string;
  /** The charge itself, or that of a collection or a cycle. */
  readonly chargeId: string;
  readonly occurredAt: Date;
};
const toEvent = recordOf<SeenEvent>('position, type, object_id, charge_id, occurred_at', ['position']);

/**
 * The next events of an account of some types, up to a position, in order. A collection counts as failed once the payer's bank has tried it:
 * one that never came there says nothing to a payer, unless it leaves a cycle, whose own event is read.
 */
export async function readUnread(
  tx: Sql,
  { accountId, feedPosition }: FollowingRule,
  types: readonly string[],
  { upTo, limit }: { readonly upTo: bigint; readonly limit: number },
): Promise<SeenEvent[]> {
  const rows = await tx.query<RowOf<SeenEvent>>(
    `select p.position, p.type, coalesce((e.object -> 'cycle' ->> 'collectionId')::uuid, p.object_id) as object_id,
            coalesce((e.object ->> 'chargeId')::uuid, (e.object -> 'cycle' ->> 'chargeId')::uuid, p.object_id) as charge_id,
            e.occurred_at
       from event_positions p join events e on e.id = p.event_id and e.account_id = p.account_id
      where p.account_id = $1 and p.position > $2 and p.position <= $3 and p.type = any($4)
        and (p.type <> 'mandate.collection_failed' or e.object ->> 'status' = any($6))
      order by p.position limit $5`,
    [accountId, feedPosition, upTo, types, limit, TRIED],
  );
  return rows.map(toEvent);
}
