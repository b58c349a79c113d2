// A return file as callers see it.
import type { ReadReturn } from './read-return.ts';

export function returnView({ file, isKnown }: ReadReturn) {
  const { id, rail, sequence, madeOn, booked, counts, warnings } = file;
  return {
    id,
    agreement: rail,
    sequence,
    ...(madeOn !== undefined && { madeOn }),
    isKnown,
    entries: booked,
    counts: { ...counts },
    warnings: warnings.map(({ line, count, message }) => ({ line, count, message })),
  };
}
