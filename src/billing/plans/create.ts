// Creates a plan, or finds the one that the same request made before.
import { type FirstOne, type Records, type RequestIdentity, writeOnce } from '../../accounts/once.ts';
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { firstsIn } from '../../accounts/store-first.ts';
import type { Chains } from '../../chains/chain.ts';
import { insertEvents } from '../../events/store.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import type { Clock } from '../../lib/clock.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { contentHash } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import { type Rails, railFor } from '../../rails/rails.ts';
import type { Database } from '../../storage/database.ts';
import { checkAutomatic, checkBuying, checkDay, checkPastDue } from './check.ts';
import type { NewPlan, Plan } from './plan.ts';
import { requirePlan } from './require.ts';
import { insertPlan } from './store.ts';
import { planEvent } from './view.ts';

export type PlanDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly accounts: AccountPolicy;
  readonly chains: Chains;
  readonly rails: Rails;
};

type CreatedPlan = { readonly plan: Plan; readonly replayed: boolean };

/** A repeat, by externalId or by idempotency key, gets the first plan, as it is now. Refuses a repeat with other content. */
export async function createPlan(deps: PlanDeps, input: NewPlan, idempotencyKey?: string): Promise<CreatedPlan> {
  const faults = [
    ...[...checkDay(input.interval, input.day), ...checkPastDue(input)],
    ...checkAutomatic(input, railFor(deps.rails, 'pix', input.accountId)),
    ...checkBuying(deps.chains, input),
  ];
  if (faults.length > 0) throw invalidRequest(faults);
  const now = deps.clock.now();
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const plan: Plan = { ...input, id: uuidV7(now), isArchived: false, eventCount: 1, createdAt: now, updatedAt: now };
  const { accountId, isAutomatic, ...content } = input;
  const claim: RequestIdentity = {
    hash: contentHash({
      plan: {
        ...{ ...content, accountId },
        ...(isAutomatic && { isAutomatic }),
        amountCents: String(input.amountCents),
        metadata: { ...input.metadata },
      },
    }),
    scope: deps.accounts.keyScopeOf(accountId),
    key: idempotencyKey,
  };
  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, accountId, now);
    const known = await writeOnce(tx, records, claim, plan, () => insertPlan(tx, plan, claim.hash));
    if (!known) await insertEvents(tx, [planEvent(plan, 'plan.created', now)]);
    setAuditObject(known?.id ?? plan.id);
    return known;
  });
  if (!first || first.id === plan.id) return { plan, replayed: false };
  return { plan: await requirePlan(deps.db, first.id), replayed: true };
}

const records: Records<FirstOne> = {
  ...firstsIn('plans'),
  conflict: planId =>
    new AppError('external_id_conflict', 'Another plan of this account has this externalId.', { first: { planId } }),
};
