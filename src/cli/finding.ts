// One finding of the doctor: right, a warning, or wrong.
import type { Check } from '../rails/bank-client/check.ts';

export type Finding = { readonly level: 'right' | 'warning' | 'wrong'; readonly message: string };

export const right = (message: string): Finding => ({ level: 'right', message });
export const warning = (message: string): Finding => ({ level: 'warning', message });
export const wrong = (message: string): Finding => ({ level: 'wrong', message });

/** What works but needs attention is a warning: a certificate that expires soon, a key that cannot be looked up. */
export function findingOfCheck(of: string, { name, ok, detail, mend }: Check): Finding {
  const message = `${of}: ${name}: ${detail}${mend === undefined ? '' : ` ${mend}`}`;
  if (!ok) return wrong(message);
  return mend === undefined ? right(message) : warning(message);
}
