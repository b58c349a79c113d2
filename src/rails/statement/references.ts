// Assigns a reference to each entry of a file: the same at every import, and different for each entry.
import { contentHash, type Plain } from '../../lib/hash.ts';

/** The number of characters of the SHA-256 of the content that are used: 128 bits. */
const HASH_LENGTH = 32;

type Identity = {
  readonly bankId: string;
  readonly documentNumber: string;
  /** The parsed content of the entry, so that another charset or separator makes no difference. */
  readonly content: Plain;
};

/**
 * Assigns references to the entries of one file, in order. Undefined: the same id with the same content came before, so the
 * bank listed one entry twice.
 *
 * - The id of the bank is the reference. Some banks give one id to several entries; the later ones also get the content hash.
 * - A document number repeats over the months, so the content hash is always added.
 * - Without either, the hash alone. Equal rows are numbered, because two equal payments on one day are two payments.
 */
export function createReferences(): (identity: Identity) => string | undefined {
  const taken = new Set<string>();
  const seen = new Set<string>();
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
      if (seen.has(whole)) return undefined;
      seen.add(whole);
      return claim(bankId) ?? claim(whole);
    }
    const base = `${documentNumber === '' ? 'row' : documentNumber}~${hash}`;
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    return claim(`${base}~${count}`);
  };
}
