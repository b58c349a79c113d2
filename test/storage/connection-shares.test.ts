// The share of the connections that work of one kind may hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connectionShares } from '../../src/storage/connection-shares.ts';

const FOR_EVER_MS = 2 ** 31 - 1;
const route = { name: 'GET /charges', isBackground: false };
const job = { name: 'charge.issue', isBackground: true };

test('work beyond its share waits in order and gets the place that becomes free; another kind does not wait', async () => {
  const share = connectionShares({ max: 1, callerWaitMs: FOR_EVER_MS, backgroundWaitMs: FOR_EVER_MS });
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const note = (name: string) => async () => void done.push(name);
  const first = share(route, () => gate.promise);
  const waiting = [share(route, note('second')), share(route, note('third'))];
  await share(job, note('other kind'));
  await share(undefined, note('no kind'));
  gate.resolve();
  await Promise.all([first, ...waiting]);
  assert.deepEqual(done, ['other kind', 'no kind', 'second', 'third']);
});

test('a caller is refused at the limit and takes no place; work in the background waits on', async () => {
  const share = connectionShares({ max: 1, callerWaitMs: 1, backgroundWaitMs: FOR_EVER_MS });
  const gate = Promise.withResolvers<void>();
  const holders = [share(route, () => gate.promise), share(job, () => gate.promise)];
  const patient = share(job, async () => 'done');
  await assert.rejects(
    share(route, async () => {}),
    { code: 'overloaded' },
  );
  gate.resolve();
  await Promise.all(holders);
  assert.equal(await patient, 'done');
  assert.equal(await share(route, async () => 'served'), 'served');
});
