// The subscription that a caller names, when it is one that the caller may see; `accountId` narrows it to one account's.
import { noSuch, requireFound } from '../../lib/errors.ts';
import type { Sql } from '../../storage/database.ts';
import type { Standing } from './life.ts';
import { findSubscription, lockStandings } from './store.ts';
import type { Subscription } from './subscription.ts';
import { withMoney } from './with-money.ts';

export async function requireSubscription(sql: Sql, id: string, accountId?: string): Promise<Subscription> {
  return requireFound(await findSubscription(sql, id, accountId), 'subscription');
}

/** Locks its row until the transaction ends, so that changes of one subscription come one after the other. */
export async function lockSubscription(
  tx: Sql,
  id: string,
  at: Date,
  { accountId, isWhole = false }: { readonly accountId?: string | undefined; readonly isWhole?: boolean },
): Promise<Standing> {
  const standings = await lockStandings(tx, [id], { accountId, isWhole });
  const [standing] = await withMoney(tx, standings, at);
  if (!standing) throw noSuch('subscription');
  return standing;
}
