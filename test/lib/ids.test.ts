import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUuid, uuidV7 } from '../../src/lib/ids.ts';

test('ids of one millisecond are in order, those of a later one come after them, and none comes twice', () => {
  const first = new Date('2026-11-16T12:00:00.000Z');
  const ids = [first, new Date(first.getTime() + 1)].flatMap(at => Array.from({ length: 50_000 }, () => uuidV7(at)));
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids).size, ids.length);
  assert.ok(ids.every(id => isUuid(id) && id[14] === '7'));
});
