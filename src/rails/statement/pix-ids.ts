// Finds the two ids of a pix in bank texts: the txid, chosen by the receiver, and the endToEndId, given by the pix system.

const TXID_LENGTH = 25;
// Exactly 25 characters, so that a longer code never yields a false txid; the text TXID may directly precede it.
const TXID_IN_TEXT = new RegExp(`(?<![0-9A-Z])(?:TXID)?([0-9A-Z]{${TXID_LENGTH}})(?![0-9A-Z])`, 'gi');
const TXID_ALONE = new RegExp(`^[0-9A-Z]{1,${TXID_LENGTH}}$`, 'i');
// E, the institution of the payer (ISPB, 8 digits or letters), the minute of the start (yyyyMMddHHmm), 11 characters chosen by the
// institution.
const END_TO_END_ID =
  /(?<![0-9A-Za-z])E[0-9A-Z]{8}\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-9A-Za-z]{11}(?![0-9A-Za-z])/;

/**
 * The txid in a text, in upper case. Of several candidates the first with both letters and digits is used, because the
 * txids of this service have both; a candidate of only letters or only digits is likely another word or number, and is
 * the second choice.
 */
export function txidIn(text: string): string | undefined {
  let fallback: string | undefined;
  for (const [, run = ''] of text.matchAll(TXID_IN_TEXT)) {
    if (isMixed(run)) return run.toUpperCase();
    fallback ??= run.toUpperCase();
  }
  return fallback;
}

/** An id of the bank that is also a txid, in upper case. Only digits do not count: many banks use long numbers as ids. */
export function txidAsId(id: string): string | undefined {
  return id.length === TXID_LENGTH && TXID_ALONE.test(id) && isMixed(id) ? id.toUpperCase() : undefined;
}

/** The txid in a txid column, in upper case. Longer ids belong to dynamic codes; `***` means no txid. */
export function txidInColumn(value: string): string | undefined {
  return TXID_ALONE.test(value) ? value.toUpperCase() : undefined;
}

/**
 * The endToEndId in a text, as it is written: that is how banks search for it. References are compared without case anyway, see decision
 * 13.
 */
export function endToEndIdIn(text: string): string | undefined {
  return END_TO_END_ID.exec(text)?.[0];
}

export function isEndToEndId(reference: string): boolean {
  return endToEndIdIn(reference) === reference;
}

function isMixed(run: string): boolean {
  return /\d/.test(run) && /[A-Z]/i.test(run);
}
