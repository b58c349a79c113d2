// Alarms of payouts: raised once and cleared once, as events, metrics and text, with any number of nodes.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { NETWORKS } from '../../src/chains/asset.ts';
import type { Chain, Check, Sighting } from '../../src/chains/chain.ts';
import { chainsCommand } from '../../src/cli/chains.ts';
import { runCommand } from '../harness/commands.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import { type Service, startService } from '../harness/service.ts';

const env = {
  TRILHO_PAYOUTS: JSON.stringify({
    limits: [
      { symbol: 'usdt', network: 'polygon', lowFunds: '10' },
      { symbol: 'usdc', network: 'polygon', ceiling: '5' },
    ],
    accountId: 'ops',
    alarms: { stuckMinutes: 30, finalityLagMinutes: 45 },
  }),
};

/** Answers of the nodes that replace those of the simulation, by network. */
let changed: {
  network?: string;
  health?: Chain['health'];
  funds?: Chain['funds'];
  check?: Check;
  sighting?: Sighting;
} = {};
let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
before(async () => {
  sandbox = await startPayoutService(
    chain => ({
      ...chain,
      health: () => (changed.network === chain.network && changed.health ? changed.health() : chain.health()),
      funds: (...asked) =>
        changed.network === chain.network && changed.funds ? changed.funds(...asked) : chain.funds(...asked),
      lookup: async (...asked) =>
        changed.network === chain.network && changed.sighting ? changed.sighting : chain.lookup(...asked),
      check: async intent => (changed.network === chain.network && changed.check ? changed.check : chain.check(intent)),
    }),
    undefined,
    env,
  );
  ({ service, orders } = sandbox);
});
after(() => sandbox.stop());
beforeEach(async () => {
  changed = {};
  for (const network of NETWORKS) await orders.fault(network, { fault: 'none' });
  await minuteLater();
});

async function minuteLater(): Promise<void> {
  await orders.advance('PT61S');
  await service.runJobs();
}
type Shown = { reason: string; network: string; subject?: string; words: string };
const open = async (): Promise<string[]> =>
  (await service.get('/payouts/alarms')).json.alarms.map((one: Shown) =>
    [one.reason, one.network, one.subject].filter(Boolean).join(' '),
  );
const events = async (): Promise<{ type: string; objectId: string; sequence: number; object: Shown }[]> =>
  (await service.get('/events?accountId=ops&limit=1000')).json.events;
const FUNDS = { asset: 6_000_000n, coin: 10n ** 18n, worstFee: 1n };

test('low funds raise and clear an alarm once: of an asset by its limit, of the coin by its fees', async () => {
  const before = (await events()).length;
  changed = { network: 'polygon', funds: async () => ({ ...FUNDS, asset: 1n, worstFee: 10n ** 18n }) };
  for (let look = 0; look < 3; look++) await minuteLater();
  assert.deepEqual((await open()).toSorted(), ['low_funds polygon pol', 'low_funds polygon usdt']);
  const { alarms } = (await service.get('/payouts/alarms')).json;
  const words = alarms.find(({ subject }: Shown) => subject === 'usdt').words;
  assert.equal(words, 'The sender has 0.000001 usdt; the limit is 10.');
  const metrics = (await service.get('/metrics')).text;
  assert.match(metrics, /^trilho_payout_alarms\{network="polygon",reason="low_funds"\} 2$/m);
  assert.match(metrics, /^trilho_payout_alarms\{network="tron",reason="low_funds"\} 0$/m);
  const { code, said } = await runCommand(
    chainsCommand,
    { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' },
    [],
  );
  assert.equal(code, 1);
  assert.match(
    said,
    /^ALARM {2}polygon {2}low_funds {2}since 20\S+Z {2}The sender has 0\.000001 usdt; the limit is 10\.$/m,
  );
  changed = {};
  for (let look = 0; look < 2; look++) await minuteLater();
  assert.deepEqual(await open(), ['above_ceiling polygon usdc'], 'the simulated sender has plenty');
  const reported = (await events()).slice(before).filter(({ object }) => object.reason === 'low_funds');
  assert.deepEqual(
    reported.map(({ type, sequence }) => `${type} ${sequence}`),
    ['payout.alarm_raised 1', 'payout.alarm_raised 1', 'payout.alarm_cleared 2', 'payout.alarm_cleared 2'],
  );
});

test('more than the ceiling raises an alarm', async () => {
  assert.deepEqual(await open(), ['above_ceiling polygon usdc']);
  changed = { network: 'polygon', funds: async () => ({ ...FUNDS, asset: 5_000_000n, worstFee: 1n }) };
  await minuteLater();
  assert.deepEqual(await open(), ['low_funds polygon usdt'], 'exactly the ceiling is allowed');
});

test('a network that does not answer keeps its alarms unchanged', async () => {
  assert.deepEqual(await open(), ['above_ceiling polygon usdc']);
  changed = {
    network: 'polygon',
    funds: async () => undefined,
    health: async () => ({ providers: [{ name: 'own', isAnswering: false }] }),
  };
  await minuteLater();
  assert.deepEqual(await open(), ['above_ceiling polygon usdc']);
});

test('final blocks that are far behind raise an alarm', async () => {
  const lag = (minutes: number) => async () => ({ head: 1n, finalityLagMs: minutes * 60_000, providers: [] });
  changed = { network: 'tron', health: lag(45) };
  await minuteLater();
  assert.ok(!(await open()).includes('finality_lag tron'));
  changed = { network: 'tron', health: lag(46) };
  await minuteLater();
  assert.ok((await open()).includes('finality_lag tron'));
});

test('a payout that is open too long raises an alarm, and so does a slot that another program used', async () => {
  await orders.fault('bsc', { fault: 'stalled' });
  const order = await sandbox.paid({ network: 'bsc' });
  await orders.advance('PT28M');
  await minuteLater();
  assert.ok(!(await open()).includes('payout_stuck bsc'));
  await minuteLater();
  assert.ok((await open()).includes('payout_stuck bsc'));
  await orders.fault('bsc', { fault: 'none' });
  await orders.advance('PT2H');
  await minuteLater();
  assert.equal((await orders.read(order)).status, 'fulfilled');
  assert.ok(!(await open()).includes('payout_stuck bsc'));
  await orders.fault('arbitrum', { fault: 'foreign_use' });
  const taken = await sandbox.paid({ network: 'arbitrum' });
  await orders.advance('PT2H');
  await minuteLater();
  assert.equal((await orders.read(taken)).holdReason, 'slot_taken');
  assert.ok((await open()).some(one => one.startsWith('slot_taken arbitrum 0x')));
});

test('a fee above the cap makes orders wait and raises an alarm; both end when it falls', async () => {
  changed = { network: 'base', check: { kind: 'refused', reason: 'fee_too_high', message: 'fee above the cap' } };
  const order = await sandbox.paid({ network: 'base', symbol: 'usdc' });
  const waiting = await orders.read(order);
  assert.deepEqual([waiting.holdReason, waiting.lastError], ['fee_too_high', 'fee above the cap']);
  await minuteLater();
  assert.ok((await open()).includes('fee_too_high base'));
  changed = {};
  await orders.advance('PT30M');
  await minuteLater();
  assert.equal((await orders.read(order)).status, 'fulfilled');
  assert.ok(!(await open()).includes('fee_too_high base'));
});

test('with several nodes one checks, and an alarm is one event', async () => {
  const nodes = [service, await startService({ beside: service, env }), await startService({ beside: service, env })];
  try {
    const before = (await events()).length;
    await orders.fault('ethereum', { fault: 'empty' });
    await orders.advance('PT61S');
    await Promise.all(nodes.map(node => node.runJobs()));
    const raised = (await events()).slice(before).filter(({ object }) => object.network === 'ethereum');
    assert.deepEqual(
      raised.map(({ type, object }) => `${type} ${object.subject}`),
      ['payout.alarm_raised eth'],
    );
  } finally {
    for (const node of nodes.slice(1)) await node.stop();
  }
});

test('a done payout that nodes contradict raises an alarm, and is stuck if that lasts', async () => {
  const order = await sandbox.paid({ network: 'ethereum' });
  const later = async () => {
    await minuteLater();
    return (await open()).filter(one => one.endsWith(' ethereum'));
  };
  while ((await orders.read(order)).status !== 'fulfilled') await later();
  const { id } = (await service.get(`/payouts/${order.json.transactionId}`)).json;
  changed = { network: 'ethereum', sighting: { kind: 'unknown' } };
  for (let look = 0; look < 5; look++) assert.deepEqual(await later(), [], 'silence denies nothing');
  changed = { network: 'ethereum', sighting: { kind: 'unknown', isAnswered: true, message: 'they disagree' } };
  await orders.advance('PT15M');
  assert.deepEqual(await later(), ['payout_contradicted ethereum']);
  const { alarms } = (await service.get('/payouts/alarms')).json;
  const { words } = alarms.find(({ reason }: Shown) => reason === 'payout_contradicted');
  assert.equal(words, `Payout ${id} was done, and the nodes no longer agree on it: compare with an explorer.`);
  assert.match(
    (await service.get('/metrics')).text,
    /^trilho_payout_alarms\{network="ethereum",reason="payout_contradicted"\} 1$/m,
  );
  assert.equal((await orders.read(order)).status, 'fulfilled');
  await orders.advance('PT30M');
  assert.deepEqual((await later()).toSorted(), ['payout_contradicted ethereum', 'payout_stuck ethereum']);
  changed = {};
  await orders.advance('PT2H');
  assert.deepEqual(await later(), []);
  const reported = (await events())
    .filter(({ object }) => object.reason === 'payout_contradicted')
    .map(({ type }) => type);
  assert.deepEqual(reported, ['payout.alarm_raised', 'payout.alarm_cleared']);
});
