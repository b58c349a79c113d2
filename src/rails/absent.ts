// The rail of a method that this service does not offer: it refuses everything before anything is made.
import type { Method, Rail } from './rail.ts';

export function absentRail<M extends Method>(method: M): Rail<M> {
  const never = async (): Promise<never> => {
    throw new Error(`${method} is not offered, so nothing of it was ever made`);
  };
  return {
    name: 'absent',
    method,
    can: { refund: false, withdraw: false },
    limits: { maxAmountCents: 0n },
    check: () => ({
      path: 'methods',
      code: 'not_offered',
      message: `cannot hold ${method}: this service does not offer it`,
    }),
    prepare: () => {
      throw new Error(`${method} is not offered`);
    },
    submit: never,
    lookup: never,
    cancel: never,
    refund: never,
    lookupRefund: never,
    reconcileAfter: () => undefined,
    reconcile: never,
  };
}
