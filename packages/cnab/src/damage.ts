// Whether the lines of a return about a title are intact. Editors and programs take the blanks off the end of a line, which changes
// nothing; a line that was cut inside a field, has other characters for digits, or is shifted states another amount than the bank's.
import type { ReturnedTables } from './bank.ts';
import type { Line } from './lines.ts';
import type { Meaning } from './occurrence.ts';
import { type AnyField, readValue } from './record.ts';

/** The first fault, in a sentence for a person. */
export function damageOf(
  { T, U }: ReturnedTables,
  meaning: Meaning,
  title: Line,
  event: Line | undefined,
): string | undefined {
  const isMoney = meaning === 'paid' || meaning === 'reversed';
  if (isMoney && !event) return 'Its segment U is missing.';
  return (
    damageIn(title, [T.amount, T.fee], [T.dueDay], [T.amount]) ??
    (event && damageIn(event, [U.paid, U.credited], [U.occurrenceDay, U.creditDay], isMoney ? [U.paid] : [])) ??
    (event && namesMoney(event, U) ? damageInMoney(event, U) : undefined)
  );
}

/** A line that is shifted by a digit has ten times its amount, or a tenth, and no days in their columns. */
function damageInMoney(event: Line, { occurrenceDay, creditDay }: ReturnedTables['U']): string | undefined {
  const wrong = [occurrenceDay, creditDay].find(field => readValue(field, event.text).fault !== undefined);
  return wrong ? `Line ${event.number} has no day in ${wrong.label}.` : damageIn(event, [], [], [occurrenceDay]);
}

/** Amounts must be digits, days complete, and needed fields inside the line. */
function damageIn(
  line: Line,
  amounts: readonly AnyField[],
  days: readonly AnyField[],
  needed: readonly AnyField[],
): string | undefined {
  const cut = [...amounts, ...days].find(({ from, to }) => from <= line.length && line.length < to);
  if (cut) return `Line ${line.number} is cut off in ${cut.label}.`;
  const missing = needed.find(({ to }) => line.length < to);
  if (missing) return `Line ${line.number} is cut off before ${missing.label}.`;
  const wrong = amounts.find(field => readValue(field, line.text).fault !== undefined);
  return wrong && `Line ${line.number} has no amount in ${wrong.label}.`;
}

export function namesMoney(event: Line, { paid, credited }: ReturnedTables['U']): boolean {
  return [paid, credited].some(field => (readValue(field, event.text).value ?? 0n) > 0n);
}
