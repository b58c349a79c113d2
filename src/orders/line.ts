// Orders in the lines of the networks: what the gates of payouts decide about them is written here.
import assert from 'node:assert/strict';
import type { ApprovalRules } from '../accounts/approval-rules.ts';
import type { Charge } from '../charges/charge.ts';
import { lockCharges } from '../charges/store/charges.ts';
import { commitMoney } from '../charges/store/money.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidV7 } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Judged, LockedLine, Waiting } from '../payouts/owner.ts';
import { NO_ANSWER, WAIT_REASONS } from '../payouts/policy/gate.ts';
import type { Database, Sql } from '../storage/database.ts';
import { readApprovals } from './approvals.ts';
import { claimed, nextStep, resumed, turnedAway, waiting, withLastError } from './life.ts';
import type { Order } from './order.ts';
import { requestOf } from './payout-request.ts';
import type { SettlementRules } from './settlement.ts';
import { lockWaiting } from './store-line.ts';
import { type WrittenStep, writeOrderStep, writeOrderSteps } from './write.ts';

export type LineDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly settlement: SettlementRules;
  readonly approvalRules: ApprovalRules;
};

type Claim = { readonly order: Order; readonly charge: Charge };

/** Locks those that still wait, with their charges. One whose money has changed meanwhile is left to the job that follows it. */
export async function lockLine(deps: LineDeps, tx: Sql, asked: readonly Waiting[], now: Date): Promise<LockedLine> {
  const orders = await lockWaiting(
    tx,
    asked.map(({ request }) => request.ownerId),
  );
  const approvals = await readApprovals(tx, deps.approvalRules, orders, now);
  const charges = await lockCharges(
    tx,
    orders.flatMap(({ chargeId }) => chargeId ?? []),
  );
  const standing = orders.flatMap((order): Claim[] => {
    const charge = charges.find(({ id }) => id === order.chargeId);
    return !charge || nextStep(order, contextOf(deps, charge, now)) ? [] : [{ order, charge }];
  });
  return {
    ...approvals,
    standing: standing.map(({ order }) => requestOf(order)),
    write: judged => writeJudged(deps, tx, standing, judged, now),
  };
}

async function writeJudged(
  deps: LineDeps,
  tx: Sql,
  standing: readonly Claim[],
  judged: readonly Judged[],
  now: Date,
): Promise<void> {
  const verdicts = new Map(judged.map(({ request, verdict }) => [request.ownerId, verdict]));
  const kept = standing.flatMap(({ order }): WrittenStep[] => {
    const verdict = verdicts.get(order.id);
    if (!verdict || verdict.kind === 'go') return [];
    const step = verdict.kind === 'hold' ? turnedAway(order, verdict, now) : waiting(order, verdict, now);
    return step ? [{ before: order, step }] : [];
  });
  await writeOrderSteps(tx, kept, now);
  const going = standing.filter(({ order }) => verdicts.get(order.id)?.kind === 'go');
  await writeClaims(deps, tx, going, now);
}

/** The orders become `fulfilling`, or are sent again, and their money can no longer be refunded. */
async function writeClaims(deps: LineDeps, tx: Sql, claims: readonly Claim[], now: Date): Promise<void> {
  const waited = claims.filter(({ order }) => WAIT_REASONS.some(reason => reason === order.hold?.reason));
  const steps = waited.map(({ order }) => ({ before: order, step: resumed(order) }));
  const again = new Map((await writeOrderSteps(tx, steps, now)).map(order => [order.id, order]));
  const taken = claims.map(({ order, charge }) => {
    const before = again.get(order.id) ?? order;
    return { before, step: claimed(before, contextOf(deps, charge, now)) };
  });
  await writeOrderSteps(tx, taken, now);
  const committed = claims.map(({ order: { dueCents }, charge }) => {
    assert(dueCents !== undefined, 'a paid order has dueCents');
    return { charge, cents: dueCents };
  });
  await commitMoney(tx, committed);
}

function contextOf({ settlement: rules }: LineDeps, charge: Charge, now: Date) {
  return { charge, rules, now, newId: () => uuidV7(now) };
}

/** Records on the orders at the front what they wait for. */
export async function noteWhy({ db, clock, log }: LineDeps, front: readonly Waiting[], why: string): Promise<void> {
  if (front.every(({ lastError }) => lastError === why)) return;
  await db.transaction(async tx => {
    const ids = front.map(({ request }) => request.ownerId);
    for (const order of await lockWaiting(tx, ids)) {
      const step = withLastError(order, why);
      if (step) await writeOrderStep(tx, order, step, clock.now());
    }
  });
  if (why !== NO_ANSWER) return;
  for (const { request, lastError } of front) {
    if (lastError === why) continue;
    const { ownerId: orderId, network } = request;
    log.info('no node of the chain answers; the order waits for it', { orderId, network });
  }
}
