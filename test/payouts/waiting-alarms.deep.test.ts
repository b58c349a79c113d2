// Alarms for long waits: a network that does not answer, orders that stay in line, a network that is missing in the settings.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { recordingLog } from '../harness/log.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Service, startService } from '../harness/service.ts';

let isScreeningDown = false;
const screening = createServer((request, reply) => {
  request.resume();
  request.on('end', () => {
    if (isScreeningDown) reply.writeHead(500).end();
    else reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ result: 'clear' }));
  });
});

let env: Record<string, string>;
let service: Service;
let orders: OrderDriver;
before(async () => {
  await new Promise<void>(resolve => screening.listen(0, '127.0.0.1', resolve));
  const { port } = screening.address() as AddressInfo;
  env = {
    TRILHO_PAYOUTS: JSON.stringify({ accountId: 'ops', alarms: { stuckMinutes: 30 } }),
    TRILHO_SCREENING_URL: `http://127.0.0.1:${port}/`,
    TRILHO_SCREENING_SECRET: 'word',
  };
  service = await startService({ env });
  orders = orderDriver(service);
});
after(async () => {
  await service.stop();
  screening.closeAllConnections();
  screening.close();
});

async function minutesLater(minutes: number, node = service): Promise<void> {
  await orderDriver(node).advance(`PT${minutes}M1S`);
  await node.runJobs();
}
type Shown = { reason: string; network: string; words: string };
const alarms = async (network: string): Promise<Shown[]> =>
  (await service.get('/payouts/alarms')).json.alarms.filter((one: Shown) => one.network === network);
const reasons = async (network: string) => (await alarms(network)).map(({ reason }) => reason).toSorted();

test('a network without an answering node raises an alarm, and so does the order that waits for it', async () => {
  const order = await orders.order({ network: 'bsc' });
  await orders.fault('bsc', { fault: 'rpc_timeout' });
  await orders.pay(order);
  await minutesLater(1);
  await minutesLater(27);
  assert.deepEqual(await reasons('bsc'), [], 'it may recover');
  await minutesLater(3);
  assert.deepEqual(await reasons('bsc'), ['network_silent', 'orders_waiting']);
  const words = new Map((await alarms('bsc')).map(one => [one.reason, one.words]));
  assert.match(words.get('network_silent') ?? '', /^No node has answered for 30 minutes\.$/);
  assert.match(
    words.get('orders_waiting') ?? '',
    new RegExp(
      `^The payout of order ${order.json.transactionId} has been in line for 3\\d minutes, and nothing holds it: The chain does not`,
    ),
  );
  const metrics = (await service.get('/metrics')).text;
  for (const reason of ['network_silent', 'orders_waiting']) {
    assert.match(metrics, new RegExp(`^trilho_payout_alarms\\{network="bsc",reason="${reason}"\\} 1$`, 'm'));
  }
  await orders.fault('bsc', { fault: 'none' });
  await minutesLater(15);
  await minutesLater(1);
  assert.equal((await orders.read(order)).status, 'fulfilled');
  assert.deepEqual(await reasons('bsc'), []);
  const { events } = (await service.get('/events?accountId=ops&limit=1000')).json;
  const reported = events.map((one: { type: string; object: Shown }) => `${one.type} ${one.object.reason}`);
  assert.deepEqual(reported.toSorted(), [
    'payout.alarm_cleared network_silent',
    'payout.alarm_cleared orders_waiting',
    'payout.alarm_raised network_silent',
    'payout.alarm_raised orders_waiting',
  ]);
});

test('a silent network without orders raises the alarm as well', async () => {
  await orders.fault('ethereum', { fault: 'rpc_timeout' });
  await minutesLater(1);
  await minutesLater(31);
  assert.deepEqual(await reasons('ethereum'), ['network_silent']);
  await orders.fault('ethereum', { fault: 'none' });
  await minutesLater(1);
  assert.deepEqual(await reasons('ethereum'), []);
});

test("an order that waits for the screening service raises an alarm with the service's message", async () => {
  const order = await orders.order({ network: 'base', symbol: 'usdc' });
  isScreeningDown = true;
  await orders.pay(order);
  await minutesLater(31);
  await minutesLater(1);
  assert.deepEqual(await reasons('base'), ['orders_waiting']);
  assert.match((await alarms('base'))[0]!.words, /: Screening by .* has no answer now\.$/);
  isScreeningDown = false;
  await minutesLater(15);
  await minutesLater(1);
  assert.equal((await orders.read(order)).status, 'fulfilled');
  assert.deepEqual(await reasons('base'), []);
});

test('an order that is paused, or waits for funds, shows that itself and raises no such alarm', async () => {
  const order = await orders.order({ network: 'polygon' });
  await service.post('/payouts/pause', { network: 'polygon' });
  await orders.pay(order);
  await orders.fault('arbitrum', { fault: 'empty' });
  const short = await orders.order({ network: 'arbitrum' });
  await orders.pay(short);
  await minutesLater(40);
  await minutesLater(1);
  assert.equal((await orders.read(order)).holdReason, 'payouts_paused');
  assert.equal((await orders.read(short)).holdReason, 'no_funds');
  assert.deepEqual([await reasons('polygon'), await reasons('arbitrum')], [[], ['low_funds']]);
});

test('a network that is no longer in the settings is reported at the start, and its alarm stays', async () => {
  await orders.fault('tron', { fault: 'stalled' });
  const order = await orders.order({ network: 'tron' });
  await orders.pay(order);
  await service.runJobs();
  const { log, lines } = recordingLog();
  const without = await startService({ beside: service, chains: {}, env, log });
  try {
    const warnings = lines.map(line => JSON.parse(line)).filter(({ msg }) => /does not name it/.test(msg));
    assert.ok(
      warnings.some(({ network }) => network === 'tron'),
      lines.join(''),
    );
    assert.ok(!warnings.some(({ network }) => network === 'ethereum'), 'it has nothing to do');
    await minutesLater(1, without);
    await minutesLater(31, without);
    await minutesLater(1, without);
    assert.deepEqual(await reasons('tron'), ['network_silent', 'payout_stuck']);
    const [{ words }] = (await alarms('tron')).filter(({ reason }) => reason === 'network_silent') as [Shown];
    assert.match(words, /for \d+ minutes: chains in TRILHO_CONFIG does not name the network\.$/);
  } finally {
    await without.stop();
  }
  await orders.fault('tron', { fault: 'none' });
  await minutesLater(31);
  await minutesLater(1);
  assert.deepEqual(await reasons('tron'), []);
});
