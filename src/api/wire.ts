// Types derived from schemas: what a handler may return, and the valid rest of a faulty request.
import type { ExactNumber } from '../lib/decimals.ts';

/**
 * A value that JSON.stringify writes as a T: lists may be readonly, an optional field may be undefined, which JSON omits, and a number
 * may be decimal text that is written digit for digit.
 */
export type Wire<T> = T extends number
  ? T | ExactNumber
  : T extends readonly (infer Item)[]
    ? readonly Wire<Item>[]
    : T extends object
      ? {
          readonly [Key in keyof T]: Partial<Pick<T, Key>> extends Pick<T, Key>
            ? Wire<T[Key]> | undefined
            : Wire<T[Key]>;
        }
      : T;

/** A T without its faulty parts: any field may be missing, a list is complete. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly Item[]
  : T extends object
    ? { readonly [Key in keyof T]?: DeepPartial<T[Key]> }
    : T;
