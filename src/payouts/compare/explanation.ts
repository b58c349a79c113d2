// An operator's explanation of a difference between the books and a chain. It names exactly one subject, so that it excuses no other.

/** The notes on each subject. */
export type Explanations = ReadonlyMap<string, string>;

export const transferSubject = (hash: string) => `transfer ${hash.toLowerCase()}`;
export const slotSubject = (slot: bigint) => `slot ${slot}`;

/** What left between two blocks. A different amount is a different subject. */
export type Span = {
  readonly amount: string;
  readonly symbol: string;
  readonly fromBlock: number;
  readonly toBlock: number;
};
export const spanSubject = ({ amount, symbol, fromBlock, toBlock }: Span) =>
  `${amount} ${symbol} in blocks ${fromBlock}-${toBlock}`;

/** A difference as text, and the subjects that must be explained before it becomes a note. */
export type Difference = { readonly message: string; readonly subjects: readonly string[] };

/** Turns explained differences into notes. */
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
