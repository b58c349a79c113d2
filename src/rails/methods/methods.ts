// The methods by which a charge can be paid, each in a file of its own.
import { boleto } from './boleto.ts';
import { pix } from './pix.ts';

const LISTED = [boleto, pix] as const;

export type Method = (typeof LISTED)[number]['id'];
export const METHODS: readonly Method[] = LISTED.map(({ id }) => id);

export type FactsOf = { readonly [Facts in (typeof LISTED)[number] as Facts['id']]: Facts };
export const METHOD_FACTS = Object.fromEntries(LISTED.map(facts => [facts.id, facts])) as FactsOf;

/** What the payer pays with. */
export type Instruments = {
  readonly [M in Method]: NonNullable<Parameters<FactsOf[M]['show']>[0]['instrument']>;
};

/** The same made for each method. */
export function byMethod<T>(make: (method: Method) => T): Readonly<Record<Method, T>> {
  return Object.fromEntries(METHODS.map(method => [method, make(method)])) as Record<Method, T>;
}
