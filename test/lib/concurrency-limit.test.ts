// No more calls than the limit run at a time, in order, and a failure frees its place.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTick } from 'node:timers/promises';
import { concurrencyLimit } from '../../src/lib/concurrency-limit.ts';

test('the next starts when one ends, whether it succeeds or fails', async () => {
  const limited = concurrencyLimit(2);
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const started: number[] = [];
  const results = gates.map(({ promise }, index) =>
    limited(() => {
      started.push(index);
      return promise;
    }),
  );
  const settled = Promise.allSettled(results);
  await nextTick();
  assert.deepEqual(started, [0, 1]);
  gates[1]!.reject(new Error('this one fails'));
  await nextTick();
  assert.deepEqual(started, [0, 1, 2]);
  gates[0]!.resolve(0);
  gates[2]!.resolve(2);
  await nextTick();
  assert.deepEqual(started, [0, 1, 2, 3, 4]);
  gates[3]!.resolve(3);
  gates[4]!.resolve(4);
  assert.deepEqual(
    (await settled).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
});
