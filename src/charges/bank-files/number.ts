// Gives new charges the next numbers of the agreements of their boletos.
import { AppError } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import type { NumberRange } from '../../rails/rail.ts';
import { type Rails, railNamed } from '../../rails/rails.ts';
import type { Sql } from '../../storage/database.ts';
import { type Charge, type ChargeMethod, paymentRequest } from '../charge.ts';
import { takeNumbers } from './store-agreements.ts';
import { warnOfTaken } from './warn-numbers.ts';

export type NumberDeps = { readonly rails: Rails; readonly log: Log };

/** Whether the transaction serves only one request, so that running out of numbers can be its answer. */
export type NumberOptions = { readonly isAlone: boolean };

/**
 * The same charges, each with its number where it needs one; undefined for those whose agreement has too few numbers for the batch: the
 * caller writes them singly. Written singly, the boleto of the charge fails, and a charge without another method is refused; in a batch
 * that refusal would end the others too. Rails are taken in the order of their names, so that two transactions cannot deadlock.
 */
export async function numberCharges(
  tx: Sql,
  { rails, log }: NumberDeps,
  charges: readonly Charge[],
  { isAlone }: NumberOptions,
): Promise<readonly (Charge | undefined)[]> {
  const wanted = new Map<string, { readonly range: NumberRange; count: number }>();
  for (const charge of charges) {
    for (const { rail, range } of wishesOf(rails, charge)) {
      wanted.set(rail, { range, count: (wanted.get(rail)?.count ?? 0) + 1 });
    }
  }
  const next = new Map<string, bigint | undefined>();
  for (const rail of [...wanted.keys()].sort()) {
    const { range, count } = wanted.get(rail)!;
    const first = await takeNumbers(tx, rail, range, count);
    next.set(rail, first);
    if (first !== undefined) warnOfTaken(log, rail, range, first, count);
  }
  return charges.map(charge => {
    let numbered: Charge = charge;
    for (const { method, rail, range } of wishesOf(rails, charge)) {
      const number = next.get(rail);
      if (number === undefined) return isAlone ? withoutNumber(charge, method) : undefined;
      next.set(rail, number + 1n);
      numbered = withMethod(numbered, { ...method, ...range.prepare(paymentRequest(charge, method.method), number) });
    }
    return numbered;
  });
}

function withoutNumber(charge: Charge, method: ChargeMethod): Charge {
  const reason = `The numbers of the agreement ${method.rail} are used up.`;
  if (charge.methods.length === 1) throw new AppError('not_configured', reason);
  return withMethod(charge, { ...method, status: 'FAILED', reason });
}

type Wish = { readonly method: ChargeMethod; readonly rail: string; readonly range: NumberRange };

function wishesOf(rails: Rails, { methods }: Charge): Wish[] {
  return methods.flatMap(method => {
    if (method.status !== 'CREATING' || method.reference !== undefined) return [];
    const range = railNamed(rails, method.method, method.rail).numbers;
    return range ? { method, rail: method.rail, range } : [];
  });
}

function withMethod(charge: Charge, method: ChargeMethod): Charge {
  return { ...charge, methods: charge.methods.map(one => (one.method === method.method ? method : one)) };
}
