// What callers, operators and payers do with a subscription: pause, resume, cancel, forgive a cycle. Each is done once: a repeat changes nothing.
import { AppError, requireFound } from '../../lib/errors.ts';
import type { SubscriptionFollowDeps } from './follow.ts';
import { canceled, cancelPlanned, forgiven, hasEnded, paused, resumed, type Standing, type Step } from './life.ts';
import { lockSubscription } from './require.ts';
import { findCycle } from './store.ts';
import type { CancelReason, Cycle, Subscription } from './subscription.ts';
import { writeStep } from './write.ts';

type Deps = SubscriptionFollowDeps;

/** No cycle is charged until it is resumed. The charge of one that has not begun is withdrawn; what has begun stays owed. */
export function pauseSubscription(deps: Deps, id: string, accountId?: string): Promise<Subscription> {
  return change(deps, id, accountId, (standing, at) => {
    requireUnended(standing, 'paused');
    return standing.subscription.status === 'paused' ? undefined : paused(standing, at);
  });
}

/** Its cycles go on from today, without those that passed meanwhile. One that was to be canceled later stays. */
export function resumeSubscription(deps: Deps, id: string, accountId?: string): Promise<Subscription> {
  return change(deps, id, accountId, (standing, at) => {
    requireUnended(standing, 'resumed');
    const { status, cancelOn } = standing.subscription;
    return status !== 'paused' && cancelOn === undefined ? undefined : resumed(standing, at);
  });
}

type Cancel = {
  /** `period_end`: it goes on until the first cycle that is not paid for. */
  readonly at: 'now' | 'period_end';
  /** Whether what has begun and is not paid is withdrawn too. */
  readonly forgives: boolean;
  readonly reason: CancelReason;
};

/** Charges of cycles that have not begun are withdrawn. One that has ended as canceled is returned as it is. */
export function cancelSubscription(deps: Deps, id: string, how: Cancel, accountId?: string): Promise<Subscription> {
  const isWhole = how.forgives;
  return change(
    deps,
    id,
    accountId,
    (standing, at) => {
      const { status, cancelOn } = standing.subscription;
      if (status === 'canceled') return undefined;
      requireUnended(standing, 'canceled');
      if (how.at === 'now') return canceled(standing, at, how.reason, how.forgives);
      return cancelOn === undefined ? cancelPlanned(standing, at, how.reason) : undefined;
    },
    isWhole,
  );
}

function requireUnended({ subscription }: Standing, done: string): void {
  if (!hasEnded(subscription)) return;
  throw new AppError('wrong_state', `A subscription that is ${subscription.status} cannot be ${done}.`);
}

/**
 * A cycle that is to be paid is owed no more, also where its charge has expired or could not be made, and of a subscription that has ended.
 * One that is canceled is returned as it is.
 */
export async function forgiveCycle(deps: Deps, id: string, number: number, accountId?: string): Promise<Cycle> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const standing = await lockSubscription(tx, id, now, { accountId, isWhole: true });
    const cycle = requireFound(await findCycle(tx, id, number), 'cycle of this subscription');
    if (cycle.status === 'canceled') return cycle;
    if (cycle.status !== 'open' && cycle.status !== 'past_due') {
      throw new AppError('wrong_state', `A cycle that is ${cycle.status} cannot be forgiven.`);
    }
    const { cycles } = await writeStep(deps, tx, forgiven(standing, cycle), now);
    return cycles.find(one => one.number === number)!;
  });
}

async function change(
  deps: Deps,
  id: string,
  accountId: string | undefined,
  stepOf: (standing: Standing, at: Date) => Step | undefined,
  isWhole = false,
): Promise<Subscription> {
  const now = deps.clock.now();
  return deps.db.transaction(async tx => {
    const standing = await lockSubscription(tx, id, now, { accountId, isWhole });
    const step = stepOf(standing, now);
    return (step ? await writeStep(deps, tx, step, now) : standing).subscription;
  });
}
