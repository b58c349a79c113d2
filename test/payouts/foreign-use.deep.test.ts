// A key that another program uses, on a real node: noticed before an order is affected, and its slots skipped when the sender resumes.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Drill, openDrill, type PaidOrder } from '../harness/payout-drill/drill.ts';
import { startPayoutService } from '../harness/payout-service.ts';

/** Blocks after which a transaction is final. */
const FINAL = 40;
const STOLEN_UNITS = 7n * 10n ** 18n;

let drill: Drill;
before(async () => {
  drill = await openDrill('evm', 1, 0);
  await drill.pass(FINAL);
});
after(() => drill.close());

/** A transfer with our key, unknown to the service. */
async function sendElsewhere(nonce: bigint): Promise<void> {
  const { chain, random, world } = drill;
  const slot = { network: chain.network, sender: chain.senders[0], nonce };
  const moves = { symbol: 'eth' as const, units: STOLEN_UNITS, to: world.newAddress(random) };
  const signed = await chain.sign({ slot, ...moves }, []);
  assert.ok(signed.kind === 'signed', JSON.stringify(signed));
  const { isSent } = await chain.broadcast({ ...signed, number: 1, kind: 'transfer', signedAt: world.now() });
  assert.ok(isSent);
}

async function pay(): Promise<PaidOrder> {
  const paid = await drill.pay(1);
  await drill.runJobs();
  return paid.at(-1)!;
}

const alarms = async () =>
  (await drill.service.get('/payouts/alarms')).json.alarms
    .map(({ reason, subject }: { reason: string; subject?: string }) => `${reason} ${subject}`)
    .filter((one: string) => one.startsWith('slot_taken'));
const minuteLater = () => drill.pass(3, 61_000);
const nonceOf = async ({ id }: PaidOrder) => {
  const [row] = await drill.db.query<{ nonce: number }>('select nonce::int from payouts where order_id = $1', [id]);
  return row?.nonce;
};
const halted = async () => (await drill.service.get('/payouts/senders/halted')).json.senders.length;

test('a use of the key by another program halts the sender within a minute of its final block, also without an order', async () => {
  const first = await pay();
  await drill.rest();
  await minuteLater();
  assert.equal(await nonceOf(first), 0);
  assert.deepEqual([await alarms(), await halted()], [[], 0], 'own payouts are not foreign use');

  await sendElsewhere(1n);
  await drill.world.pass(1, 0);
  await sendElsewhere(2n);
  await drill.world.pass(1, 0);
  await drill.service.post('/sandbox/clock', { advance: 'PT61S' });
  await drill.service.runJobs();
  assert.deepEqual([await alarms(), await halted()], [[], 0], 'no final block has it yet');
  await drill.pass(FINAL, 61_000);
  assert.deepEqual([await alarms(), await halted()], [[`slot_taken ${drill.chain.senders[0]}`], 1]);
  const waiting = await pay();
  await minuteLater();
  assert.equal(await nonceOf(waiting), undefined, 'nothing leaves');
});

test('a resumed sender skips the used slots', async () => {
  const { service, chain, db } = drill;
  const sender = { network: chain.network, sender: chain.senders[0] };
  const resumed = await service.post('/payouts/senders/resume', sender);
  assert.deepEqual([resumed.status, resumed.json.senders], [200, []], resumed.text);
  await drill.rest();
  await minuteLater();
  const nonces = await db.query<{ nonce: number; state: string }>(
    'select nonce::int, state from payouts order by nonce',
  );
  assert.deepEqual(nonces, [
    { nonce: 0, state: 'final' },
    { nonce: 3, state: 'final' },
  ]);
  assert.deepEqual([await alarms(), await halted()], [[], 0]);
});

test('a sender resumes only when enough nodes show which slots are used, and never goes back', async () => {
  let used: bigint | undefined;
  const sandbox = await startPayoutService(chain => ({ ...chain, usedSlots: async () => used }));
  try {
    const { service, orders, paid, payouts } = sandbox;
    const later = async () => {
      await orders.advance('PT61S');
      await service.runJobs();
      return (await service.get('/payouts/senders/halted')).json.senders;
    };
    const slotOf = async () => (await payouts(await paid()))[0]?.nonce;
    assert.equal(await slotOf(), 0);
    used = 1n;
    assert.deepEqual(await later(), []);
    used = 5n;
    const halted = (await later()).filter(({ network }: { network: string }) => network === 'polygon');
    assert.equal(halted.length, 1);
    const { network, sender } = halted[0];
    used = undefined;
    const refused = await service.post('/payouts/senders/resume', { network, sender });
    assert.deepEqual([refused.status, refused.json.code], [503, 'chain_unavailable'], refused.text);
    assert.equal((await later()).length, 1, 'it stays halted');
    used = 5n;
    assert.deepEqual((await service.post('/payouts/senders/resume', { network, sender })).json.senders, []);
    assert.equal(await slotOf(), 5);

    await service.sql('update chain_senders set halted_at = now()');
    used = 2n;
    assert.equal((await service.post('/payouts/senders/resume', { network, sender })).status, 200);
    assert.equal(await slotOf(), 6, 'nodes that lag do not lower it');
  } finally {
    await sandbox.stop();
  }
});
