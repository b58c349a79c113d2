// The one spelling of a payment's reference. People copy ids out of apps and pages, which add characters that cannot be seen, full-width
// letters and more spaces than one; without one spelling each of them would be a further payment.

export const MAX_REFERENCE_LENGTH = 255;

/** Characters without a width, such as U+200B, and control characters that are no space. */
const INVISIBLE = /(?!\s)[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]|\uFEFF/gu;

/** The reference in compatibility form (NFKC), without what cannot be seen, with single spaces. Its case is kept. */
export function normalReference(reference: string): string {
  // Twice: letters that an invisible character held apart may compose.
  const letters = reference.normalize('NFKC').replace(INVISIBLE, '').normalize('NFKC');
  return letters.replace(/\s+/g, ' ').trim();
}

/** Whether it has the form of an endToEndId, which belongs to one pix in the whole country. In either case, as people type them. */
export function isPixId(reference: string): boolean {
  return /^[0-9A-Za-z]{32}$/.test(reference);
}

/** Whether a return file has reported the payment: the reference has nosso número, day, and a hash of the entry. */
export function isFromReturnFile(reference: string): boolean {
  return /^\S+ \d{4}-\d{2}-\d{2} [0-9a-f]{32}$/.test(reference);
}

/** Whether something is left to store, and not too much: the compatibility form may be longer. */
export function isReference(reference: string): boolean {
  const { length } = normalReference(reference);
  return length > 0 && length <= MAX_REFERENCE_LENGTH;
}
