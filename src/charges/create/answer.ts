// The answer to the request that created a charge: its id and a result for each method. It is stored with the charge, so that
// a repeat gets the same answer. Its schema is `CreatedCharge` in api/; JSON leaves out what is undefined.
import type { Common, MethodFacts } from '../../rails/methods/method.ts';
import { type FactsOf, METHOD_FACTS, type Method } from '../../rails/methods/methods.ts';
import type { Charge, ChargeMethod } from '../charge.ts';

export function chargeAnswer(charge: Pick<Charge, 'id' | 'methods'>) {
  return { id: charge.id, ...resultsOf(charge, () => ({})) };
}

type Results<More> = { readonly [M in Method]?: ReturnType<FactsOf[M]['show']> & More };

/** What answers show of each method, and more of it. */
export function resultsOf<More>(
  { id, methods }: Pick<Charge, 'id' | 'methods'>,
  more: (method: Method) => More,
): Results<More> {
  const results = methods.map(one => [one.method, { ...resultOf(id, one), ...more(one.method) }]);
  // Each method has its own fields, which TypeScript does not see.
  return Object.fromEntries(results) as Results<More>;
}

function resultOf(chargeId: string, { method, status, reason, reference, instrument }: ChargeMethod): Common {
  const facts: MethodFacts = METHOD_FACTS[method];
  const success = status !== 'FAILED';
  // A method that its bank refused cannot be paid, although its code may have been made before the bank was asked.
  return facts.show({ success, status, reason, chargeId, reference, instrument: success ? instrument : undefined });
}
