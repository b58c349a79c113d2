// Concurrent calls go into one batch, and each gets its own result.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { AppError } from '../../../src/lib/errors.ts';
import { batcher } from '../../../src/storage/batching/batcher.ts';

/** A batcher of numbers whose batches end only when the test says so; each number's result is ten times the number. */
function heldBatcher(limits: Partial<Parameters<typeof batcher>[1]> = {}) {
  const begun: { readonly items: readonly number[]; end(error?: Error): void }[] = [];
  const { add, stop } = batcher<number, number>(
    items =>
      new Promise((resolve, reject) => {
        begun.push({ items, end: error => (error ? reject(error) : resolve(items.map(item => item * 10))) });
      }),
    { maxSize: 3, maxRunning: 1, maxWaiting: 100, ...limits },
  );
  return { add, stop, begun, sizes: () => begun.map(({ items }) => items.length) };
}

test('a single call goes at once, and calls during it go together afterwards', async () => {
  const { add, begun } = heldBatcher();
  const first = add(1);
  await nextTick();
  assert.deepEqual(begun[0]?.items, [1]);
  const others = [add(2), add(3)];
  await nextTick();
  assert.equal(begun.length, 1);
  begun[0]!.end();
  assert.equal(await first, 10);
  assert.deepEqual(begun[1]?.items, [2, 3]);
  begun[1]!.end();
  assert.deepEqual(await Promise.all(others), [20, 30]);
});

test('calls of one tick go together, up to the size of a batch and the number of concurrent batches', async () => {
  const { add, begun, sizes } = heldBatcher({ maxRunning: 2 });
  const all = Array.from({ length: 8 }, (_, item) => add(item));
  await nextTick();
  assert.deepEqual(sizes(), [3, 3]);
  begun[1]!.end();
  await all[3];
  assert.deepEqual(sizes(), [3, 3, 2]);
  for (const index of [0, 2]) begun[index]!.end();
  assert.deepEqual(await Promise.all(all), [0, 10, 20, 30, 40, 50, 60, 70]);
});

test('when a batch fails, each of its items is tried singly and fails by itself', async () => {
  const { add, begun, sizes } = heldBatcher({ maxSize: 2 });
  const all = Promise.allSettled([add(1), add(2), add(3)]);
  await nextTick();
  begun[0]!.end(new Error('one of them'));
  await nextTick();
  assert.deepEqual(sizes(), [2, 1, 1, 1]);
  // Items retried singly do not delay the next batch.
  begun[3]!.end();
  begun[2]!.end(new Error('this one'));
  begun[1]!.end();
  assert.deepEqual(
    (await all).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a batch that lacks a common resource fails as a whole, together with waiting calls; later calls are tried', async () => {
  const { add, begun, sizes } = heldBatcher({ maxSize: 2 });
  const all = Promise.allSettled([add(1), add(2), add(3)]);
  await nextTick();
  begun[0]!.end(new AppError('database_unavailable', 'no'));
  assert.deepEqual(
    (await all).map(({ status }) => status),
    ['rejected', 'rejected', 'rejected'],
  );
  const later = add(4);
  await nextTick();
  begun[1]!.end();
  assert.equal(await later, 40);
  assert.deepEqual(sizes(), [2, 1]);
});

test('when too many calls wait, more are refused, and the waiting ones are served', async () => {
  const { add, begun } = heldBatcher({ maxWaiting: 2 });
  const first = add(1);
  await nextTick();
  const waiting = [add(2), add(3)];
  await assert.rejects(add(4), { code: 'overloaded' });
  begun[0]!.end();
  await first;
  begun[1]!.end();
  assert.deepEqual(await Promise.all(waiting), [20, 30]);
});

test('a stop accepts no more and waits for all accepted calls', async () => {
  const { add, stop, begun } = heldBatcher({ maxSize: 1 });
  const taken = [add(1), add(2)];
  let isStopped = false;
  const stopping = stop().then(() => {
    isStopped = true;
  });
  await assert.rejects(add(3), { code: 'stopping' });
  begun[0]!.end();
  await taken[0];
  await nextTick();
  assert.deepEqual([isStopped, begun[1]?.items], [false, [2]]);
  begun[1]!.end();
  await stopping;
  assert.deepEqual(await Promise.all(taken), [10, 20]);
});

test('a batch runs outside of every request’s context, and each caller continues in its own', async () => {
  const name = new AsyncLocalStorage<string>();
  const { add } = batcher<string, string | undefined>(async items => items.map(() => name.getStore()), {
    maxSize: 2,
    maxRunning: 1,
    maxWaiting: 10,
  });
  const ask = (who: string) => name.run(who, async () => [await add(who), name.getStore()]);
  assert.deepEqual(await Promise.all(['ana', 'bia', 'caio'].map(ask)), [
    [undefined, 'ana'],
    [undefined, 'bia'],
    [undefined, 'caio'],
  ]);
});
