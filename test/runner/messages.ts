// What a run says to its worker processes, and what they say back.

/** What became of one test; those that only hold others are not told. */
export type TestResult = {
  /** Its name, behind those of the tests around it. */
  readonly name: string;
  /** Why it was skipped. */
  readonly skip?: string;
  /** Why it failed. */
  readonly failure?: string;
};

export type Order = { readonly file: string } | 'end';

export type Report =
  /** A test has begun or ended; what is begun and not ended is named when a file does not end. */
  | { readonly kind: 'begun' | 'ended'; readonly name: string }
  | { readonly kind: 'results'; readonly results: readonly TestResult[] }
  | { readonly kind: 'done'; readonly cpuMs: number; readonly memoryBytes: number };
