// What metrics leave behind in a process: counted by walks through its whole heap.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { Registry } from 'prom-client';
import { startService } from '../harness/service.ts';

test('services that ended leave nothing of their metrics behind in the process', async () => {
  const startAndStop = async () => {
    await (await startService()).stop();
    return queryObjects(Registry);
  };
  assert.equal(await startAndStop(), await startAndStop());
});
