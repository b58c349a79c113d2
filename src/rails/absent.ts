// The rail of a method that this service does not offer: it refuses every request.
import { AppError } from '../lib/errors.ts';
import type { Method, Rail } from './rail.ts';

export function absentRail<M extends Method>(method: M): Rail<M> {
  const notConfigured = () => new AppError('not_configured', `No rail is configured for ${method}.`);
  const never = async (): Promise<never> => {
    throw notConfigured();
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
      throw notConfigured();
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
