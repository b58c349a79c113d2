// Messages between a run and its worker processes.

/** The result of one test; suites and files have no result of their own. */
export type TestResult = {
  /** Its name, preceded by those of the enclosing tests. */
  readonly name: string;
  /** Why it was skipped. */
  readonly skip?: string;
  /** Why it failed. */
  readonly failure?: string;
};

export type Order = { readonly file: string } | 'end';

export type Report =
  /** A test has begun. Those that have not ended are named when a file reaches its time limit. */
  | { readonly kind: 'begun' | 'ended'; readonly name: string }
  | { readonly kind: 'results'; readonly results: readonly TestResult[] }
  | { readonly kind: 'done'; readonly cpuMs: number; readonly memoryBytes: number };
