// What was taken is registered a moment later; whoever measures something else waits for that.
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

/** Returns when no charge waits to be registered. */
export function untilRegistered(url: string): Promise<void> {
  return withClient(url, async client => {
    for (let looks = 0; looks < MOST_LOOKS; looks++) {
      const { rowCount } = await client.query(
        `select from pgboss.job where name = 'charge.issue' and state in ('created', 'retry', 'active') limit 1`,
      );
      if (rowCount === 0) return;
      await wait(LOOK_EVERY_MS);
    }
    throw new Error('charges are still waiting to be registered');
  });
}
