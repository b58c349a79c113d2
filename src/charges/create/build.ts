// Builds a new charge from a request, with an instrument for every method that its rail accepts. Pure.
import { DAY_MS } from '../../lib/civil-days.ts';
import type { Clock } from '../../lib/clock.ts';
import { LAST_MOMENT_MS } from '../../lib/date-times.ts';
import { AppError, invalidRequest } from '../../lib/errors.ts';
import { convertCents } from '../../lib/money.ts';
import { ABILITIES } from '../../rails/abilities.ts';
import { isInstantPix } from '../../rails/instant-pix.ts';
import { METHODS, type Method } from '../../rails/methods/methods.ts';
import type { PaymentRequest, Rail, Refusal } from '../../rails/rail.ts';
import { type Rails, railFor } from '../../rails/rails.ts';
import { type Charge, type ChargeMethod, type ChargeTerms, type NewCharge, paymentRequest } from '../charge.ts';
import type { RateSource } from '../rate.ts';
import { type ChargeRules, checkCharge } from './check.ts';

export type BuildDeps = {
  readonly rails: Rails;
  readonly rates: RateSource;
  readonly clock: Clock;
  readonly chargeRules: ChargeRules;
};

/** The pix of an order ends when its price does. */
type PixEnd = Pick<ChargeTerms, 'pixEndsAt'>;

const EXPIRES_AFTER_DAYS = 30;

/** Refuses an invalid request, and one that no rail accepts. */
export function buildCharge(deps: BuildDeps, input: NewCharge & PixEnd, id: string, now: Date): Charge {
  const faults = checkCharge(deps, input, now);
  if (faults.length > 0) throw invalidRequest(faults);
  const lockedRate = input.currency === 'BRL' ? undefined : deps.rates(input.currency, now);
  const { methods: requested, ...asked } = input;
  const terms: ChargeTerms = {
    ...asked,
    id,
    payableCents: lockedRate ? convertCents(input.amountCents, lockedRate.rate) : input.amountCents,
    expireAt: input.expireAt ?? new Date(Math.min(input.dueAt.getTime() + EXPIRES_AFTER_DAYS * DAY_MS, LAST_MOMENT_MS)),
    createdAt: now,
    ...(lockedRate && { lockedRate }),
  };
  return {
    ...terms,
    state: 'CREATING',
    committedCents: 0n,
    linkEpoch: 0,
    eventCount: 1,
    methods: prepareMethods(deps.rails, terms, requested),
    payments: [],
    refunds: [],
  };
}

/** Each requested method with its instrument, or with the reason why its rail does not accept it. */
function prepareMethods(rails: Rails, terms: ChargeTerms, requested: readonly Method[]): ChargeMethod[] {
  const refusals: Refusal[] = [];
  const methods = METHODS.filter(method => requested.includes(method)).map((method): ChargeMethod => {
    const rail = railFor(rails, method, terms.accountId);
    const request = paymentRequest(terms, method);
    const refusal = refuseReductions(rail, request) ?? rail.check(request);
    // A number of an agreement is taken in the transaction that writes the charge.
    if (!refusal) return { method, rail: rail.name, status: 'CREATING', ...(!rail.numbers && rail.prepare(request)) };
    refusals.push(refusal);
    return { method, rail: rail.name, status: 'FAILED', reason: `${refusal.path} ${refusal.message}` };
  });
  if (refusals.length === methods.length) {
    throw new AppError('charge_refused', 'No requested method can carry this charge; see errors.', {
      faults: refusals,
    });
  }
  return methods;
}

/** Refuses discounts and an abatement on a rail that always asks for the full amount. */
function refuseReductions({ name, method, can }: Rail, request: PaymentRequest): Refusal | undefined {
  const { abatement, discounts } = request;
  if (!abatement && !discounts) return undefined;
  const path = discounts ? 'discounts' : 'abatement';
  if (!can.reduce) {
    return { path, code: 'not_offered', message: `cannot be given by ${name}, which asks for one amount on every day` };
  }
  if (!ABILITIES[method].endsAtSecond || !isInstantPix(request)) return undefined;
  const message = 'needs a due date: a pix that is valid for at most 24 hours asks for one amount until it ends';
  return { path, code: 'needs_due_date', message };
}
