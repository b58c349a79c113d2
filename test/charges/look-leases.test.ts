// Two nodes that ask a PSP for payments: one at a time, however long it takes and however their clocks differ.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import type { Rail, ReceiptsByTime } from '../../src/rails/rail.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { testClock } from '../harness/clock.ts';
import { silentLog } from '../harness/log.ts';
import { railSettings } from '../harness/psp.ts';
import { startService } from '../harness/service.ts';
import { startTestPsp } from '../harness/test-psp.ts';

const NOW = '2026-11-16T12:00:00.000Z';

test('while one node asks for payments another does not ask for the same', async t => {
  const clock = testClock(NOW);
  const psp = await startTestPsp({ clock });
  const real = bacenRail(railSettings(psp, { timeoutSeconds: 60 }), { clock, log: silentLog });
  const watch = real.watch as ReceiptsByTime;
  let asked = 0;
  const begun = Promise.withResolvers<void>();
  const answers = Promise.withResolvers<void>();
  const receipts: ReceiptsByTime['receipts'] = async (...times) => {
    if (++asked === 1) {
      begun.resolve();
      await answers.promise;
    }
    return watch.receipts(...times);
  };
  const pix: Rail<'pix'> = { ...real, watch: { ...watch, receipts } };
  const rails = { ...sandboxRails, pix };
  const one = await startService({ now: NOW, rails });
  const other = await startService({ beside: one, rails });
  t.after(async () => {
    await other.stop();
    await one.stop();
    real.stop();
    await psp.stop();
  });
  const { json, text } = await one.post('/charges', chargeBody({ methods: ['pix'] }));
  assert.equal(json.pix.status, 'ACTIVE', text);
  await psp.pay({ emv: json.pix.emv, notify: false });
  // The bank has its own clock.
  for (const each of [one.clock, clock]) each.advanceMs(61_000);
  const looking = one.runJobs();
  await begun.promise;
  one.clock.advanceMs(90_000);
  await other.runJobs();
  assert.equal(asked, 1);
  answers.resolve();
  await looking;
  assert.equal((await one.get(`/charges/${json.id}`)).json.state, 'PAID');
});
