// A person records how a dispute ended, for example because the bank has written to them. A different end that the bank reports later
// replaces it.
import assert from 'node:assert/strict';
import { currentActor } from '../../lib/audit-context.ts';
import { AppError } from '../../lib/errors.ts';
import { endRefund, type ReturnDeps } from '../refund/returns.ts';
import { lockCharges } from '../store/charges.ts';
import type { Dispute, DisputeOutcome } from './dispute.ts';
import { lockDispute, requireDispute } from './require.ts';

type DisputeEnd = { readonly outcome: DisputeOutcome; readonly reason: string };

/** Closing it again in the same way changes nothing; in another way it is refused. */
export async function closeDispute(
  deps: ReturnDeps,
  id: string,
  { outcome, reason }: DisputeEnd,
  accountId?: string,
): Promise<Dispute> {
  const { chargeId } = await requireDispute(deps.db, id, accountId);
  return deps.db.transaction(async tx => {
    const [charge] = await lockCharges(tx, [chargeId]);
    const dispute = await lockDispute(tx, id);
    if (dispute.status === outcome) return dispute;
    if (dispute.status !== 'open') throw new AppError('wrong_state', `This dispute was closed as ${dispute.status}.`);
    const refund = charge?.refunds.find(each => each.id === dispute.refundId);
    assert(charge && refund, 'a dispute is about a return of its charge');
    const end = {
      status: outcome === 'won' ? ('FAILED' as const) : ('DONE' as const),
      ...(refund.reason !== undefined && { reason: refund.reason }),
    };
    await endRefund(deps, tx, charge, refund, end, { outcome, reason, by: currentActor() ?? 'service' });
    return requireDispute(tx, id);
  });
}
