// Steps that go on where the last run of this process ended.

/** A run looks at so many rows and no more: rows that are still needed would fill every run, and what lies behind them would stay. */
export function resumeSteps<Place, Done extends { readonly next?: string | undefined }>(
  step: (sql: Place, before: Date, from: string | undefined) => Promise<Done>,
): (sql: Place, before: Date, from: string | undefined) => Promise<Done> {
  let last: string | undefined;
  return async (sql, before, from = last) => {
    const done = await step(sql, before, from);
    last = done.next;
    return done;
  };
}
