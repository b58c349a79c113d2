// A background loop: runs until it is stopped, can be woken, and survives a failing run.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { type Loop, startLoop } from '../../src/lib/loop.ts';
import { recordingLog } from '../harness/log.ts';

const FOR_EVER_MS = 2 ** 31 - 1;

/** A task whose runs the test can wait for. */
function countedTask(fail: (run: number) => boolean = () => false) {
  let runs = 0;
  let received = Promise.withResolvers<void>();
  return {
    task: async () => {
      runs++;
      received.resolve();
      received = Promise.withResolvers<void>();
      if (fail(runs)) throw new Error('this run fails');
    },
    runs: () => runs,
    nextRun: () => received.promise,
  };
}

const start = (options: Partial<Parameters<typeof startLoop>[0]> & { task: () => Promise<void> }): Loop =>
  startLoop({ name: 'counting', pauseMs: FOR_EVER_MS, log: recordingLog().log, ...options });

test('it runs at once, and again when it is woken, also during a run', async () => {
  const { task, runs, nextRun } = countedTask();
  const first = nextRun();
  const loop = start({ task });
  await first;
  for (let woken = 0; woken < 3; woken++) {
    const next = nextRun();
    loop.wake();
    await next;
  }
  await loop.stop();
  assert.equal(runs(), 4);
});

test("a failing run is logged with the loop's name, and followed by another", async () => {
  const { log, lines } = recordingLog();
  const { task, nextRun } = countedTask(run => run === 1);
  const first = nextRun();
  const loop = start({ task, log, pauseAfterFailureMs: 1 });
  await first;
  await nextRun();
  await loop.stop();
  assert.equal(lines.length, 1);
  assert.match(lines[0]!, /counting failed; it is retried/);
});

test('a lasting outage is logged once, and again when it returns', async () => {
  const { log, lines } = recordingLog();
  const outages = [true, true, true, false, true];
  let runs = 0;
  const over = Promise.withResolvers<void>();
  const task = async () => {
    const isOut = outages[runs++];
    if (runs > outages.length) over.resolve();
    if (isOut) throw new AppError('database_unavailable', 'The database does not answer.');
  };
  const loop = start({ task, log, pauseMs: 1 });
  await over.promise;
  await loop.stop();
  assert.equal(lines.length, 2);
});

test('a stop waits for the present run, and for one more if no work may be left', async () => {
  for (const [runsAtStop, expected] of [
    [false, 1],
    [true, 2],
  ] as const) {
    const gate = Promise.withResolvers<void>();
    let ended = 0;
    const loop = start({
      runsAtStop,
      task: async () => {
        await gate.promise;
        ended++;
      },
    });
    const stopped = loop.stop();
    gate.resolve();
    await stopped;
    assert.equal(ended, expected);
  }
});

test('a stop with a limit does not wait for a run that hangs', async () => {
  const loop = start({ task: () => new Promise(() => {}), stopLimitMs: 1 });
  await loop.stop();
});
