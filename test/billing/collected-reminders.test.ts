// Reminders of a charge that the payer's bank pays by Pix Automático: none asks for what the bank pays by itself,
// and one says that the bank brought nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMandatesAtPsp } from '../harness/mandates-at-psp.ts';
import { UNCUT } from '../harness/steps.ts';

test('what an approved mandate collects is not reminded of, until the collection has failed', async () => {
  const at = await startMandatesAtPsp();
  const node = await at.openNode();
  try {
    for (const rule of [{ when: 'before', days: 2 }, { when: 'on' }, { when: 'after', days: 3 }, { when: 'failed' }]) {
      const made = await at.service.post('/reminders/rules', { accountId: 'acme', channels: ['event'], ...rule });
      assert.equal(made.status, 201, made.text);
    }
    const remindersOf = async (chargeId: string): Promise<string[]> =>
      (await at.service.get(`/charges/${chargeId}/reminders`)).json.reminders
        .reverse()
        .map(({ when, status, cause }: Record<string, string>) => [when, status, cause].filter(Boolean).join(' '));
    const remindUntil = async (last: string) => {
      for (let day = at.day(0); day <= last; day = at.day(1)) {
        await at.until(day, '10');
        const now = at.service.clock.now().toISOString();
        await node.run('plan reminders', { chargeId: '' }, { now, place: node.place, steps: UNCUT });
        await at.work();
      }
    };
    const dueDay = at.day(5);
    const { id, chargeId } = await at.collected(dueDay);
    const unapproved = await at.newCharge(dueDay);
    assert.equal((await at.collect(await at.started(), unapproved)).status, 201);
    const canceled = await at.collected(dueDay);
    assert.equal((await at.cancelCollection(canceled.collectionId)).status, 200);
    await at.work();
    at.psp.automatic.setAccount({ idRec: (await at.read(id)).recurrenceId, balance: '0.00' });
    await remindUntil(dueDay);
    assert.deepEqual(await remindersOf(chargeId), ['before SKIPPED collected', 'on SKIPPED collected']);
    await remindUntil(at.day(3));
    assert.equal((await at.read(id)).collections[0].status, 'EXPIRED');
    const [, , ...later] = await remindersOf(chargeId);
    assert.deepEqual(later.sort(), ['after ANNOUNCED', 'failed ANNOUNCED']);
    // The payer's bank was never asked, or no longer.
    for (const one of [unapproved, canceled.chargeId]) {
      assert.deepEqual(await remindersOf(one), ['before ANNOUNCED', 'on ANNOUNCED', 'after ANNOUNCED']);
    }
  } finally {
    await node.close();
    await at.stop();
  }
});
