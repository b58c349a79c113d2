// The gates of limits: the most for one payout, the amount above which a second key must approve, and the most in any 24 hours. They
// count while the senders of the network are locked, so that several nodes together respect them.
import { decimalsOf, type SentSymbol } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import type { Sql } from '../../storage/database.ts';
import type { PayoutRequest } from '../payout.ts';
import { spentBeyond, spentUnits } from '../store/limits.ts';
import { type GateContext, GO, type Verdict } from './gate.ts';
import { type LimitRule, type PayoutLimits, rulesFor } from './limits.ts';

const DAY_MS = 86_400_000;
/** Judged again after this time at the latest: the settings may have changed. */
const JUDGE_AGAIN_MS = 900_000;

/** An approved payout may exceed the limit of one payout. */
export function payoutLimitGate(request: PayoutRequest, { limits, approved }: GateContext): Verdict {
  if (approved.has(request.ownerId)) return GO;
  const rules = rulesFor(limits, request).filter(
    ({ perPayout }) => perPayout !== undefined && request.units > perPayout,
  );
  const [{ perPayout, of } = { perPayout: undefined, of: {} }] = rules;
  if (perPayout === undefined) return GO;
  const message = `${amount(request, request.units)} is above the limit of one payout${ofWhom(of)}: ${amount(request, perPayout)}.`;
  return { kind: 'hold', reason: 'over_payout_limit', message };
}

export function approvalGate(request: PayoutRequest, { limits, approved, unapproved }: GateContext): Verdict {
  if (approved.has(request.ownerId)) return GO;
  const missing = unapproved.get(request.ownerId);
  if (missing !== undefined) return { kind: 'hold', reason: 'approval_needed', message: missing };
  const bounds = rulesFor(limits, request).flatMap(({ approvalAbove }) => approvalAbove ?? []);
  const above = bounds.find(bound => request.units > bound);
  if (above === undefined) return GO;
  const message = `${amount(request, request.units)} is above ${amount(request, above)}: a second key approves it.`;
  return { kind: 'hold', reason: 'approval_needed', message };
}

/** An approval does not lift it. */
export async function dayLimitGate(request: PayoutRequest, context: GateContext, tx: Sql): Promise<Verdict> {
  const { destination } = request;
  const verdicts: Verdict[] = [];
  for (const { of, perDay, perDayToAddress } of rulesFor(context.limits, request)) {
    verdicts.push(await withinDay(request, context, tx, { limit: perDay, counted: of }));
    verdicts.push(await withinDay(request, context, tx, { limit: perDayToAddress, counted: { ...of, destination } }));
  }
  // The longest wait; what never fits comes first.
  return verdicts.filter(({ kind }) => kind !== 'go').toSorted((a, b) => untilOf(b) - untilOf(a))[0] ?? GO;
}

type TopUpRequest = Omit<PayoutRequest, 'ownerId' | 'symbol'> & { readonly symbol: SentSymbol };

/** Why a top-up does not fit into 24 hours now; top-ups are counted separately. */
export async function dayLimitMessage(
  sql: Sql,
  limits: PayoutLimits,
  request: TopUpRequest,
  now: Date,
): Promise<string | undefined> {
  const { network, symbol, units, destination } = request;
  for (const { of, perDay, perDayToAddress } of rulesFor(limits, request)) {
    for (const { limit, counted } of [
      { limit: perDay, counted: of },
      { limit: perDayToAddress, counted: { ...of, destination } },
    ]) {
      if (limit === undefined) continue;
      const spent = { network, symbol, since: new Date(now.getTime() - DAY_MS), ...counted, isOfTopUps: true };
      const before = await spentUnits(sql, spent);
      if (before + units <= limit) continue;
      const where = 'destination' in counted ? ' to one address' : '';
      return `${amount(request, limit)} may be topped up${where}${ofWhom(of)} in 24 hours, and ${amount(request, before)} was.`;
    }
  }
  return undefined;
}

function untilOf(verdict: Verdict): number {
  return verdict.kind === 'wait' && verdict.until ? verdict.until.getTime() : Number.POSITIVE_INFINITY;
}

/** What counts toward a limit: payouts that have all of these. */
type Counted = LimitRule['of'] & { readonly destination?: string };
type Limit = { readonly limit: bigint | undefined; readonly counted: Counted };

async function withinDay(
  request: PayoutRequest,
  { claimed, now }: GateContext,
  tx: Sql,
  { limit, counted }: Limit,
): Promise<Verdict> {
  if (limit === undefined) return GO;
  const { network, symbol, units } = request;
  const where = counted.destination === undefined ? '' : ' to one address';
  const rule = `${amount(request, limit)} may leave${where}${ofWhom(counted)} in 24 hours`;
  if (units > limit) {
    return { kind: 'hold', reason: 'over_payout_limit', message: `${amount(request, units)} never fits: ${rule}.` };
  }
  const spent = { network, symbol, since: new Date(now.getTime() - DAY_MS), ...counted };
  const fields = Object.keys(counted) as (keyof Counted)[];
  const claimedUnits = claimed
    .filter(one => one.symbol === symbol && fields.every(field => one[field] === counted[field]))
    .reduce((sum, one) => sum + one.units, 0n);
  const room = limit - claimedUnits - units;
  const before = await spentUnits(tx, spent);
  if (before <= room) return GO;
  // Payouts that take a slot in this transaction are the last to drop out of the 24 hours.
  const last = room < 0n ? now : ((await spentBeyond(tx, spent, room)) ?? now);
  const fitsAt = new Date(last.getTime() + DAY_MS);
  const message = `${rule} and ${amount(request, before + claimedUnits)} has; it fits at ${fitsAt.toISOString()}.`;
  const until = new Date(Math.min(fitsAt.getTime(), now.getTime() + JUDGE_AGAIN_MS));
  return { kind: 'wait', reason: 'over_day_limit', message, until };
}

function ofWhom({ accountId, requestedBy }: LimitRule['of']): string {
  if (accountId !== undefined) return ' of one account';
  return requestedBy === undefined ? '' : ' of one key';
}

function amount({ symbol, network }: Pick<TopUpRequest, 'symbol' | 'network'>, units: bigint): string {
  return `${formatUnits(units, decimalsOf(symbol, network))} ${symbol}`;
}
