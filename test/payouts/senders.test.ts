// Senders that change, slots of chains without voids, and networks whose final block is late.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressOf } from '../../src/chains/address.ts';
import type { Network } from '../../src/chains/asset.ts';
import type { Chain, Check, Sighting } from '../../src/chains/chain.ts';
import { guardedChains } from '../../src/chains/guarded.ts';
import { familyOf } from '../../src/chains/networks.ts';
import { sandboxChains, sandboxSender } from '../../src/sandbox/chains/simulated-chain.ts';
import { testClock } from '../harness/clock.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import { scaled } from '../harness/scale.ts';

async function using<T>(sandbox: PayoutService, work: (sandbox: PayoutService) => Promise<T>): Promise<void> {
  try {
    await work(sandbox);
    assert.deepEqual(await sandbox.differences(), []);
  } finally {
    await sandbox.stop();
  }
}

test('after a change of key new slots belong to the new sender, and those of the former one are still looked up', async () => {
  const [former, next] = ['polygon' as const].flatMap(network => [
    sandboxSender(network),
    addressOf(familyOf(network).kind, Buffer.alloc(20, 7)),
  ]) as [string, string];
  // The chain keeps this list: changing it has the effect of another configuration.
  const senders: [string, ...string[]] = [former];
  const sandbox = await startPayoutService(
    chain => (chain.network === 'polygon' ? { ...chain, senders } : chain),
    (network: Network) => (network === 'polygon' ? [former, next] : [sandboxSender(network)]),
  );
  await using(sandbox, async ({ orders, paid, payouts }) => {
    await orders.fault('polygon', { fault: 'stalled' });
    const before = await paid();
    senders.unshift(next);
    await orders.advance('PT20M');
    const after = await paid();
    await orders.fault('polygon', { fault: 'none' });
    await orders.advance('PT1H');
    for (const [order, sender] of [
      [before, former],
      [after, next],
    ] as const) {
      const [payout] = await payouts(order);
      assert.deepEqual([payout?.sender, payout?.state], [sender, 'final']);
    }
    assert.ok((await payouts(before))[0]!.attempts > 1, 'the former sender made a higher bid');
  });
});

test('on a chain without voids a slot that was given up is void once no attempt can be mined any more', async () => {
  const sandbox = await startPayoutService(({ signVoid: _, ...chain }) => chain);
  await using(sandbox, async ({ orders, paid, act, payouts }) => {
    await orders.fault('tron', { fault: 'stalled' });
    const order = await paid({ network: 'tron' });
    assert.equal((await act(order, 'void')).status, 200);
    await orders.advance('PT5M');
    assert.equal((await payouts(order))[0]!.state, 'open', 'an attempt may still be mined');
    await orders.advance('PT30M');
    assert.deepEqual(
      (await payouts(order)).map(({ state, attempts }) => [state, attempts]),
      [['voided', 1]],
    );
    assert.equal((await orders.read(order)).holdReason, 'payout_voided');
  });
});

test('no payout ends before its block is final, however deep it is', async () => {
  let isFinal = false;
  const late = (sighting: Sighting): Sighting => (sighting.kind === 'mined' ? { ...sighting, isFinal } : sighting);
  const sandbox = await startPayoutService(chain => ({
    ...chain,
    lookup: async (...asked) => late(await chain.lookup(...asked)),
  }));
  await using(sandbox, async ({ orders, paid, act }) => {
    await orders.fault('bsc', { fault: 'reverting' });
    const order = await paid({ network: 'bsc' });
    await orders.fault('bsc', { fault: 'none' });
    // At least four times as many blocks as needed.
    await orders.advance(`PT${scaled(300, 30)}S`);
    const waiting = await orders.read(order);
    assert.deepEqual([waiting.transfer.state, waiting.holdReason], ['open', undefined]);
    assert.equal((await act(order, 'retry')).status, 409);
    isFinal = true;
    await orders.advance('PT2H');
    assert.equal((await orders.read(order)).holdReason, 'transfer_reverted');
  });
});

test('a network that does not answer is paused for a while, and asked again', async () => {
  const clock = testClock('2026-11-16T12:00:00.000Z');
  let calls = 0;
  let answer: Sighting = { kind: 'unknown' };
  const silent: Chain = {
    ...sandboxChains({ clock, store: undefined as never }).bsc,
    lookup: async () => {
      calls++;
      return answer;
    },
  };
  const { bsc } = guardedChains({ bsc: silent }, clock);
  const look = () => bsc!.lookup({} as never, []);
  for (let call = 0; call < 20; call++) assert.deepEqual(await look(), { kind: 'unknown' });
  assert.equal(calls, 5);
  clock.advanceMs(5_000);
  await Promise.all([look(), look(), look()]);
  assert.equal(calls, 6, 'one call finds out');
  answer = { kind: 'pending' };
  clock.advanceMs(5_000);
  assert.deepEqual(await look(), { kind: 'pending' });
  assert.deepEqual(await look(), { kind: 'pending' });
  assert.equal(calls, 8);
  answer = { kind: 'unknown', isAnswered: true };
  for (let call = 0; call < 20; call++) assert.deepEqual(await look(), answer);
  assert.equal(calls, 28, 'nodes that disagree are asked again');
});

test('an unclear answer of nodes about payees does not count as silence of the network', async () => {
  const clock = testClock('2026-11-16T12:00:00.000Z');
  let calls = 0;
  const check: Check = { kind: 'unknown', message: 'own: request timed out' };
  const unclear: Chain = {
    ...sandboxChains({ clock, store: undefined as never }).bsc,
    check: async () => {
      calls++;
      return check;
    },
  };
  const { bsc } = guardedChains({ bsc: unclear }, clock);
  for (let call = 0; call < 20; call++) assert.deepEqual(await bsc!.check({} as never), check);
  assert.equal(calls, 20);
});
