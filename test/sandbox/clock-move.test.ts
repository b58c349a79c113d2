// A clock move passes a moment only when all work that is due then is done, also work that another node has just swept. The
// other node acts exactly between two reads of the move.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { handleJob } from '../../src/jobs/job.ts';
import { hasNoJobs, type NewerJobs, type Queue, startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS } from '../../src/nouns.ts';
import { FOLLOW_ORDER } from '../../src/orders/charge-follower.ts';
import { findOrder } from '../../src/orders/store.ts';
import { setOrderTimer } from '../../src/orders/store-timers.ts';
import { orderSweep, sweepOrders } from '../../src/orders/sweep.ts';
import { type MoveClockDeps, moveClock } from '../../src/sandbox/clock/move.ts';
import { type SandboxClock, sandboxClock } from '../../src/sandbox/clock/sandbox-clock.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { silentLog } from '../harness/log.ts';
import { orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

const HOUR_MS = 3_600_000;

let service: Service;
let db: Database;
let queue: Queue;
let clock: SandboxClock;
before(async () => {
  service = await startService();
  db = openDatabase({ connection: { connectionString: service.databaseUrl }, log: silentLog });
  queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
  clock = sandboxClock(db, service.clock);
});
after(async () => {
  await queue.stop();
  await db.close();
  await service.stop();
});

/** The two steps of another node: a timer that is due at once, and the sweep that turns it into a job. */
type OtherNode = { setDueTimer(): Promise<void>; sweep(): Promise<void> };

/** Moves the clock by an hour and returns when the job of the other node ran, in hours after the start of the move. */
async function hoursUntilJob(placed: (deps: MoveClockDeps, other: OtherNode) => Partial<MoveClockDeps>) {
  const { transactionId } = (await orderDriver(service).order({ charge: undefined })).json;
  const order = await findOrder(db, transactionId);
  assert(order);
  await clock.refresh();
  const start = clock.now();
  const other: OtherNode = {
    setDueTimer: () => db.transaction(tx => setOrderTimer(tx, order, 'expire', start)),
    sweep: async () => assert.equal(await sweepOrders({ db, queue }, start), 1),
  };
  const ranAfter: number[] = [];
  const follow = handleJob(FOLLOW_ORDER, async () => {
    ranAfter.push((clock.now().getTime() - start.getTime()) / HOUR_MS);
    return 'done';
  });
  const names = ALL_JOBS.map(({ name }) => name);
  const deps: MoveClockDeps = {
    clock,
    db,
    log: silentLog,
    sweeps: [orderSweep({ db, queue })],
    runDueJobs: except => queue.runDue([follow], except),
    hasNoJobs: (tx, except) => hasNoJobs(tx, names, except),
  };
  await moveClock({ ...deps, ...placed(deps, other) }, () => new Date(start.getTime() + HOUR_MS));
  return ranAfter;
}

test('a clock move waits for a job that another node swept after the move had run all jobs', async () => {
  const hours = await hoursUntilJob((deps, other) => {
    let runs = 0;
    const runDueJobs = async (except: NewerJobs) => {
      const ran = await deps.runDueJobs(except);
      // The first run of all jobs is followed by the decision to move on.
      if (++runs === 1) {
        await other.setDueTimer();
        await other.sweep();
      }
      return ran;
    };
    return { runDueJobs };
  });
  assert.deepEqual(hours, [0]);
});

test('a clock move sees a timer or its job, also when another node sweeps between the two reads', async () => {
  const hours = await hoursUntilJob((deps, other) => {
    let reads = 0;
    const readJobs = async (tx: Sql, except: NewerJobs) => {
      const isFirst = ++reads === 1;
      if (isFirst) await other.setDueTimer();
      const none = await deps.hasNoJobs(tx, except);
      if (isFirst) await other.sweep();
      return none;
    };
    return { hasNoJobs: readJobs };
  });
  assert.deepEqual(hours, [0]);
});
