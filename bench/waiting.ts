// What was taken is registered, told, counted and sealed a moment later; whoever measures something else waits for that.
import { setTimeout as wait } from 'node:timers/promises';
import { withClient } from './stage.ts';

const LOOK_EVERY_MS = 200;
const MOST_LOOKS = 1_500;

/** How many charges are registered, or as far as they will come. */
export function countRegistered(url: string): Promise<number> {
  return withClient(url, async client => {
    const { rows } = await client.query<{ count: number }>(
      `select count(*)::int as count from charges where state <> 'CREATING'`,
    );
    return rows[0]!.count;
  });
}

/** What the workers still have to do. */
const WORK_LEFT = `select
  exists (select from pgboss.job where name = 'charge.issue' and state in ('created', 'retry', 'active'))
  or exists (select from unplaced_events)
  or exists (select from event_readers r, event_feed f where r.position < f.position)
  or exists (select from list_deltas where xid >= list_fold_low())
  or exists (select from audit_inbox) as any`;

/** Returns when the workers have nothing left to do. */
export function untilQuiet(url: string): Promise<void> {
  return withClient(url, async client => {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const { rows } = await client.query<{ any: boolean }>(WORK_LEFT);
      if (!rows[0]!.any) return;
      await wait(LOOK_EVERY_MS);
    }
    throw new Error('the workers still have something to do');
  });
}
