// Numbers that two rails of one agreement would both give: the bank would mistake the second boleto for the first, or refuse it.
import type { NumberRange } from './rail.ts';

type Numbers = Pick<NumberRange, 'agreement' | 'first' | 'last'>;

/** The numbers that both ranges have; undefined when they do not overlap. */
export function sharedNumbers(
  one: Numbers,
  other: Numbers,
): { readonly first: bigint; readonly last: bigint } | undefined {
  if (one.agreement !== other.agreement) return undefined;
  const first = one.first > other.first ? one.first : other.first;
  const last = one.last < other.last ? one.last : other.last;
  return first <= last ? { first, last } : undefined;
}
