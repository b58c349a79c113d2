// What is handed in at the same time is done together, and each gets its own result.
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { batcher } from '../src/lib/batcher.ts';
import { AppError } from '../src/lib/errors.ts';

/** A batcher of numbers whose batches go on only when the test lets them; each number's result is ten times as much. */
function heldBatcher(limits: Partial<Parameters<typeof batcher>[1]> = {}) {
  const begun: { readonly items: readonly number[]; end(error?: Error): void }[] = [];
  const { add, pause, stop } = batcher<number, number>(
    items =>
      new Promise((resolve, reject) => {
        begun.push({ items, end: error => (error ? reject(error) : resolve(items.map(item => item * 10))) });
      }),
    { maxSize: 3, maxRunning: 1, maxWaiting: 100, ...limits },
  );
  return { add, pause, stop, begun, sizes: () => begun.map(({ items }) => items.length) };
}

test('one alone goes at once, and those that come meanwhile go together after it', async () => {
  const { add, begun } = heldBatcher();
  const first = add(1);
  await nextTurn();
  assert.deepEqual(begun[0]?.items, [1]);
  const others = [add(2), add(3)];
  await nextTurn();
  assert.equal(begun.length, 1);
  begun[0]!.end();
  assert.equal(await first, 10);
  assert.deepEqual(begun[1]?.items, [2, 3]);
  begun[1]!.end();
  assert.deepEqual(await Promise.all(others), [20, 30]);
});

test('those of one turn go together, no more than fit, and no more batches at a time than allowed', async () => {
  const { add, begun, sizes } = heldBatcher({ maxRunning: 2 });
  const all = Array.from({ length: 8 }, (_, item) => add(item));
  await nextTurn();
  assert.deepEqual(sizes(), [3, 3]);
  begun[1]!.end();
  await all[3];
  assert.deepEqual(sizes(), [3, 3, 2]);
  for (const index of [0, 2]) begun[index]!.end();
  assert.deepEqual(await Promise.all(all), [0, 10, 20, 30, 40, 50, 60, 70]);
});

test('beside one that is under way another goes when enough wait for it, and all go when there is none', async () => {
  const { add, begun, sizes } = heldBatcher({ maxRunning: 2, enough: 2 });
  const all = [add(0)];
  await nextTurn();
  all.push(add(1));
  await nextTurn();
  assert.deepEqual(sizes(), [1]);
  all.push(add(2));
  await nextTurn();
  assert.deepEqual(sizes(), [1, 2]);
  all.push(add(3));
  begun[0]!.end();
  await all[0];
  assert.deepEqual(sizes(), [1, 2]);
  begun[1]!.end();
  await all[1];
  assert.deepEqual(sizes(), [1, 2, 1]);
  begun[2]!.end();
  assert.deepEqual(await Promise.all(all), [0, 10, 20, 30]);
});

test('enough of them do not wait for the rest of their turn', async () => {
  const { add, begun, sizes } = heldBatcher({ maxRunning: 2, enough: 2 });
  const all = Array.from({ length: 6 }, (_, item) => add(item));
  assert.deepEqual(sizes(), [2, 2]);
  await nextTurn();
  assert.deepEqual(sizes(), [2, 2]);
  begun[0]!.end();
  await all[0];
  assert.deepEqual(sizes(), [2, 2, 2]);
  for (const index of [1, 2]) begun[index]!.end();
  assert.deepEqual(await Promise.all(all), [0, 10, 20, 30, 40, 50]);
});

test('when a batch fails, each of it is tried alone and fails for itself', async () => {
  const { add, begun, sizes } = heldBatcher({ maxSize: 2 });
  const all = Promise.allSettled([add(1), add(2), add(3)]);
  await nextTurn();
  begun[0]!.end(new Error('one of them'));
  await nextTurn();
  assert.deepEqual(sizes(), [2, 1, 1, 1]);
  // Those that are tried alone keep nobody waiting.
  begun[3]!.end();
  begun[2]!.end(new Error('this one'));
  begun[1]!.end();
  assert.deepEqual(
    (await all).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('a batch that lacks what all of it needs fails as a whole, and the next is tried', async () => {
  const { add, begun, sizes } = heldBatcher({ maxSize: 2 });
  const all = Promise.allSettled([add(1), add(2), add(3)]);
  await nextTurn();
  begun[0]!.end(new AppError('unavailable', 'no'));
  await nextTurn();
  begun[1]!.end();
  assert.deepEqual(sizes(), [2, 1]);
  assert.deepEqual(
    (await all).map(({ status }) => status),
    ['rejected', 'rejected', 'fulfilled'],
  );
});

test('when too many wait, more are refused, and those that wait are served', async () => {
  const { add, begun } = heldBatcher({ maxWaiting: 2 });
  const first = add(1);
  await nextTurn();
  const waiting = [add(2), add(3)];
  await assert.rejects(add(4), { code: 'unavailable' });
  begun[0]!.end();
  await first;
  begun[1]!.end();
  assert.deepEqual(await Promise.all(waiting), [20, 30]);
});

const FOR_EVER_MS = 2 ** 31 - 1;

test('work that gives way is begun at the pause of the other, with all that has come meanwhile', async () => {
  const first = heldBatcher();
  const later = heldBatcher({ giveWay: () => first.pause(FOR_EVER_MS) });
  const taken = [first.add(1), first.add(2), first.add(3), first.add(4)];
  const waiting = [later.add(5)];
  await nextTurn();
  waiting.push(later.add(6));
  first.begun[0]!.end();
  await Promise.all(taken.slice(0, 3));
  assert.deepEqual([first.sizes(), later.sizes()], [[3, 1], []]);
  first.begun[1]!.end();
  await taken[3];
  await nextTurn();
  assert.deepEqual(later.sizes(), [2]);
  later.begun[0]!.end();
  assert.deepEqual(await Promise.all(waiting), [50, 60]);
  const next = later.add(7);
  await nextTurn();
  assert.deepEqual(later.sizes(), [2, 1], 'where nothing is under way nobody waits');
  later.begun[1]!.end();
  await next;
});

test('patience ends where there is no pause', async t => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const first = heldBatcher();
  const later = heldBatcher({ giveWay: () => first.pause(100) });
  const [taken, waiting] = [first.add(1), later.add(2)];
  await nextTurn();
  t.mock.timers.tick(99);
  await nextTurn();
  assert.deepEqual(later.sizes(), []);
  t.mock.timers.tick(1);
  await nextTurn();
  assert.deepEqual(later.sizes(), [1]);
  later.begun[0]!.end();
  first.begun[0]!.end();
  assert.deepEqual(await Promise.all([taken, waiting]), [10, 20]);
});

test('a stop takes nothing more and waits for all that was taken', async () => {
  const { add, stop, begun } = heldBatcher({ maxSize: 1 });
  const taken = [add(1), add(2)];
  let isStopped = false;
  const stopping = stop().then(() => {
    isStopped = true;
  });
  await assert.rejects(add(3), { code: 'unavailable' });
  begun[0]!.end();
  await taken[0];
  await nextTurn();
  assert.deepEqual([isStopped, begun[1]?.items], [false, [2]]);
  begun[1]!.end();
  await stopping;
  assert.deepEqual(await Promise.all(taken), [10, 20]);
});

for (const limits of [{}, { enough: 2 }]) {
  test(`a batch runs in nobody’s name, and whoever handed in goes on in their own ${JSON.stringify(limits)}`, async () => {
    const name = new AsyncLocalStorage<string>();
    const { add } = batcher<string, string | undefined>(async items => items.map(() => name.getStore()), {
      maxSize: 2,
      maxRunning: 1,
      maxWaiting: 10,
      ...limits,
    });
    const ask = (who: string) => name.run(who, async () => [await add(who), name.getStore()]);
    assert.deepEqual(await Promise.all(['ana', 'bia', 'caio'].map(ask)), [
      [undefined, 'ana'],
      [undefined, 'bia'],
      [undefined, 'caio'],
    ]);
  });
}
