// Answers of a PSP about a mandate that are lost, late or unexpected: it gets one recurrence, and shows what the PSP says.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { HOUR_MS, type MandatesAtPsp, startMandatesAtPsp } from '../harness/mandates-at-psp.ts';

let at: MandatesAtPsp;
before(async () => {
  at = await startMandatesAtPsp();
});
after(() => at.stop());

test('a lost answer makes no second recurrence, and a lost notification is found', async () => {
  const before = at.psp.state().recs.length;
  at.psp.setFault({ kind: 'lost-reply', on: { method: 'POST', path: '/rec' }, count: 1 });
  const id = await at.started();
  assert.equal((await at.read(id)).status, 'CREATED');
  assert.equal(at.psp.state().recs.length, before + 1);
  at.psp.setFault({ kind: 'notify-drop', count: 1 });
  at.psp.automatic.approve({ emv: (await at.read(id)).emv });
  await at.work();
  assert.equal((await at.read(id)).status, 'CREATED');
  await at.later(HOUR_MS);
  assert.equal((await at.read(id)).status, 'APPROVED');
});
