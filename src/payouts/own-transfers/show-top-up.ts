// How a top-up is shown in answers and on the command line.
import { approvalsView } from '../../accounts/approvals.ts';
import { decimalsOf } from '../../chains/networks.ts';
import { formatUnits } from '../../lib/decimals.ts';
import { requireFound } from '../../lib/errors.ts';
import { findTopUp, readWaitingTopUps } from '../store/top-ups.ts';
import { isLapsed, standingOf, type TopUpDeps, WAITS_MS } from './make-top-up.ts';
import type { TopUp } from './top-up.ts';

export async function showTopUp(deps: TopUpDeps, topUp: TopUp) {
  const { id, network, symbol, units, sender, destination, requestedBy, createdAt, payoutId, approvals } = topUp;
  const { groups } = await standingOf(deps.db, deps, topUp);
  const shown = approvalsView(approvals, groups);
  return {
    id,
    state: stateOf(topUp, deps.clock.now()),
    network,
    symbol,
    quantity: formatUnits(units, decimalsOf(symbol, network)),
    from: sender,
    to: destination,
    requestedBy,
    createdAt: createdAt.toISOString(),
    ...(shown && { approvals: shown }),
    ...(payoutId !== undefined && { payoutId }),
  };
}

function stateOf(topUp: TopUp, now: Date) {
  if (topUp.payoutId !== undefined) return 'sent' as const;
  return isLapsed(topUp, now) ? ('lapsed' as const) : ('approval_needed' as const);
}

export async function requireTopUp({ db }: Pick<TopUpDeps, 'db'>, id: string): Promise<TopUp> {
  return requireFound(await findTopUp(db, id), 'top-up');
}

const MAX_WAITING = 100;

/** Those that wait for approvals, oldest first. */
export async function listWaitingTopUps(deps: TopUpDeps) {
  const since = new Date(deps.clock.now().getTime() - WAITS_MS);
  const waiting = await readWaitingTopUps(deps.db, since, MAX_WAITING);
  return Promise.all(waiting.map(topUp => showTopUp(deps, topUp)));
}
