// A thread that answers questions: in order, and another after it has ended.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ThreadEnded, thread } from '../../src/lib/thread.ts';

const doubling = () => thread<number, number>('./doubling-thread', import.meta.url);

test('each question gets its own answer, however many are asked at once', async () => {
  const { ask } = doubling();
  const questions = Array.from({ length: 100 }, (_, index) => index + 1);
  const answers = await Promise.all(questions.map(ask));
  assert.deepEqual(
    answers,
    questions.map(question => question * 2),
  );
});

test('a thread that ends answers nothing that waits, and the next question starts another', async () => {
  const { ask } = doubling();
  assert.equal(await ask(4), 8);
  const ending = await Promise.allSettled([ask(0), ask(5)]);
  assert.ok(ending.every(({ status }) => status === 'rejected'));
  for (const one of ending) assert.ok(one.status === 'rejected' && one.reason instanceof ThreadEnded);
  assert.equal(await ask(6), 12);
});
