// Registers a new charge with its rails while the caller waits, so that the answer has the code that only the bank can make.
import { setTimeout as delay } from 'node:timers/promises';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import { awaitsBank, type Charge } from '../charge.ts';
import { type IssueDeps, issueNew } from './issue.ts';

export type IssueNowDeps = IssueDeps & {
  /** How long a caller waits for the bank; 0 does not wait. */
  readonly bankWaitMs: number;
};

/**
 * Returns the charge as its rails decided within the time, or unchanged. After that the request continues in the background, and the job
 * `charge.issue`, enqueued with the charge, finishes what this process cannot. Only the request that wrote the charge may call it, once.
 */
export async function issueNow(deps: IssueNowDeps, charge: Charge): Promise<Charge> {
  if (!awaitsBank(charge)) return charge;
  const work = withoutAuditContext(() => issueNew(deps, charge)).catch(error => {
    deps.log.warn('a new charge was not registered while its caller waited; it is retried', {
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
