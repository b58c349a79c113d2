// The rail of a method that this service does not offer: it refuses every request.
import { AppError } from '../lib/errors.ts';
import { METHOD_FACTS, type Method } from './methods/methods.ts';
import type { Rail } from './rail.ts';

const NAME = 'absent';

export function absentRail<M extends Method>(method: M): Rail<M> {
  const { missing } = METHOD_FACTS[method];
  const notConfigured = () => new AppError('not_configured', `No rail is configured for ${method}: ${missing}.`);
  const never = async (): Promise<never> => {
    throw notConfigured();
  };
  return {
    name: NAME,
    method,
    can: { refund: false, withdraw: false, reduce: false },
    check: () => ({
      path: 'methods',
      code: 'not_offered',
      message: `cannot hold ${method}: this service does not offer it (${missing})`,
    }),
    prepare: () => {
      throw notConfigured();
    },
    submit: never,
    lookup: never,
    cancel: never,
    refund: never,
    lookupRefund: never,
  };
}

export function isAbsent({ name }: Rail): boolean {
  return name === NAME;
}
