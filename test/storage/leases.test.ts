// A lease lasts as long as its work, and ends soon after its node dies or loses the database.
import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { AppError } from '../../src/lib/errors.ts';
import { keepLease } from '../../src/storage/leases.ts';

beforeEach(t => {
  (t as TestContext).mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
});

/** Time passes in small steps: a lease is renewed between two of them. */
async function pass(t: TestContext, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed++) {
    t.mock.timers.tick(1_000);
    await new Promise(resolve => setImmediate(resolve));
  }
}

/** Work that runs until the test ends it. */
function task() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let signal: AbortSignal | undefined;
  return {
    run: (given: AbortSignal) => {
      signal = given;
      return promise;
    },
    end: resolve,
    isLost: () => signal?.aborted,
    reason: (): unknown => signal?.reason,
  };
}

/** A lease whose loss is ignored. */
const leaseTakenBy = (take: () => Promise<boolean>) => ({ take, release: async () => {} });

test('a lease is renewed for as long as its work goes on, and not after it', async t => {
  let renewals = 0;
  const work = task();
  const kept = keepLease(
    leaseTakenBy(async () => ++renewals > 0),
    work.run,
  );
  await pass(t, 3_600);
  assert.equal(work.isLost(), false);
  assert.ok(renewals >= 3_600 / 20, `${renewals} renewals`);
  work.end();
  await kept;
  const before = renewals;
  await pass(t, 60);
  assert.equal(renewals, before);
});

test('work whose lease another node holds is aborted', async t => {
  const work = task();
  let asked = 0;
  const kept = keepLease(
    leaseTakenBy(async () => ++asked === 1),
    work.run,
  );
  await pass(t, 6);
  assert.equal(work.isLost(), true);
  assert.ok(work.reason() instanceof AppError, 'a command can print it');
  work.end();
  await kept;
});

test('a lease that the database granted slowly expires as early as a quick one', async t => {
  const work = task();
  const given = Promise.withResolvers<void>();
  let asked = 0;
  const take = async () => {
    if (++asked > 1) throw new Error('no answer');
    await given.promise;
    return true;
  };
  const kept = keepLease(leaseTakenBy(take), work.run);
  await pass(t, 15);
  given.resolve();
  await pass(t, 2);
  assert.equal(work.isLost(), false);
  await pass(t, 2);
  assert.equal(work.isLost(), true);
  work.end();
  await kept;
});

test('a short silence of the database has no effect; a long one aborts the work before its lease ends', async t => {
  for (const [silentSeconds, isLost] of [
    [10, false],
    [20, true],
  ] as const) {
    let isSilent = false;
    const work = task();
    const take = async () => {
      if (isSilent) throw new Error('no answer');
      return true;
    };
    const kept = keepLease(leaseTakenBy(take), work.run);
    await pass(t, 60);
    isSilent = true;
    await pass(t, silentSeconds);
    isSilent = false;
    await pass(t, 60);
    assert.equal(work.isLost(), isLost, `${silentSeconds} seconds`);
    work.end();
    await kept;
  }
});

test('failing work ends its lease and passes on its error', async () => {
  await assert.rejects(
    keepLease(
      leaseTakenBy(async () => true),
      () => Promise.reject(new Error('the bank is closed')),
    ),
    /the bank is closed/,
  );
});
