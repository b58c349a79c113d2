// Taking a charge's method to its rail: the job `charge.issue`. Noted before it is sent, sent with no transaction open, and
// looked up before it is ever sent again.
import type { Jobs } from '../jobs/queue.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Finding, Method, Rail, Rails } from '../rails/rail.ts';
import type { Database } from '../storage/database.ts';
import { type ChargeMethod, OPEN_STATUS, paymentRequest } from './charge.ts';
import { changeStatus, findCharge, markSubmitted, type StoredCharge } from './store.ts';

type Deps = { readonly db: Database; readonly rails: Rails; readonly clock: Clock; readonly log: Log };

/** Registers one method of a charge. Throws to be tried again later while the rail has not decided. */
export async function issueCharge(deps: Deps, { accountId, chargeId, method }: Jobs['charge.issue']): Promise<void> {
  const charge = await findCharge(deps.db, chargeId, accountId);
  const way = charge?.ways.find(candidate => candidate.method === method);
  if (!charge || way?.status !== 'CREATING') return;

  const finding = await askRail(deps, charge, way);
  switch (finding.kind) {
    case 'registered':
      return open(deps, charge, way.method);
    case 'rejected':
      await deps.db.transaction(tx =>
        changeStatus(tx, charge, way.method, { to: 'FAILED', at: deps.clock.now(), reason: finding.reason }),
      );
      deps.log.info('a rail rejected a charge', { chargeId, chargeMethod: method });
      return;
    default:
      throw new UndecidedError();
  }
}

/** The rail has not decided yet, or its reply was lost. */
class UndecidedError extends Error {
  override readonly name = 'UndecidedError';
}

async function askRail(deps: Deps, charge: StoredCharge, way: ChargeMethod): Promise<Finding> {
  const rail: Rail = deps.rails[way.method];
  const request = paymentRequest(charge);
  const instrument = way.instrument;
  if (!instrument) throw new Error('a method without an instrument is never issued');
  const isFirst = await deps.db.transaction(tx => markSubmitted(tx, charge, way.method, deps.clock.now()));
  if (!isFirst) {
    const finding = await rail.lookup(request, instrument);
    if (finding.kind !== 'absent') return finding;
  }
  return rail.submit(request, instrument);
}

/** A charge made after its own due date is overdue from its first moment. */
async function open(deps: Deps, charge: StoredCharge, method: Method): Promise<void> {
  const at = deps.clock.now();
  await deps.db.transaction(async tx => {
    await changeStatus(tx, charge, method, { to: OPEN_STATUS[method], at });
    if (charge.dueAt < at) await changeStatus(tx, charge, method, { to: 'OVERDUE', at });
  });
}
