// What the doctor found of one thing: right, a warning that a person should know, or wrong.
import type { Check } from '../rails/bank-client/check.ts';

export type Finding = { readonly level: 'right' | 'warning' | 'wrong'; readonly words: string };

export const right = (words: string): Finding => ({ level: 'right', words });
export const warning = (words: string): Finding => ({ level: 'warning', words });
export const wrong = (words: string): Finding => ({ level: 'wrong', words });

/** What works and has something to do about it is a warning: a certificate that ends soon, a key that cannot be asked for. */
export function findingOfCheck(of: string, { name, ok, detail, mend }: Check): Finding {
  const words = `${of}: ${name}: ${detail}${mend === undefined ? '' : ` ${mend}`}`;
  if (!ok) return wrong(words);
  return mend === undefined ? right(words) : warning(words);
}
