// What is asked for at the same time is done together: while some are under way, the next ones gather. Nobody waits when
// nothing is under way.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from './errors.ts';

export type Batcher<Item, Result> = {
  /**
   * Hands an item in and returns its own result. Refuses as unavailable when too many wait already, or after `stop`. When a
   * batch fails, each of its items is tried alone and fails for itself; unless it failed with an AppError, which all get.
   */
  add(item: Item): Promise<Result>;
  /** Returns when no batch is under way and nothing waits for one, or when that has not come to pass within the time. */
  pause(patienceMs: number): Promise<void>;
  /** Takes nothing more, and returns when all that was taken is done. */
  stop(): Promise<void>;
};

type Limits = {
  /** How many go together at most. */
  readonly maxSize: number;
  /** How many batches are under way at most. */
  readonly maxRunning: number;
  /**
   * When so many are together they go at once, in the midst of a turn of the event loop and beside others that are under way;
   * while any are under way, fewer wait. Without it, those that come in one turn are enough. `flush` must not hand in itself.
   */
  readonly enough?: number;
  /** How many wait for their batch at most. */
  readonly maxWaiting: number;
  /** Awaited before a batch is gathered: work that can wait lets other work go first, and more goes together. Must not fail. */
  readonly giveWay?: () => Promise<void>;
};

/**
 * Hands items to `flush`, many at a time; it returns one result for each, in their order. It is told when an item is tried
 * alone, after its batch has failed: then nobody else waits for it.
 */
export function batcher<Item, Result>(
  flush: (items: readonly Item[], isAlone: boolean) => Promise<readonly Result[]>,
  { maxSize, maxRunning, enough, maxWaiting, giveWay }: Limits,
): Batcher<Item, Result> {
  // A batch belongs to nobody: it must not run in the name of the request that happened to set it off.
  const inNobodysName = AsyncLocalStorage.snapshot();
  const waiting: Waiting<Item, Result>[] = [];
  const running = new Set<Promise<void>>();
  const singles = new Set<Promise<void>>();
  const pausing = new Set<() => void>();
  let isStartDue = false;
  let isStopped = false;

  /** Whoever comes in the same turn of the event loop goes along, unless there are enough before. */
  function startSoon(): void {
    if (isStartDue) return;
    isStartDue = true;
    setImmediate(() => {
      isStartDue = false;
      inNobodysName(start);
    });
  }

  function start(): void {
    while (isDue()) {
      const batch = (giveWay ? giveWay().then(runNext) : runNext()).finally(() => {
        running.delete(batch);
        start();
        if (isQuiet()) for (const end of pausing) end();
      });
      running.add(batch);
    }
  }

  function isDue(): boolean {
    if (running.size === 0) return waiting.length > 0;
    return running.size < maxRunning && waiting.length >= (enough ?? 1);
  }

  function runNext(): Promise<void> {
    return run(waiting.splice(0, maxSize), false);
  }

  const isQuiet = () => running.size === 0 && waiting.length === 0;

  async function run(batch: readonly Waiting<Item, Result>[], isAlone: boolean): Promise<void> {
    // While way was given, another batch may have taken them.
    if (batch.length === 0) return;
    try {
      const results = await flush(
        batch.map(({ item }) => item),
        isAlone,
      );
      assert.equal(results.length, batch.length, 'every item has a result');
      for (const [index, { resolve }] of batch.entries()) resolve(results[index]!);
    } catch (error) {
      // Without what all of them need, none would fare better alone.
      if (!isAlone && !(error instanceof AppError)) for (const one of batch) runAlone(one);
      else for (const { reject } of batch) reject(error);
    }
  }

  /** Beside the batches: one that takes long must not keep the next ones waiting. */
  function runAlone(one: Waiting<Item, Result>): void {
    const single = run([one], true).finally(() => singles.delete(single));
    singles.add(single);
  }

  return {
    add: async item => {
      if (isStopped) throw new AppError('unavailable', 'The service is stopping; try again shortly.');
      if (waiting.length >= maxWaiting) throw new AppError('unavailable', 'Too many are waiting; try again shortly.');
      const { promise, resolve, reject } = Promise.withResolvers<Result>();
      waiting.push({ item, resolve, reject });
      if (enough !== undefined && waiting.length >= enough) inNobodysName(start);
      else startSoon();
      return promise;
    },

    pause: patienceMs =>
      new Promise(resolve => {
        if (isQuiet()) return resolve();
        const timer = setTimeout(end, patienceMs);
        function end(): void {
          clearTimeout(timer);
          pausing.delete(end);
          resolve();
        }
        pausing.add(end);
      }),

    stop: async () => {
      isStopped = true;
      start();
      while (running.size + singles.size > 0) await Promise.all([...running, ...singles]);
    },
  };
}

type Waiting<Item, Result> = {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
};
