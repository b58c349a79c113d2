import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idsOfOneClock, isUuid, requestUuid } from '../../src/lib/ids.ts';

/** Not shared with the services of this process, which have their own clocks. */
const uuidV7 = idsOfOneClock();

test('ids of one millisecond are in order, those of a later one come after them, and no id is repeated', () => {
  const first = new Date('2026-11-16T12:00:00.000Z');
  const ids = [first, new Date(first.getTime() + 1)].flatMap(at => Array.from({ length: 50_000 }, () => uuidV7(at)));
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every(id => isUuid(id) && id[14] === '7'));
});

test('ids of a halted clock are in order, also with ids of requests in between', () => {
  const at = new Date('2026-11-16T18:00:00.000Z');
  const ids = Array.from({ length: 100 }, () => {
    assert.ok(isUuid(requestUuid()));
    return uuidV7(at);
  });
  assert.deepEqual(ids, [...ids].sort());
});

test('two ids of different milliseconds do not reveal how many were made in between', () => {
  const first = Date.parse('2026-11-17T12:00:00.000Z');
  const countOf = (id: string) => Number.parseInt(id.slice(15, 18) + id.slice(20, 23), 16);
  const counts = Array.from({ length: 20 }, (_, index) => countOf(uuidV7(new Date(first + index))));
  const steps = counts.slice(1).map((count, index) => count - counts[index]!);
  assert.ok(
    steps.every(step => Math.abs(step) > 1),
    'the differences are not counts',
  );
});
