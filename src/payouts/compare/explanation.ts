// What an operator has said of a difference between the books and a chain. It names one thing exactly, so that it excuses no other.

/** The note on each subject. */
export type Explanations = ReadonlyMap<string, string>;

export const transferSubject = (hash: string) => `transfer ${hash.toLowerCase()}`;
export const slotSubject = (slot: bigint) => `slot ${slot}`;

/** What left between two blocks. Another amount is another subject. */
export type Span = {
  readonly amount: string;
  readonly symbol: string;
  readonly fromBlock: number;
  readonly toBlock: number;
};
export const spanSubject = ({ amount, symbol, fromBlock, toBlock }: Span) =>
  `${amount} ${symbol} in blocks ${fromBlock}-${toBlock}`;

/** A difference as text, and what must be explained before it no longer counts. */
export type Difference = { readonly message: string; readonly subjects: readonly string[] };

/** Differences that are explained are notes. */
export function explained(
  differences: readonly Difference[],
  explanations: Explanations,
): { readonly differences: readonly string[]; readonly notes: readonly string[] } {
  const isExplained = ({ subjects }: Difference) => subjects.every(subject => explanations.has(subject));
  const noteOf = ({ message, subjects }: Difference) => {
    const notes = new Set(subjects.map(subject => explanations.get(subject)));
    return `${message}; explained: ${[...notes].join('; ')}`;
  };
  return {
    differences: differences.filter(one => !isExplained(one)).map(({ message }) => message),
    notes: differences.filter(isExplained).map(noteOf),
  };
}
