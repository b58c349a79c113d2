// The two ids by which a pix is known, as banks print them: the txid the receiver chose, the endToEndId the system gave.

const TXID_LENGTH = 25;
// A run of exactly 25, so that a longer code is never cut into a false txid; the word TXID may be glued to it.
const TXID_IN_TEXT = new RegExp(`(?<![0-9A-Z])(?:TXID)?([0-9A-Z]{${TXID_LENGTH}})(?![0-9A-Z])`, 'gi');
const TXID_ALONE = new RegExp(`^[0-9A-Z]{1,${TXID_LENGTH}}$`, 'i');
// E, the payer's institution (8 digits), the minute it began (yyyyMMddHHmm), 11 of its own choice.
const END_TO_END_ID =
  /(?<![0-9A-Za-z])E\d{8}\d{4}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])[0-5]\d[0-9A-Za-z]{11}(?![0-9A-Za-z])/;

/**
 * The txid printed in a text, in upper case. Of several runs the first with both letters and digits is taken, as ours
 * have; a run of one kind only is more likely a word or a number, and is taken when nothing better stands there.
 */
export function txidIn(text: string): string | undefined {
  let fallback: string | undefined;
  for (const [, run = ''] of text.matchAll(TXID_IN_TEXT)) {
    if (isMixed(run)) return run.toUpperCase();
    fallback ??= run.toUpperCase();
  }
  return fallback;
}

/** A bank's own id that is also a txid, in upper case. Digits alone are not: many banks number with long digits. */
export function txidAsId(id: string): string | undefined {
  return id.length === TXID_LENGTH && TXID_ALONE.test(id) && isMixed(id) ? id.toUpperCase() : undefined;
}

/** What a txid column holds, in upper case; longer ids belong to dynamic codes, and `***` means none. */
export function txidInColumn(value: string): string | undefined {
  return TXID_ALONE.test(value) ? value.toUpperCase() : undefined;
}

/** The endToEndId in a text; its letters keep their case, which tells ids apart. */
export function endToEndIdIn(text: string): string | undefined {
  return END_TO_END_ID.exec(text)?.[0];
}

function isMixed(run: string): boolean {
  return /\d/.test(run) && /[A-Z]/i.test(run);
}
