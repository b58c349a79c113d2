// The share of the connections that work of one kind may hold.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { type ConnectionShares, connectionShares } from '../../src/storage/connection-shares.ts';

const FOR_EVER_MS = 2 ** 31 - 1;
const route = { name: 'GET /charges', isBackground: false };
const job = { name: 'charge.issue', isBackground: true };
/** One connection for each kind. */
const ONE_EACH = { connections: 5, share: 1 / 5, callerWaitMs: FOR_EVER_MS, backgroundWaitMs: FOR_EVER_MS };
const LIKE_THE_POOL = { ...ONE_EACH, connections: 20 };

test('work beyond its share waits in order and gets the place that becomes free; another kind does not wait', async () => {
  const { run } = connectionShares(ONE_EACH);
  const gate = Promise.withResolvers<void>();
  const done: string[] = [];
  const note = (name: string) => async () => void done.push(name);
  const first = run(route, () => gate.promise);
  const waiting = [run(route, note('second')), run(route, note('third'))];
  await run(job, note('other kind'));
  await run(undefined, note('no kind'));
  gate.resolve();
  await Promise.all([first, ...waiting]);
  assert.deepEqual(done, ['other kind', 'no kind', 'second', 'third']);
});

test('a caller is refused at the limit and takes no place; work in the background waits on', async () => {
  const { run } = connectionShares({ ...ONE_EACH, callerWaitMs: 1 });
  const gate = Promise.withResolvers<void>();
  const holders = [run(route, () => gate.promise), run(job, () => gate.promise)];
  const patient = run(job, async () => 'done');
  await assert.rejects(
    run(route, async () => {}),
    { code: 'overloaded' },
  );
  gate.resolve();
  await Promise.all(holders);
  assert.equal(await patient, 'done');
  assert.equal(await run(route, async () => 'served'), 'served');
});

/** Ten calls of a kind that run until they are let go, one after the other. */
function tenOf(run: ConnectionShares['run'], name: string) {
  const gates: PromiseWithResolvers<void>[] = [];
  const calls = Array.from({ length: 10 }, () =>
    run({ name, isBackground: false }, () => {
      const gate = Promise.withResolvers<void>();
      gates.push(gate);
      return gate.promise;
    }),
  );
  let ended = 0;
  return {
    running: () => gates.length - ended,
    endOne: async () => {
      gates[ended]!.resolve();
      await calls[ended++];
    },
  };
}

test('a kind alone holds a fifth of the connections; the more others hold, the fewer, but always one', async () => {
  const { run } = connectionShares(LIKE_THE_POOL);
  const kinds = Array.from({ length: 9 }, (_, place) => tenOf(run, `kind ${place}`));
  const running = () => kinds.map(kind => kind.running());
  assert.deepEqual(running(), [4, 3, 2, 2, 1, 1, 1, 1, 1]);
  // What becomes free goes to those that hold the fewest, or to none.
  await kinds[0]!.endOne();
  assert.deepEqual(running(), [3, 3, 2, 2, 1, 1, 1, 1, 1]);
  for (let ended = 1; ended < 10; ended++) await kinds[0]!.endOne();
  for (const kind of kinds.slice(1, -1)) for (let ended = 0; ended < 10; ended++) await kind.endOne();
  assert.deepEqual(running(), [0, 0, 0, 0, 0, 0, 0, 0, 4]);
  for (let ended = 0; ended < 10; ended++) await kinds[8]!.endOne();
});

test('work that waits is refused when the caller says so, and what runs goes on', async () => {
  const { run, refuseWaiting } = connectionShares(ONE_EACH);
  const gate = Promise.withResolvers<void>();
  const holder = run(route, () => gate.promise);
  const waiting = run(route, async () => {});
  refuseWaiting(() => new AppError('database_unavailable', 'silent'));
  await assert.rejects(waiting, { code: 'database_unavailable' });
  gate.resolve();
  await holder;
  await run(route, async () => {});
});
