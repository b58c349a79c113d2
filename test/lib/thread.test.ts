// A thread that answers requests: in order, and another thread after it has ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadEnded, thread } from '../../src/lib/thread.ts';

const doubling = () => thread<number, number>('./doubling-thread', import.meta.url);

test('each request gets its own answer, also with many at once', async () => {
  const { ask } = doubling();
  const questions = Array.from({ length: 100 }, (_, index) => index + 1);
  const answers = await Promise.all(questions.map(ask));
  assert.deepEqual(
    answers,
    questions.map(question => question * 2),
  );
});

test('a thread that ends fails its waiting requests, and the next request starts another', async () => {
  const { ask } = doubling();
  assert.equal(await ask(4), 8);
  const ending = await Promise.allSettled([ask(0), ask(5)]);
  assert.ok(ending.every(({ status }) => status === 'rejected'));
  for (const one of ending) assert.ok(one.status === 'rejected' && one.reason instanceof ThreadEnded);
  assert.equal(await ask(6), 12);
});
