// The rail of a method that this service does not offer: it refuses every request.
import { AppError } from '../lib/errors.ts';
import type { Method, Rail } from './rail.ts';

const NAME = 'absent';

/** What an operator can do about it. */
const MISSING: Record<Method, string> = {
  pix: 'neither rails in TRILHO_CONFIG nor TRILHO_PIX_KEY is set',
  boleto: 'boletos in TRILHO_CONFIG is not set',
};

export function absentRail<M extends Method>(method: M): Rail<M> {
  const notConfigured = () =>
    new AppError('not_configured', `No rail is configured for ${method}: ${MISSING[method]}.`);
  const never = async (): Promise<never> => {
    throw notConfigured();
  };
  return {
    name: NAME,
    method,
    can: { refund: false, withdraw: false },
    check: () => ({
      path: 'methods',
      code: 'not_offered',
      message: `cannot hold ${method}: this service does not offer it (${MISSING[method]})`,
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
