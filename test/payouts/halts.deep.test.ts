// Halts and gaps: a slot that an operator has seen halts its sender once, and unsent slots are shown and filled.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Sighting } from '../../src/chains/chain.ts';
import { type Drill, openDrill } from '../harness/payout-drill/drill.ts';
import { startPayoutService } from '../harness/payout-service.ts';

const stops: (() => Promise<void>)[] = [];
after(async () => {
  for (const stop of stops.reverse()) await stop();
});

test('a briefly unclear slot does not halt a sender again that an operator has resumed', async () => {
  let seen: Sighting | undefined;
  const sandbox = await startPayoutService(chain => ({
    ...chain,
    lookup: async (...asked) => seen ?? chain.lookup(...asked),
  }));
  stops.push(() => sandbox.stop());
  const { service, orders, paid } = sandbox;
  const halted = async () => (await service.get('/payouts/senders/halted')).json.senders;
  const look = async (sighting: Sighting) => {
    seen = sighting;
    await orders.advance('PT1H');
    await service.runJobs();
  };
  await paid({ network: 'bsc' });
  await look({ kind: 'taken' });
  const [{ network, sender }] = await halted();
  await look({ kind: 'unknown', isAnswered: true });
  assert.equal((await service.post('/payouts/senders/resume', { network, sender })).status, 200);
  await look({ kind: 'unknown', isAnswered: true });
  await look({ kind: 'taken' });
  assert.deepEqual(await halted(), []);
});

const FIRST = 3;

/** As when a provider reports a first nonce that is too high. */
async function withGap(seed: number): Promise<Drill> {
  const drill = await openDrill('evm', seed, 4);
  stops.push(() => drill.close());
  const { network, senders } = drill.chain;
  await drill.db.query('insert into chain_senders (network, sender, next_nonce) values ($1, $2, $3)', [
    network,
    senders[0],
    FIRST,
  ]);
  await drill.pay(1);
  await drill.runJobs();
  await drill.pass(3, 61_000);
  return drill;
}

test('unsent slots are shown, and filled by transactions that move nothing, also when the process dies in between', async () => {
  const drill = await withGap(41);
  const { service, chain, db } = drill;
  const { network, senders } = chain;
  assert.equal(await drill.world.outgoing(), 0, 'nothing behind the gap is mined');
  const status = async () => (await service.get('/chains')).json.chains[0];
  const shown = await status();
  assert.deepEqual(shown.senders[0].missingSlots, ['0', '1', '2']);
  assert.ok(
    shown.faults.some((message: string) => message.includes(`trilho payouts fill-gap --network ${network}`)),
    shown.faults.join(),
  );
  const alarms = async () =>
    (await service.get('/payouts/alarms')).json.alarms.map(({ reason }: { reason: string }) => reason);
  assert.deepEqual(await alarms(), ['nonce_gap']);

  const filled = await service.post('/payouts/senders/fill-gap', { network });
  assert.equal(filled.status, 200, filled.text);
  assert.deepEqual(
    filled.json.payouts.map(({ nonce, purpose, quantity }: Record<string, string>) => [nonce, purpose, quantity]),
    ['0', '1', '2'].map(nonce => [nonce, 'gap_fill', '0']),
  );
  // The process dies before its jobs run, and the request is repeated.
  await db.query(`delete from pgboss.job where name like 'payout.advance%'`);
  assert.equal((await service.post('/payouts/senders/fill-gap', { network })).json.payouts.length, 3);
  const [{ fills }] = (await db.query<{ fills: number }>(
    'select count(*)::int as fills from payouts where is_gap_fill',
  )) as [{ fills: number }];
  assert.equal(fills, 3);
  await drill.pass(1, 10_000);
  await drill.rest();
  await drill.pass(12, 600_000);
  const states = await db.query<{ state: string; purpose: boolean }>(
    'select state, is_gap_fill as purpose from payouts where sender = $1 order by nonce',
    [senders[0]],
  );
  assert.deepEqual(
    states.map(({ state }) => state),
    ['voided', 'voided', 'voided', 'final'],
  );
  const verdict = await drill.judge();
  assert.deepEqual([verdict.fulfilled, verdict.transfers, verdict.doubled, verdict.wrong], [1, 1, [], []]);
  await drill.pass(1, 61_000);
  const well = await status();
  assert.deepEqual([well.senders[0].missingSlots, well.faults, await alarms()], [undefined, [], []]);

  const refused = await service.post('/payouts/senders/fill-gap', { network });
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state'], refused.text);
});

test('without a gap, or on a network whose slots do not block others, nothing is filled', async () => {
  const sandbox = await startPayoutService();
  stops.push(() => sandbox.stop());
  const refused = await sandbox.service.post('/payouts/senders/fill-gap', { network: 'polygon' });
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state'], refused.text);
});
