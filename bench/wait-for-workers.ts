// Registration, the event feed, list counts and the audit log follow a request a moment later. A part that measures something
// else waits for that work to end.
import { setTimeout as wait } from 'node:timers/promises';
import { withClient } from './database-server.ts';

const CHECK_MS = 200;
const MAX_CHECKS = 1_500;

/** The number of charges that their rails have registered or refused. */
export function countRegistered(url: string): Promise<number> {
  return withClient(url, async client => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from charges where state <> 'CREATING'`,
    );
    return rows[0]!.count;
  });
}

const HAS_WORK = `select
  exists (select from pgboss.job where name = 'charge.issue' and state in ('created', 'retry', 'active'))
  or exists (select from unpositioned_events)
  or exists (select from event_readers r, event_feed f where r.position < f.position)
  or exists (select from list_changes where xid >= first_unmerged_xid())
  or exists (select from audit_inbox) as has_work`;

/** Returns when the workers have nothing left to do; fails after five minutes. */
export function waitForWorkers(url: string): Promise<void> {
  return withClient(url, async client => {
    for (let checks = 0; checks < MAX_CHECKS; checks++) {
      const { rows } = await client.query<{ has_work: boolean }>(HAS_WORK);
      if (!rows[0]!.has_work) return;
      await wait(CHECK_MS);
    }
    throw new Error('the workers still have work after five minutes');
  });
}
