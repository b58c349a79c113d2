// Groups concurrent calls into batches. While fewer than `maxRunning` batches run, the next one starts with all items of the
// current iteration of the event loop; otherwise items wait until a batch ends. See README.md in this folder.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { withoutAuditContext } from '../../lib/audit-context.ts';
import { AppError, isOutage } from '../../lib/errors.ts';

export type Batcher<Item, Result> = {
  /**
   * Adds an item and returns its result. Refuses when too many items wait, or after `stop`. When a batch fails, each of its
   * items is retried singly and succeeds or fails on its own; but an AppError rejects all items of the batch, and an outage
   * also rejects waiting items.
   */
  add(item: Item): Promise<Result>;
  /** Refuses new items, and returns when all accepted ones are done. */
  stop(): Promise<void>;
};

type Limits = {
  /** Items in one batch. */
  readonly maxSize: number;
  /** Batches that run at the same time. */
  readonly maxRunning: number;
  /** Items that wait for a batch. */
  readonly maxWaiting: number;
};

/** Concurrent single retries: when all of them wait for one lock, they must not take every connection. */
const MAX_SINGLES = 4;

/**
 * Calls `flush` with many items at a time; it must return one result per item, in the same order. `isSingle` is true when
 * an item is retried alone after its batch failed: then no other item waits for it.
 */
export function batcher<Item, Result>(
  flush: (items: readonly Item[], isSingle: boolean) => Promise<readonly Result[]>,
  { maxSize, maxRunning, maxWaiting }: Limits,
): Batcher<Item, Result> {
  // A batch serves many requests, so it must not run in the audit context of the one that started it, nor in that of the command
  // that made the batcher.
  const outsideOfRequests = withoutAuditContext(() => AsyncLocalStorage.snapshot());
  const waiting: Waiting<Item, Result>[] = [];
  const running = new Set<Promise<void>>();
  /** Items waiting for a single retry, and those being retried. They do not count as running batches, so a slow one delays no batch. */
  const toRetry: Waiting<Item, Result>[] = [];
  const singles = new Set<Promise<void>>();
  let isStartScheduled = false;
  let isStopped = false;

  function scheduleStart(): void {
    if (isStartScheduled) return;
    isStartScheduled = true;
    setImmediate(() => {
      isStartScheduled = false;
      outsideOfRequests(startBatches);
    });
  }

  function startBatches(): void {
    while (waiting.length > 0 && running.size < maxRunning) {
      const batch = run(waiting.splice(0, maxSize), false).finally(() => {
        running.delete(batch);
        startBatches();
      });
      running.add(batch);
    }
  }

  function startSingles(): void {
    while (toRetry.length > 0 && singles.size < MAX_SINGLES) {
      const single = run(toRetry.splice(0, 1), true).finally(() => {
        singles.delete(single);
        startSingles();
      });
      singles.add(single);
    }
  }

  async function run(batch: readonly Waiting<Item, Result>[], isSingle: boolean): Promise<void> {
    try {
      const results = await flush(
        batch.map(({ item }) => item),
        isSingle,
      );
      assert.equal(results.length, batch.length, 'flush returns one result for every item');
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      // An AppError such as `database_unavailable` concerns all items: single retries would fail too.
      if (isSingle || error instanceof AppError) {
        // Waiting items would meet the same outage. Nothing was sent for them.
        const inVain = !isSingle && isOutage(error) ? waiting.splice(0) : [];
        for (const { reject } of [...batch, ...inVain]) reject(error);
      } else {
        toRetry.push(...batch);
        startSingles();
      }
    }
  }

  return {
    add: async item => {
      if (isStopped) throw new AppError('stopping', 'The service is stopping; try again shortly.');
      if (waiting.length >= maxWaiting)
        throw new AppError('overloaded', 'Too many requests are waiting; try again shortly.');
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ item, resolve, reject });
      scheduleStart();
      return promise;
    },

    stop: async () => {
      isStopped = true;
      startBatches();
      while (running.size + singles.size > 0) await Promise.all([...running, ...singles]);
    },
  };
}

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};
