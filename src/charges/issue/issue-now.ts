// Registers a new charge with its rails while its caller waits, so that the answer has the code that only the bank can make.
import { setTimeout as delay } from 'node:timers/promises';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import { awaitsBank, type Charge } from '../charge.ts';
import { type IssueDeps, issueNew } from './issue.ts';

export type IssueNowDeps = IssueDeps & {
  /** How long a caller waits for the bank; 0: not at all. */
  readonly bankWaitMs: number;
};

/**
 * The charge as its rails have decided within the time, or as it was. Past the time the request goes on in the background,
 * and the job `charge.issue`, which was enqueued with the charge, finishes what this process cannot. Only the request that
 * has written the charge may call it, once.
 */
export async function issueNow(deps: IssueNowDeps, charge: Charge): Promise<Charge> {
  if (!awaitsBank(charge)) return charge;
  const work = withoutAuditContext(() => issueNew(deps, charge)).catch(error => {
    deps.log.warn('a new charge was not registered while its caller waited; it is tried again', {
      chargeId: charge.id,
      error,
    });
    return undefined;
  });
  if (deps.bankWaitMs === 0) return charge;
  const waiting = new AbortController();
  const isOver = delay(deps.bankWaitMs, undefined, { signal: waiting.signal }).catch(() => undefined);
  const issued = await Promise.race([work, isOver]);
  waiting.abort();
  return issued ?? charge;
}
