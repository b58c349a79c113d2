// What is put into the queue together is kept as one job: a row that is written, taken and ended costs more than what it holds.
import { randomUUID } from 'node:crypto';

/** What a job holds. */
export type Bundle<T> = { readonly all: readonly T[] };

type Job<T> = { readonly id: string; readonly data: Bundle<T> };

/** One thing to do, of a job that may hold many. */
export type Piece<T> = { readonly jobId: string; readonly payload: T; readonly isAlone: boolean };

/** Jobs that hold all of it, so much each at most. */
export function bundled<T>(payloads: readonly T[], size: number): Job<T>[] {
  const jobs: Job<T>[] = [];
  for (let from = 0; from < payloads.length; from += size) {
    jobs.push({ id: randomUUID(), data: { all: payloads.slice(from, from + size) } });
  }
  return jobs;
}

export function piecesOf<T extends object>({ id, data }: { id: string; data: Bundle<T> | T }): Piece<T>[] {
  // A job of an earlier version is what it is told.
  const all = 'all' in data ? data.all : [data];
  return all.map(payload => ({ jobId: id, payload, isAlone: all.length === 1 }));
}
