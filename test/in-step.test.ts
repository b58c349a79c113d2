// What goes on in step: each piece of work is done for all before any of them begins the next.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { asFar, meetingPlace } from '../src/lib/in-step.ts';

/** Each of them arrives, does a first thing and then a second, and it is written down. */
function walkers(meet: () => Promise<void>) {
  const done: string[] = [];
  const walk = async (name: string) => {
    done.push(`${name} came`);
    await meet();
    done.push(`${name} first`);
    await asFar;
    done.push(`${name} second`);
  };
  return { done, walk };
}

test('those that come in one turn go on together at its end, step by step', async () => {
  const { done, walk } = walkers(meetingPlace(10));
  const all = Promise.all([walk('a'), walk('b')]);
  await Promise.resolve();
  assert.deepEqual(done, ['a came', 'b came']);
  await all;
  assert.deepEqual(done, ['a came', 'b came', 'a first', 'b first', 'a second', 'b second']);
});

test('with enough they go on before the turn ends, and who comes later meets others', async () => {
  const { done, walk } = walkers(meetingPlace(2));
  const three = Promise.all([walk('a'), walk('b'), walk('c')]);
  for (let steps = 0; steps < 10; steps++) await Promise.resolve();
  assert.deepEqual(done, ['a came', 'b came', 'c came', 'a first', 'b first', 'a second', 'b second']);
  await three;
  assert.deepEqual(done.slice(-2), ['c first', 'c second']);
});

test('one alone waits for the end of its turn and no longer', async () => {
  const { done, walk } = walkers(meetingPlace(2));
  void walk('a');
  await endOfTurn();
  assert.deepEqual(done, ['a came', 'a first', 'a second']);
});
