// The reference of each entry in one file: the same whenever the entry is imported again, and never shared by two.
import { contentHash, type Plain } from '../../lib/hash.ts';

/** Characters of the SHA-256 that stand for an entry's content: 128 bits. */
const HASH_LENGTH = 32;

type Identity = {
  readonly bankId: string;
  readonly documentNumber: string;
  /** What the entry says, as read, so that another charset or separator changes nothing. */
  readonly content: Plain;
};

/**
 * Claims references for the entries of one file, in their order. Undefined means that the same id came with the same
 * content before: the bank told one entry twice.
 *
 * - A bank's id is the reference. Some banks give one id to several entries; the later ones carry their content's hash.
 * - A document number repeats over the months, so it always carries the content's hash.
 * - Without either, the hash alone. Equal rows are numbered, because two equal payments on one day are two payments.
 */
export function createReferences(): (identity: Identity) => string | undefined {
  const taken = new Set<string>();
  const told = new Set<string>();
  const counts = new Map<string, number>();

  const claim = (reference: string): string | undefined => {
    if (taken.has(reference)) return undefined;
    taken.add(reference);
    return reference;
  };

  return ({ bankId, documentNumber, content }) => {
    const hash = contentHash(content).slice(0, HASH_LENGTH);
    if (bankId !== '') {
      const whole = `${bankId}~${hash}`;
      if (told.has(whole)) return undefined;
      told.add(whole);
      return claim(bankId) ?? claim(whole);
    }
    const base = `${documentNumber === '' ? 'row' : documentNumber}~${hash}`;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return claim(`${base}~${count}`);
  };
}
