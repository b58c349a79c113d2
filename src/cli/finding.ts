// What the doctor found of one thing: right, a warning that a person should know, or wrong.
import type { Check } from '../rails/bank-client/check.ts';

export type Finding = { readonly level: 'right' | 'warning' | 'wrong'; readonly message: string };

export const right = (message: string): Finding => ({ level: 'right', message });
export const warning = (message: string): Finding => ({ level: 'warning', message });
export const wrong = (message: string): Finding => ({ level: 'wrong', message });

/** What works and has something to do about it is a warning: a certificate that ends soon, a key that cannot be asked for. */
export function findingOfCheck(of: string, { name, ok, detail, mend }: Check): Finding {
  const message = `${of}: ${name}: ${detail}${mend === undefined ? '' : ` ${mend}`}`;
  if (!ok) return wrong(message);
  return mend === undefined ? right(message) : warning(message);
}
