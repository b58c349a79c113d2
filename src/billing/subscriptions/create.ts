// Creates a subscription of a plan for a customer, or finds the one that the same request made before. The sweep charges its cycles.
import { type FirstOne, findEarlier, type Records, type RequestIdentity, writeOnce } from '../../accounts/once.ts';
import { type AccountPolicy, requireAccount } from '../../accounts/require.ts';
import { firstsIn } from '../../accounts/store-first.ts';
import type { Metadata } from '../../charges/charge.ts';
import type { Links } from '../../charges/links/links.ts';
import { insertEvents } from '../../events/store.ts';
import { currentActor, setAuditObject } from '../../lib/audit-context.ts';
import { addDays, type CivilDay, civilDay } from '../../lib/civil-days.ts';
import { AppError, type Fault, invalidRequest } from '../../lib/errors.ts';
import { contentHash } from '../../lib/hash.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { BuyDeps } from '../../orders/buy.ts';
import type { Rail } from '../../rails/rail.ts';
import { type Rails, railFor } from '../../rails/rails.ts';
import type { Database, Sql } from '../../storage/database.ts';
import { findAndLockCustomer } from '../customers/store.ts';
import { checkAutomatic, checkDay } from '../plans/check.ts';
import { dayNumberOf, firstDay } from '../plans/cycle-days.ts';
import { findPlan } from '../plans/store.ts';
import { checkWallet, requireBuyable } from './buying.ts';
import { begun, type Step } from './life.ts';
import { type OwnTerms, termsOf, withOwnTerms } from './own-terms.ts';
import { requireSubscription } from './require.ts';
import { insertSubscription } from './store.ts';
import type { Subscription } from './subscription.ts';
import { eventsOf } from './write.ts';

export type SubscriptionDeps = BuyDeps & {
  readonly db: Database;
  readonly accounts: AccountPolicy;
  readonly links: Links;
  readonly rails: Rails;
};

export type NewSubscription = OwnTerms & {
  readonly accountId: string;
  readonly externalId?: string;
  readonly planId: string;
  readonly customerId: string;
  /** Instead of that of the plan. */
  readonly day?: number;
  readonly trialDays?: number;
  /** The first cycle is on this day, or on the first after it that fits. */
  readonly startDay?: CivilDay;
  /** Where crypto is bought to, if the plan buys it. */
  readonly walletId?: string;
  readonly metadata?: Metadata;
};

type CreatedSubscription = { readonly subscription: Subscription; readonly replayed: boolean };

/**
 * A repeat, by externalId or by idempotency key, gets the first subscription, as it is now. Refuses a repeat with other content, a plan
 * that is archived, a customer who was erased, and a wallet or an amount for which no order could be made now.
 */
export async function createSubscription(
  deps: SubscriptionDeps,
  input: NewSubscription,
  idempotencyKey?: string,
): Promise<CreatedSubscription> {
  const now = deps.clock.now();
  // The id is made before the transaction, so a retry after a commit whose answer was lost finds its own row.
  const id = uuidV7(now);
  const { accountId, amountCents, metadata, ...content } = input;
  const claim: RequestIdentity = {
    hash: contentHash({
      subscription: {
        ...{ ...content, accountId },
        ...(amountCents !== undefined && { amountCents: String(amountCents) }),
        metadata: { ...metadata },
      },
    }),
    scope: deps.accounts.keyScopeOf(accountId),
    key: idempotencyKey,
  };
  // A plan may be archived and a customer erased since the first request: its repeat needs neither.
  const earlier = await findEarlier(deps.db, records, claim, input);
  if (earlier) return replayOf(deps.db, earlier);
  const plan = await findPlan(deps.db, input.planId, accountId);
  if (plan) await requireBuyable(deps, withOwnTerms(termsOf(plan), input), { accountId, walletId: input.walletId });
  let subscription: Subscription | undefined;
  const first = await deps.db.transaction(async tx => {
    await requireAccount(tx, deps.accounts, accountId, now);
    const known = await writeOnce(tx, records, claim, { ...content, id, accountId, createdAt: now }, async () => {
      const step = await begin(tx, input, { id, now, pix: railFor(deps.rails, 'pix', accountId) });
      subscription = step.after.subscription;
      const isNew = await insertSubscription(tx, step.after, claim.hash);
      if (isNew) await insertEvents(tx, eventsOf(deps.links, subscription, step.events, now));
      return isNew;
    });
    setAuditObject(known?.id ?? id);
    return known;
  });
  return subscription && (!first || first.id === id) ? { subscription, replayed: false } : replayOf(deps.db, first!);
}

async function replayOf(db: Sql, { id }: FirstOne): Promise<CreatedSubscription> {
  return { subscription: await requireSubscription(db, id), replayed: true };
}

const records: Records<FirstOne> = {
  ...firstsIn('subscriptions'),
  conflict: subscriptionId =>
    new AppError('external_id_conflict', 'Another subscription of this account has this externalId.', {
      first: { subscriptionId },
    }),
};

type Beginning = { readonly id: string; readonly now: Date; readonly pix: Rail };

async function begin(tx: Sql, input: NewSubscription, { id, now, pix }: Beginning): Promise<Step> {
  const { accountId, planId, customerId, startDay, externalId, metadata, walletId } = input;
  const plan = await findPlan(tx, planId, accountId);
  const customer = await findAndLockCustomer(tx, customerId, accountId);
  const today = civilDay(now);
  const faults: Fault[] = [];
  if (!plan) faults.push({ path: 'planId', code: 'not_found', message: 'must be a plan of this account' });
  else if (plan.isArchived) faults.push({ path: 'planId', code: 'archived', message: 'is archived' });
  if (!customer || customer.erasedAt) {
    faults.push({ path: 'customerId', code: 'not_found', message: 'must be a customer of this account' });
  }
  const trialDays = input.trialDays ?? plan?.trialDays ?? 0;
  const trialEndDay = addDays(today, trialDays);
  if (startDay !== undefined && startDay < trialEndDay) {
    const message =
      trialDays > 0 ? `must not be before the end of the trial, ${trialEndDay}` : 'must not be in the past';
    faults.push({ path: 'startDay', code: 'too_early', message });
  }
  if (plan) {
    const terms = withOwnTerms(termsOf(plan), input);
    faults.push(...checkDay(plan.interval, input.day), ...checkAutomatic(terms, pix), ...checkWallet(terms, walletId));
  }
  if (!plan || faults.length > 0) throw invalidRequest(faults);
  const walletBy = walletId === undefined ? undefined : currentActor();
  const from = startDay ?? trialEndDay;
  const day = input.day ?? plan.day ?? dayNumberOf(plan.interval, from);
  const subscription: Subscription = {
    ...withOwnTerms(termsOf(plan), input),
    ...{ id, accountId, planId, customerId, day },
    ...(externalId !== undefined && { externalId }),
    ...(metadata && { metadata }),
    ...(walletId !== undefined && { walletId }),
    ...(walletBy !== undefined && { walletBy }),
    ...(trialDays > 0 && { trialEndDay }),
    status: trialDays > 0 ? 'trialing' : 'active',
    linkEpoch: 0,
    eventCount: 1,
    createdAt: now,
    updatedAt: now,
  };
  return begun(subscription, firstDay(plan.interval, day, from));
}
