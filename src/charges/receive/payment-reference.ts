// The normal form of a payment's reference. People copy ids out of apps and pages, which add invisible characters, full-width letters
// and extra spaces; without a normal form, each variant would count as another payment.

export const MAX_REFERENCE_LENGTH = 255;

/** Zero-width characters, such as U+200B, and control characters other than spaces. */
const INVISIBLE = /(?!\s)[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}]|\uFEFF/gu;

/** The reference in compatibility form (NFKC), without invisible characters, with single spaces. Its case is kept. */
export function normalReference(reference: string): string {
  // Normalize twice: letters that an invisible character separated may now compose.
  const letters = reference.normalize('NFKC').replace(INVISIBLE, '').normalize('NFKC');
  return letters.replace(/\s+/g, ' ').trim();
}

/** Whether it has the form of an endToEndId, which is unique in the country. In either case, since people type them. */
export function isPixId(reference: string): boolean {
  return /^[0-9A-Za-z]{32}$/.test(reference);
}

/** Whether a return file has reported the payment: the reference has nosso número, day, and a hash of the entry. */
export function isFromReturnFile(reference: string): boolean {
  return /^\S+ \d{4}-\d{2}-\d{2} [0-9a-f]{32}$/.test(reference);
}

/** Whether the normal form is neither empty nor too long: the compatibility form may be longer than the input. */
export function isReference(reference: string): boolean {
  const { length } = normalReference(reference);
  return length > 0 && length <= MAX_REFERENCE_LENGTH;
}
