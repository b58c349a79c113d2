// Taking a charge's method to its rail: the job `charge.issue`. Noted before it is sent, sent with no transaction open, and
// looked up before it is ever sent again.
import type { Jobs, Queue } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import { type Finding, type Rails, railNamed } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type ChargeMethod, type LivingCharge, paymentRequest } from './charge.ts';
import type { IssueBatches } from './issue-batch.ts';
import { RETIRED } from './retire.ts';
import { UndecidedError } from './undecided.ts';

type Deps = {
  readonly db: Database;
  readonly queue: Queue;
  readonly rails: Rails;
  readonly clock: Clock;
  readonly issues: IssueBatches;
};

/** Registers one method of a charge. Throws to be tried again later while the rail has not decided. */
export async function issueMethod(deps: Deps, { accountId, chargeId, method }: Jobs['charge.issue']): Promise<void> {
  const charge = await deps.issues.find.add(chargeId);
  const way = charge?.ways.find(candidate => candidate.method === method);
  if (!charge || !way || charge.accountId !== accountId) return;
  if (RETIRED.includes(way.status)) return withdrawWhenTaken(deps, charge, way);
  if (way.status !== 'CREATING') return;

  const finding = await askRail(deps, charge, way);
  if (finding.kind !== 'registered' && finding.kind !== 'rejected') throw new UndecidedError();
  await deps.issues.write.add({ chargeId, accountId, method: way.method, finding });
}

/**
 * The method was retired before its rail had decided. If the rail takes it after all, it must be taken back: an instrument
 * that nobody watches could be paid for ever.
 */
async function withdrawWhenTaken(
  deps: Deps,
  charge: LivingCharge,
  { method, rail, instrument }: ChargeMethod,
): Promise<void> {
  if (!instrument) return;
  const finding = await railNamed(deps.rails, method, rail).lookup(paymentRequest(charge), instrument);
  if (finding.kind === 'unknown' || finding.kind === 'accepted') throw new UndecidedError();
  if (finding.kind !== 'registered') return;
  const job = { accountId: charge.accountId, chargeId: charge.id, method };
  await deps.db.transaction(tx => deps.queue.enqueue(tx, 'charge.retire', [job]));
}

async function askRail(deps: Deps, charge: LivingCharge, way: ChargeMethod): Promise<Finding> {
  const rail = railNamed(deps.rails, way.method, way.rail);
  const request = paymentRequest(charge);
  const instrument = way.instrument;
  if (!instrument) throw new Error('a method without an instrument is never issued');
  const { id: chargeId, accountId } = charge;
  const isFirst = await deps.issues.note.add({ chargeId, accountId, method: way.method, at: deps.clock.now() });
  if (!isFirst) {
    const finding = await rail.lookup(request, instrument);
    if (finding.kind !== 'absent') return finding;
  }
  return rail.submit(request, instrument);
}
