// A rail limits its concurrent calls and its calls a second; a call that waits too long gets a time to retry, and nothing is sent.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bacenRail } from '../../../src/rails/bacen/rail.ts';
import { callLimits, deadlineIn } from '../../../src/rails/bank-client/limits.ts';
import { testClock } from '../../harness/clock.ts';
import { silentLog } from '../../harness/log.ts';
import { CODE, NOW, paymentRequest, startScriptedPsp, TXID } from '../bacen/scripted-psp.ts';

const request = paymentRequest();
const ANSWER = { body: { status: 'ATIVA', pixCopiaECola: CODE } };

test('no more calls run at once than the setting allows, and all are run', async t => {
  const psp = await startScriptedPsp(t);
  const { lookup } = bacenRail({ ...psp.settings, maxConcurrent: 3 }, { clock: testClock(NOW), log: silentLog });
  let [running, most] = [0, 0];
  let release = () => {};
  const threeRun = new Promise<void>(resolve => {
    release = resolve;
  });
  psp.answer(async () => {
    most = Math.max(most, ++running);
    if (running === 3) release();
    await threeRun;
    running--;
    return ANSWER;
  });
  const outcomes = await Promise.all(Array.from({ length: 20 }, () => lookup(request, TXID)));
  assert.ok(outcomes.every(({ kind }) => kind === 'registered'));
  assert.equal(most, 3);
});

test('a call that gets no slot before its deadline is not started, and its slot goes to the next', async () => {
  const limits = callLimits(1, 0);
  let release = () => {};
  const held = new Promise<void>(resolve => {
    release = resolve;
  });
  const first = limits(deadlineIn(60_000), () => held);
  let hasBegun = false;
  const late = async () => {
    hasBegun = true;
  };
  assert.deepEqual(await limits(deadlineIn(20), late), { busyForMs: 1_000 });
  const third = limits(deadlineIn(60_000), async () => 3);
  release();
  assert.deepEqual([await first, await third], [{ value: undefined }, { value: 3 }]);
  assert.equal(hasBegun, false);
});

test('no more calls are made in a second than the setting allows; a call that cannot wait is refused at once', async () => {
  const limits = callLimits(10, 2);
  const work = async () => 'done';
  const turns = await Promise.all([400, 400, 400, 60_000].map(ms => limits(deadlineIn(ms), work)));
  // The last one had to wait.
  assert.deepEqual(turns, [{ value: 'done' }, { value: 'done' }, { busyForMs: 1_000 }, { value: 'done' }]);
});

test('a call over the limit is unavailable with a time to retry, and nothing is sent', async t => {
  const psp = await startScriptedPsp(t);
  const settings = { ...psp.settings, perSecond: 1, timeoutSeconds: 0.9 };
  const { submit } = bacenRail(settings, { clock: testClock(NOW), log: silentLog });
  psp.answer(ANSWER);
  const [, second] = await Promise.all([submit(request, TXID), submit(request, TXID)]);
  assert.deepEqual(second, { kind: 'unavailable', retryAt: new Date(Date.parse(NOW) + 1_000) });
  assert.equal(psp.calls.length, 1);
});
