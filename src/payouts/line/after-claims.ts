// Runs after the commit of a pause or a block: claims and first signatures that began before it have not seen it, so the request
// waits for them before it answers.
import type { Network } from '../../chains/asset.ts';
import type { Queue } from '../../jobs/queue.ts';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { ADVANCE } from '../jobs.ts';
import { findUnsigned } from '../store/due.ts';
import { lockSenders } from '../store/senders.ts';

type Deps = { readonly db: Database; readonly queue: Queue };

/** Once this returns, everything that takes slots or saves first transfers has seen the commit. */
export async function waitForClaims({ db, queue }: Deps, networks: readonly Network[]): Promise<void> {
  await withoutAuditContext(async () => {
    await db.transaction(tx => lockSenders(tx, networks));
    // In a transaction of its own: lookups lock senders after payouts.
    await db.transaction(tx => wakeUnsigned({ queue }, tx, networks));
  });
}

/** Looks up slots without a signature at once, so that their owners show the reason. */
export async function wakeUnsigned(
  { queue }: Pick<Deps, 'queue'>,
  tx: Sql,
  networks: readonly Network[],
): Promise<void> {
  const found = await findUnsigned(tx, networks);
  for (const network of networks) {
    const ids = found.filter(one => one.network === network);
    await queue.enqueue(
      tx,
      ADVANCE[network],
      ids.map(({ accountId, payoutId }) => ({ accountId, payoutId })),
    );
  }
}
