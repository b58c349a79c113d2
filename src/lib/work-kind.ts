// What the current work is for: a route, a job, a loop, a kind of batch. Kept in AsyncLocalStorage, so that no function has to
// pass it on. The connection pool gives every kind a share of its own.
import { AsyncLocalStorage } from 'node:async_hooks';

export type WorkKind = {
  readonly name: string;
  /** No caller waits for it, so it may wait longer itself. */
  readonly isBackground: boolean;
};

const kinds = new AsyncLocalStorage<WorkKind | undefined>();

/** Runs `work`, and everything it calls, as work of this kind that a caller waits for. */
export function withWorkKind<T>(name: string, work: () => T): T {
  return kinds.run({ name, isBackground: false }, work);
}

/** Runs `work`, and everything it calls, as work of this kind in the background. */
export function withBackgroundKind<T>(name: string, work: () => T): T {
  return kinds.run({ name, isBackground: true }, work);
}

/** Runs `work` as work of no kind: for what is done inside of other work, and must not wait for the end of others like it. */
export function withoutWorkKind<T>(work: () => T): T {
  return kinds.run(undefined, work);
}

export function currentWorkKind(): WorkKind | undefined {
  return kinds.getStore();
}
