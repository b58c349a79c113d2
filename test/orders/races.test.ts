// Three nodes with workers and sweeps of their own on one database, which get the same requests several times and in any order,
// while the faults of the chains change: each order ends once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { runHistory } from '../harness/histories.ts';
import { silentLog } from '../harness/log.ts';
import { clearFaults, newOrderHistory, ORDER_MOVES, throughNode } from '../harness/order-histories.ts';
import { faultsOf, stuckOrders } from '../harness/order-proof.ts';
import { orderDriver } from '../harness/orders.ts';
import { type Random, randomOf } from '../harness/random.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const SEED = 41;
/** At least two orders of each fate, with a quote and without. */
const ORDERS = scaled(30, 12);
const MOVES_A_NODE = scaled(25, 6);
const CLOCK_ROUNDS = scaled(15, 4);
const OPTIONS = { now: '2026-11-16T12:00:00.000Z', work: true, env: { TRILHO_FEE_PERCENT: '1.5' } };

let nodes: Service[];
let db: Database;
before(async () => {
  const first = await startService(OPTIONS);
  nodes = [first, await startService({ ...OPTIONS, beside: first }), await startService({ ...OPTIONS, beside: first })];
  db = openDatabase({ connection: { connectionString: first.databaseUrl }, log: silentLog, maxConnections: 2 });
});
after(async () => {
  await db.close();
  // The database is dropped with the first.
  for (const node of nodes.toReversed()) await node.stop();
});

/** Sends the same request to every node at once. A node that is overloaded has done nothing, so the request is retried, as a caller would. */
const postToAll = (path: string, body: unknown = {}) => Promise.all(nodes.map(node => postTo(node, path, body)));

async function postTo(node: Service, path: string, body: unknown): Promise<Answer> {
  const answer = await node.post(path, body);
  return answer.json?.code === 'overloaded' ? postTo(node, path, body) : answer;
}

const statusesOf = (answers: readonly Answer[]) => answers.map(({ status }) => status).sort();

/** What happens to an order; each request goes to all nodes at once. */
const FATES = {
  paid: async (id, chargeId) => {
    const answers = await reportPayment(chargeId, { amountCents: 54_100, reference: `E${id}` });
    assert.deepEqual(statusesOf(answers), [201, 201, 201]);
  },
  'paid and canceled': async (id, chargeId) => {
    const [canceled] = await Promise.all([
      postToAll(`/crypto/transactions/${id}/cancel`),
      reportPayment(chargeId, { amountCents: 54_100, reference: `E${id}` }),
    ]);
    for (const { status, text } of canceled) assert.ok(status === 200 || status === 409, text);
  },
  'paid by two': async (id, chargeId) => {
    const payment = (payer: number) => ({ amountCents: 54_100, reference: `E${id}-${payer}`, isAnother: true });
    await Promise.all([1, 2].map(payer => reportPayment(chargeId, payment(payer))));
  },
  'paid and refunded': async (id, chargeId) => {
    await Promise.all([
      reportPayment(chargeId, { amountCents: 54_100, reference: `E${id}` }),
      ...nodes.map(node => node.post(`/charges/${chargeId}/refunds`, {}, { 'idempotency-key': `R${id}` })),
    ]);
    await Promise.all(
      nodes.map(node => node.post(`/charges/${chargeId}/refunds`, {}, { 'idempotency-key': `R${id}` })),
    );
  },
  repriced: async (id, chargeId) => {
    await reportPayment(chargeId, { amountCents: 10_000, reference: `E${id}` });
    await nodes[0]!.runJobs();
    const answers = await postToAll(`/crypto/transactions/${id}/reprice`);
    for (const { status, text } of answers) assert.ok(status === 200 || status === 409, text);
  },
  'left alone': async () => {},
} as const satisfies Record<string, (id: string, chargeId: string) => Promise<void>>;

type Fate = keyof typeof FATES;
const FATE_NAMES = Object.keys(FATES) as Fate[];

const reportPayment = (chargeId: string, body: Record<string, unknown>) =>
  postToAll(`/charges/${chargeId}/payments`, { method: 'pix', ...body });

/** The final standing of an order: fulfilled, why it is held, or how it ended. */
const ENDS: Readonly<Record<Fate, readonly string[]>> = {
  paid: ['fulfilled'],
  'paid and canceled': ['fulfilled', 'paid_after_end'],
  'paid by two': ['fulfilled'],
  'paid and refunded': ['fulfilled', 'refunded'],
  repriced: ['fulfilled'],
  'left alone': ['expired'],
};

function shuffled<T>(items: readonly T[], random: Random): T[] {
  return items
    .map(item => ({ item, at: random.below(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

async function moveTime(duration: string): Promise<void> {
  const moved = await nodes[1]!.post('/sandbox/clock', { advance: duration });
  assert.equal(moved.status, 200, moved.text);
}

async function fault(word: string): Promise<void> {
  for (const network of ['polygon', 'base']) await nodes[2]!.post(`/sandbox/chains/${network}`, { fault: word });
}

test('with every request sent to three nodes at once, each order ends once', async () => {
  const [node] = nodes as [Service];
  const driver = orderDriver(node);
  const walletId = await driver.wallet('polygon');
  const made = await Promise.all(
    Array.from({ length: ORDERS }, async (_, index) => {
      const quote = index % 3 === 0 ? (await driver.quote()).json : undefined;
      const body = {
        accountId: 'acme',
        externalId: `order-${index}`,
        walletId,
        settlementSchedule: index % 5 === 0 ? 'D1' : 'D0',
        charge: { customer: { name: 'Maria', document: '52998224725' }, methods: ['pix'] },
        ...(quote ? { quoteId: quote.id } : { symbol: 'usdt', network: 'polygon', currency: 'BRL', cost: 541 }),
      };
      const answers = await postToAll('/crypto/transactions', body);
      assert.deepEqual(statusesOf(answers), [201, 201, 201], answers[0]!.text);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'all got the same order');
      const { transactionId, charge } = answers[0]!.json;
      return {
        id: transactionId as string,
        chargeId: charge.id as string,
        fate: FATE_NAMES[index % FATE_NAMES.length]!,
      };
    }),
  );
  const random = randomOf(SEED, 0);
  const faults = shuffled(['rpc_timeout', 'stalled', 'none', 'reverting', 'none'], random);
  const orders = shuffled(made, random);
  for (const [index, word] of faults.entries()) {
    await fault(word);
    const part = orders.slice((index * ORDERS) / faults.length, ((index + 1) * ORDERS) / faults.length);
    await Promise.all([...part.map(({ id, chargeId, fate }) => FATES[fate](id, chargeId)), moveTime('PT30S')]);
    await nodes[0]!.post('/sandbox/chains/polygon', { reorganise: 5 });
  }
  await fault('none');
  await moveTime('PT6H');
  await Promise.all(
    made.map(async ({ id }) => {
      const answers = await postToAll(`/crypto/transactions/${id}/retry`);
      assert.ok(answers.filter(({ status }) => status === 200).length <= 1, 'one retry at most');
    }),
  );
  await moveTime('P5D');
  for (const { id, chargeId, fate } of made) {
    const { status, holdReason, endedAs } = await driver.read(id);
    const end = holdReason ?? endedAs ?? status;
    assert.ok(ENDS[fate].includes(end), `${fate}: ${end}`);
    // Money that was served as crypto is not refunded; an excess may be.
    const refunds = await postToAll(`/charges/${chargeId}/refunds`);
    if (fate === 'paid') assert.deepEqual(statusesOf(refunds), [409, 409, 409]);
  }
  await nodes[0]!.runJobs();
  assert.deepEqual(await faultsOf(node, db), []);
  assert.deepEqual(await stuckOrders(node), []);
});

test('with random moves on three nodes each order ends once or is held for a reason', async () => {
  const state = newOrderHistory(nodes[0]!, 'any-account');
  const trails = await Promise.all(
    nodes.map((node, index) => runHistory(ORDER_MOVES, throughNode(state, node), randomOf(SEED, index), MOVES_A_NODE)),
  );
  const story = `seed ${SEED}: ${trails.map(trail => trail.join(', ')).join('; ')}`;
  await clearFaults(state);
  await moveTime('P10D');
  assert.deepEqual(await faultsOf(nodes[0]!, db), [], story);
  assert.deepEqual(await stuckOrders(nodes[0]!), [], story);
});

test('concurrent clock moves run one after another, and the clock never goes back', async () => {
  let latest = 0;
  for (let round = 0; round < CLOCK_ROUNDS; round++) {
    const durations = ['PT1M', 'P1D', 'PT5H'];
    const moved = await Promise.all(
      nodes.map((node, index) => node.post('/sandbox/clock', { advance: durations[(index + round) % 3] })),
    );
    for (const { status, json, text } of moved) assert.ok(status === 200 || json.code === 'wrong_state', text);
    const reached = moved.filter(({ status }) => status === 200).map(({ json }) => Date.parse(json.now));
    assert.ok(reached.length > 0, 'one of them moved it');
    latest = Math.max(latest, ...reached);
    const { json } = await nodes[round % 3]!.get('/sandbox/clock');
    assert.ok(Date.parse(json.now) >= latest, `${json.now} after ${new Date(latest).toISOString()}`);
  }
});
