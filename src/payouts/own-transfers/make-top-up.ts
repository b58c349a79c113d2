// Tops up the coin of one of our senders from another, under the same policy as payouts that have an owner: pauses, blocks, limits and
// approvals. If approvals are needed, the request waits for them up to a day.
import { type ApprovalRules, groupsOfPayout, OPERATOR } from '../../accounts/approval-rules.ts';
import {
  type GroupStanding,
  isComplete,
  judgeGroups,
  missingApprovals,
  requireCounted,
} from '../../accounts/approvals.ts';
import { requireSecondKey } from '../../accounts/second-key.ts';
import { readAddress } from '../../chains/address.ts';
import type { Network } from '../../chains/asset.ts';
import type { Chain } from '../../chains/chain.ts';
import { coinOf, decimalsOf } from '../../chains/networks.ts';
import { setAuditObject } from '../../lib/audit-context.ts';
import { DAY_MS } from '../../lib/civil-days.ts';
import { formatUnits, parseUnits } from '../../lib/decimals.ts';
import { AppError, type Fault, invalidRequest, requireFound } from '../../lib/errors.ts';
import { uuidV7 } from '../../lib/ids.ts';
import type { Sql } from '../../storage/database.ts';
import { isAddressBlocked } from '../../wallets/store.ts';
import { BLOCKED_MESSAGE } from '../engine/first-signature.ts';
import { chainOf } from '../line/open.ts';
import type { Payout } from '../payout.ts';
import { dayLimitMessage } from '../policy/limit-gates.ts';
import { isAboveApproval, type PayoutLimits } from '../policy/limits.ts';
import { coveringPause, pauseMessage } from '../policy/pause.ts';
import { readPauses } from '../store/pauses.ts';
import {
  findOpenTopUp,
  findTopUp,
  findTopUpByKey,
  insertTopUp,
  lockTopUp,
  setTopUpApprovals,
  setTopUpPayout,
} from '../store/top-ups.ts';
import { type OperatorDeps, openOwnTransfer } from './open-own-transfer.ts';
import type { TopUp } from './top-up.ts';

export type TopUpDeps = OperatorDeps & { readonly payoutLimits: PayoutLimits; readonly approvalRules: ApprovalRules };

type NewTopUp = {
  readonly network: Network;
  readonly from: string;
  readonly to: string;
  /** Decimal text. */
  readonly quantity: string;
  /** As the audit log writes actors. */
  readonly by: string;
  readonly key?: string | undefined;
};

/** A request without all approvals after this time has lapsed. */
export const WAITS_MS = DAY_MS;

/**
 * Opens the payout, or stores the request if approvals are needed. A repeat with its key returns the first one. Refuses, and stores nothing,
 * for addresses that are not senders of the settings, more than can be spared or may leave in 24 hours, a second top-up to an address while
 * one is on its way, and during a pause or block.
 */
export async function topUp(deps: TopUpDeps, wanted: NewTopUp): Promise<{ topUp: TopUp; isNew: boolean }> {
  const now = deps.clock.now();
  const asked = readTopUp(chainOf(deps.chains, wanted.network), wanted, { id: uuidV7(now), createdAt: now });
  const first = asked.requestKey === undefined ? undefined : await findTopUpByKey(deps.db, asked.requestKey);
  if (first) return { topUp: requireSame(first, asked), isNew: false };
  const { isNeeded, isApproved } = await standingOf(deps.db, deps, asked);
  if (!isNeeded || isApproved) return send(deps, asked, true);
  await requireAllowed(deps, deps.db, asked);
  setAuditObject(asked.id);
  const isNew = await deps.db.transaction(tx => insertTopUp(tx, asked));
  return isNew ? { topUp: asked, isNew } : { topUp: await requireFirst(deps, asked), isNew };
}

/**
 * Approves a waiting top-up, and opens its payout once all approvals are given. Approving again retries opening it. Refuses the one who requested
 * it, anyone who shares a maker with them, and anyone whose approval no group needs.
 */
export async function approveTopUp(deps: TopUpDeps, id: string, by: string): Promise<TopUp> {
  const now = deps.clock.now();
  setAuditObject(id);
  const { after, isComplete: isApproved } = await deps.db.transaction(async tx => {
    const before = requireFound(await lockTopUp(tx, id), 'top-up');
    if (before.payoutId !== undefined) return { after: before, isComplete: false };
    if (isLapsed(before, now)) throw new AppError('wrong_state', 'This top-up was requested more than a day ago.');
    const standing = await standingOf(tx, deps, before);
    if (standing.isApproved) return { after: before, isComplete: true };
    const message =
      'The person or key that requested this top-up, and the keys and people they created or invited, cannot approve it.';
    await requireSecondKey(tx, by, [before.requestedBy], message);
    if (before.approvals.some(approval => approval.by === by)) return { after: before, isComplete: false };
    const given = { ...before, approvals: [...before.approvals, { by, at: now }] };
    const next = await standingOf(tx, deps, given);
    requireCounted(standing.groups, next.groups, 'this top-up');
    await setTopUpApprovals(tx, id, given.approvals);
    return { after: given, isComplete: next.isApproved };
  });
  return isApproved ? (await send(deps, after, false)).topUp : after;
}

export function isLapsed({ createdAt, payoutId }: TopUp, now: Date): boolean {
  return payoutId === undefined && now.getTime() - createdAt.getTime() >= WAITS_MS;
}

/** Opens its payout; the key, the approvals and the limits are checked while the senders are locked. */
async function send(deps: TopUpDeps, asked: TopUp, isNew: boolean): Promise<{ topUp: TopUp; isNew: boolean }> {
  const { network, symbol, sender, destination, requestedBy } = asked;
  const repeated = new AppError('wrong_state', 'This top-up is already on its way.');
  try {
    const payout = await openOwnTransfer(deps, {
      accountId: deps.operatorAccountId,
      ...{ network, symbol, sender, destination, sweptBy: requestedBy, isTopUp: true },
      ...(isOfKey(requestedBy) && { requestedBy }),
      unitsOf: ({ asset }, spare) => requireSpare(asked, asset, spare),
      judge: async tx => {
        const kept = isNew ? asked : await lockTopUp(tx, asked.id);
        const isKnown = isNew && asked.requestKey !== undefined && (await findTopUpByKey(tx, asked.requestKey));
        if (!kept || kept.payoutId !== undefined || isKnown) throw repeated;
        await requireAllowed(deps, tx, kept);
        const { isNeeded, isApproved, groups } = await standingOf(tx, deps, kept);
        if (isNeeded && !isApproved) throw new AppError('second_key_needed', missingApprovals(groups));
      },
      opened: async (tx: Sql, { id }: Payout) => {
        if (isNew && !(await insertTopUp(tx, asked))) throw repeated;
        await setTopUpPayout(tx, asked.id, id);
        setAuditObject(asked.id);
      },
    });
    return { topUp: { ...asked, payoutId: payout.id }, isNew };
  } catch (error) {
    if (error !== repeated) throw error;
    return { topUp: await requireFirst(deps, asked), isNew: false };
  }
}

type Standing = {
  /** Whether the settings require approvals at all. */
  readonly isNeeded: boolean;
  readonly groups: readonly GroupStanding[];
  readonly isApproved: boolean;
};

export async function standingOf(
  sql: Sql,
  { approvalRules, payoutLimits, operatorAccountId: accountId, clock }: Omit<TopUpDeps, 'db'>,
  { network, symbol, units, approvals, requestedBy }: TopUp,
): Promise<Standing> {
  const judged = { accountId, network, symbol, ...(isOfKey(requestedBy) && { requestedBy }) };
  const groups = groupsOfPayout(approvalRules, { ...judged, units });
  if (groups.length === 0) {
    return { isNeeded: isAboveApproval(payoutLimits, judged, units), groups: [], isApproved: approvals.length > 0 };
  }
  const standings = await judgeGroups(sql, groups, { approvals, asked: [requestedBy], now: clock.now() });
  return { isNeeded: true, groups: standings, isApproved: standings.every(isComplete) };
}

/** Throws if something stops it regardless of approvals. */
async function requireAllowed(
  { payoutLimits, operatorAccountId: accountId, clock }: Omit<TopUpDeps, 'db'>,
  sql: Sql,
  { network, symbol, units, destination, requestedBy }: TopUp,
): Promise<void> {
  const pause = coveringPause(await readPauses(sql), { network, symbol });
  if (pause) throw new AppError('wrong_state', pauseMessage(pause));
  if (await isAddressBlocked(sql, destination)) throw new AppError('wrong_state', BLOCKED_MESSAGE);
  const other = await findOpenTopUp(sql, network, destination);
  if (other !== undefined) throw new AppError('wrong_state', `A top-up of ${destination} is on its way: ${other}.`);
  const request = { accountId, network, symbol, units, destination, ...(isOfKey(requestedBy) && { requestedBy }) };
  const message = await dayLimitMessage(sql, payoutLimits, request, clock.now());
  if (message !== undefined) throw new AppError('wrong_state', message);
}

function requireSpare({ network, symbol, units }: TopUp, has: bigint, spare: bigint): bigint {
  if (units <= spare) return units;
  const amount = (some: bigint) => `${formatUnits(some, decimalsOf(symbol, network))} ${symbol}`;
  const rest = spare > 0n ? `${amount(spare)} can be spared` : 'nothing can be spared';
  throw new AppError('wrong_state', `The sender has ${amount(has)}; after payouts and fees, ${rest}.`);
}

/** The request with addresses as written in the settings. Reports every fault at once. */
function readTopUp(
  { network, senders, canSign }: Chain,
  { from, to, quantity, by, key }: NewTopUp,
  made: Pick<TopUp, 'id' | 'createdAt'>,
): TopUp {
  const { symbol, decimals } = coinOf(network);
  const find = (text: string) => senders.find(one => one === readAddress(network, text).address);
  const [sender, destination] = [find(from), find(to)];
  const units = parseUnits(quantity, decimals) ?? 0n;
  const faults: Fault[] = [];
  const message = `must be a sender of the service on ${network}: ${senders.join(', ')}`;
  if (sender === undefined) faults.push({ path: 'from', code: 'no_sender', message });
  if (destination === undefined) faults.push({ path: 'to', code: 'no_sender', message });
  if (sender !== undefined && canSign?.(sender) === false) {
    faults.push({
      path: 'from',
      code: 'no_signer',
      message: `must be a sender with a signer: nothing can be sent from ${sender}`,
    });
  }
  if (sender !== undefined && sender === destination) {
    faults.push({ path: 'to', code: 'same_sender', message: 'must not be the same sender as from' });
  }
  if (units <= 0n) {
    const message = `must be a decimal above zero with at most ${decimals} decimals`;
    faults.push({ path: 'quantity', code: 'invalid', message });
  }
  if (faults.length > 0 || sender === undefined || destination === undefined) throw invalidRequest(faults);
  const request = { ...made, network, sender, destination, symbol, units, requestedBy: by };
  // A request from the command line needs no approval where no group must approve it.
  const approvals = by === OPERATOR ? [{ by, at: made.createdAt }] : [];
  return { ...request, approvals, ...(key !== undefined && { requestKey: key }) };
}

async function requireFirst({ db }: Pick<TopUpDeps, 'db'>, asked: TopUp): Promise<TopUp> {
  const { id, requestKey } = asked;
  const first = await (requestKey === undefined ? findTopUp(db, id) : findTopUpByKey(db, requestKey));
  if (!first) throw new AppError('wrong_state', 'This top-up is being created right now; try again.');
  return requireSame(first, asked);
}

function requireSame(first: TopUp, asked: TopUp): TopUp {
  const fields = ['network', 'sender', 'destination', 'units', 'requestedBy'] as const;
  if (fields.every(field => first[field] === asked[field])) return first;
  throw new AppError('idempotency_key_reused', 'This Idempotency-Key was used with another body.');
}

/** Limits of keys apply to keys and people. */
function isOfKey(actor: string): boolean {
  return actor.startsWith('key:') || actor.startsWith('person:');
}
