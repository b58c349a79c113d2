// The kinds of background jobs. Each noun declares the kinds of the jobs that it handles.

/** The name of a queue and the type of its payloads. A payload holds ids only: the handler reads the rest when it runs. */
export type JobKind<Payload extends object> = {
  readonly name: string;
  /** Never set: it only carries the type. */
  readonly payload?: Payload;
};

/** The type of the payloads of a kind. */
export type PayloadOf<Kind> = Kind extends JobKind<infer Payload> ? Payload : never;

/**
 * @example
 * export const RETIRE = defineJob<{ accountId: string; chargeId: string; method: Method }>('charge.retire');
 */
export function defineJob<Payload extends object>(name: string): JobKind<Payload> {
  return { name };
}

/** `postponed`: an external system has not decided yet; the job runs again later and does not count as failed. */
export type JobOutcome = 'done' | 'postponed';

export type JobHandler = {
  readonly name: string;
  run(payload: object): Promise<JobOutcome>;
};

/**
 * A job whose handler throws runs again later, like a postponed one. The worker logs it as failed, unless a rail, a chain or
 * a price source did not answer: then it waits.
 */
export function handleJob<Payload extends object>(
  { name }: JobKind<Payload>,
  run: (payload: Payload) => Promise<JobOutcome>,
): JobHandler {
  // Only `enqueue` writes payloads, and its types allow only the payload of this kind.
  return { name, run: payload => run(payload as Payload) };
}

/** A job in a backup. */
export type SavedJob = { readonly id: string; readonly name: string; readonly data: object; readonly startAfter: Date };
