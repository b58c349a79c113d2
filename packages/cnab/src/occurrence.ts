// The meaning of a code of a return for a charge, and its text.

/**
 * `confirmed` and `other` change nothing; `announced` is money that the bank reports again as `paid`; `refused` is an instruction that the bank did not
 * carry out; an `unknown` code needs a person.
 */
export type Meaning =
  | 'registered'
  | 'rejected'
  | 'paid'
  | 'announced'
  | 'written_off'
  | 'due_day_changed'
  | 'reversed'
  | 'refused'
  | 'fee'
  | 'confirmed'
  | 'other'
  | 'unknown';

export type Occurrence = { readonly text: string; readonly meaning: Meaning };

export type Occurrences = Readonly<Record<string, Occurrence>>;

export function occurrence(meaning: Meaning, text: string): Occurrence {
  return { meaning, text };
}
