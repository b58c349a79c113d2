// Metrics leave nothing behind in a process: counted by searching its whole heap.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { Registry } from 'prom-client';
import { startService } from '../harness/service.ts';

test('a stopped service leaves nothing of its metrics in the process', async () => {
  const startAndStop = async () => {
    await (await startService()).stop();
    return queryObjects(Registry);
  };
  assert.equal(await startAndStop(), await startAndStop());
});
