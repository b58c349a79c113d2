// Approvals by group: as many members of a group as the settings require, each a different approver, before crypto is sent.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { doctorCommand } from '../../src/cli/doctor.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { walletsCommand } from '../../src/cli/wallets.ts';
import { StartError } from '../../src/lib/errors.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { runCommand } from '../harness/commands.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type LoggedIn, logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

type Key = { readonly id: string; readonly text: string };
type Headers = Record<string, string>;
const bearer = (key: Key): Headers => ({ authorization: `Bearer ${key.text}` });
const UNKNOWN_KEY = 'Nobody123456';

const { log, lines } = recordingLog();
let first: Service;
let db: Database;
let service: Service;
let orders: OrderDriver;
let maker: Key;
/** Members of the treasury. */
let one: Key;
let two: Key;
let person: LoggedIn;
/** Of no group. */
let stranger: Key;
let payouts: string;
before(async () => {
  first = await startService({ mode: 'live', rails: sandboxRails });
  db = openDatabase({ connection: { connectionString: first.databaseUrl }, log: silentLog, maxConnections: 4 });
  [maker, one, two, stranger] = [await key(), await key(), await key(), await key()];
  person = await logIn(withKey(first, await first.makeKey('acme')), 'owner', 'acme');
  const treasury = [one.id, two.id, `person:${person.id}`];
  payouts = JSON.stringify({
    limits: [
      { symbol: 'usdt', approvalAbove: '50' },
      { symbol: 'usdc', perPayout: 'none', perDay: 'none' },
    ],
    approvals: [
      { name: 'treasury', by: treasury, needed: 2, accountId: 'acme', symbol: 'usdt', above: '80' },
      { name: 'desk', by: ['operator', one.id], needed: 1, symbol: 'usdc', network: 'polygon' },
      { name: 'board', by: [one.id, two.id, UNKNOWN_KEY], needed: 2, wallets: true, network: 'bsc' },
      { name: 'lonely', by: [one.id, UNKNOWN_KEY], needed: 2, accountId: 'other' },
    ],
  });
  service = await startService({
    beside: first,
    mode: 'live',
    rails: sandboxRails,
    chains: sandboxChains({ clock: first.clock, store: sandboxChainStore(db) }),
    prices: tablePrices({ reais: { usdt: '5.41', usdc: '5.41' }, rates: {} }),
    env: { TRILHO_PAYOUTS: payouts },
    log,
  });
  orders = orderDriver(withKey(service, maker));
});
after(async () => {
  await service.stop();
  await db.close();
  await first.stop();
});

const key = () => first.makeKey('acme');
function withKey(of: Service, { text }: Key): Service {
  const authorization = `Bearer ${text}`;
  return {
    ...of,
    get: (path, headers = {}) => of.get(path, { authorization, ...headers }),
    post: (path, body, headers = {}) => of.post(path, body, { authorization, ...headers }),
  };
}
const asPerson = (): Headers => ({ ...SAME_ORIGIN, cookie: person.cookie });
const settings = () => ({ DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'live', TRILHO_PAYOUTS: payouts });
const trilho = (...args: string[]) => runCommand(payoutsCommand, settings(), args);
const approve = (order: Answer, headers: Headers) =>
  service.post(`/crypto/transactions/${order.json.transactionId}/approve`, {}, headers);
const payoutsOf = async (order: Answer) =>
  (await service.sql('select from payouts where order_id = $1', [order.json.transactionId])).length;
async function refuses(answer: Promise<Answer>, pattern: RegExp) {
  const { status, json } = await answer;
  assert.deepEqual([status, json.code], [409, 'second_key_needed']);
  assert.match(json.detail, pattern);
}

let paidCount = 0;
async function pay(order: Answer, reporter = maker) {
  await service.runJobs();
  const reference = `G${++paidCount}`.padEnd(32, '0');
  const payment = { method: 'pix', amountCents: Math.round(order.json.cost * 100), reference };
  const answer = await service.post(`/charges/${order.json.charge.id}/payments`, payment, bearer(reporter));
  assert.equal(answer.status, 201, answer.text);
  await service.runJobs();
}
async function order(changes: Record<string, unknown> = {}): Promise<Answer> {
  const { symbol = 'usdt', network = 'polygon', cost = 541, walletId } = changes;
  const made = await service.post(
    '/crypto/transactions',
    {
      accountId: 'acme',
      currency: 'BRL',
      settlementSchedule: 'D0',
      charge: CHARGE_PART,
      ...{ symbol, network, cost },
      walletId: walletId ?? (await orders.wallet(network as 'polygon')),
    },
    bearer(maker),
  );
  assert.equal(made.status, 201, made.text);
  return made;
}
async function paid(changes: Record<string, unknown> = {}): Promise<Answer> {
  const made = await order(changes);
  await pay(made);
  return made;
}

test('two of three approve, each a different approver; the order shows approvals given and missing, and the audit log who gave them', async () => {
  const held = await paid();
  const lacking = await orders.read(held);
  assert.deepEqual(
    [lacking.holdReason, lacking.lastError, lacking.approvals],
    [
      'approval_needed',
      'treasury has given 0 of 2 approvals.',
      { given: [], groups: [{ name: 'treasury', needed: 2, given: 0, missing: 2 }] },
    ],
  );
  await refuses(approve(held, bearer(maker)), /The person or key that made this order/);
  await refuses(approve(held, bearer(stranger)), /Only members of the groups .* treasury has given 0 of 2 approvals/);
  const half = await approve(held, bearer(one));
  assert.deepEqual([half.status, half.json.approvedAt, half.json.holdReason], [200, undefined, 'approval_needed']);
  assert.deepEqual(half.json.approvals.groups, [{ name: 'treasury', needed: 2, given: 1, missing: 1 }]);
  assert.equal((await approve(held, bearer(one))).json.approvals.groups[0].given, 1, 'approving twice counts once');
  await service.runJobs();
  assert.equal(await payoutsOf(held), 0);
  const { said } = await trilho('approvals');
  assert.match(
    said,
    new RegExp(`${held.json.transactionId}  acme .*treasury has given 1 of 2 approvals.  by key:${one.id}`),
  );
  const page = await fetch(`${service.url}/dashboard/orders/${held.json.transactionId}`, { headers: asPerson() });
  const shown = await page.text();
  assert.match(shown, /1 missing/);
  const whole = await approve(held, asPerson());
  assert.deepEqual([whole.json.approvedAt, whole.json.holdReason], [service.clock.now().toISOString(), undefined]);
  assert.deepEqual(
    whole.json.approvals.given.map(({ by }: { by: string }) => by),
    [`key:${one.id}`, `person:${person.id}`],
  );
  await service.runJobs();
  assert.equal(await payoutsOf(held), 1);
  const audited = await service.sql<{ actor: string }>(
    `select actor from (select at, actor, action, object_id from audit_inbox
       union all select at, actor, action, object_id from audit_log) lines
      where object_id = $1 and action = 'POST /crypto/transactions/:id/approve' order by at`,
    [held.json.transactionId],
  );
  const actors = new Set(audited.map(({ actor }) => actor));
  for (const actor of [`key:${one.id}`, `person:${person.id}`]) assert.ok(actors.has(actor), actor);
});

test('a key of a member is no second approver, also if the settings name it', async () => {
  const made = await first.post('/keys', { accountId: 'acme', scopes: ['payouts:approve'] }, bearer(stranger));
  assert.equal(made.status, 201, made.text);
  const child: Key = { id: made.json.id, text: made.json.key };
  const approvals = [{ name: 'family', by: [stranger.id, child.id, one.id], needed: 2, symbol: 'usdt' }];
  const strict = await startService({
    beside: first,
    mode: 'live',
    rails: sandboxRails,
    chains: sandboxChains({ clock: first.clock, store: sandboxChainStore(db) }),
    env: { TRILHO_PAYOUTS: JSON.stringify({ approvals }) },
  });
  try {
    const small = await order({ cost: 54.1 });
    const path = `/crypto/transactions/${small.json.transactionId}/approve`;
    assert.equal((await strict.post(path, {}, bearer(child))).json.approvals.groups[0].missing, 1);
    await refuses(
      strict.post(path, {}, bearer(stranger)),
      /each once, and not two with a shared maker: family has given 1 of 2/,
    );
    assert.ok((await strict.post(path, {}, bearer(one))).json.approvedAt);
  } finally {
    await strict.stop();
  }
});

test('approvals are checked at the claim: one of a revoked key, or of an approver who later reported the payment, does not count', async () => {
  const spare = await key();
  const approvals = [{ name: 'three', by: [one.id, two.id, spare.id], needed: 2, symbol: 'usdt', above: '80' }];
  const node = await startService({
    beside: first,
    mode: 'live',
    rails: sandboxRails,
    chains: sandboxChains({ clock: first.clock, store: sandboxChainStore(db) }),
    env: { TRILHO_PAYOUTS: JSON.stringify({ approvals }) },
  });
  try {
    const made = await order();
    const path = `/crypto/transactions/${made.json.transactionId}/approve`;
    await node.post(path, {}, bearer(one));
    assert.ok((await node.post(path, {}, bearer(spare))).json.approvedAt);
    await node.sql('update api_keys set revoked_at = now() where id = $1', [spare.id]);
    await node.runJobs();
    const payment = { method: 'pix', amountCents: 54_100, reference: 'G-revoked'.padEnd(32, '0') };
    await node.post(`/charges/${made.json.charge.id}/payments`, payment, bearer(maker));
    await node.runJobs();
    const held = await node.get(`/crypto/transactions/${made.json.transactionId}`, bearer(maker));
    assert.deepEqual(
      [held.json.holdReason, held.json.lastError, held.json.approvedAt, await payoutsOf(made)],
      ['approval_needed', 'three has given 1 of 2 approvals.', undefined, 0],
    );
    assert.ok((await node.post(path, {}, bearer(two))).json.approvedAt);
    await node.runJobs();
    assert.equal(await payoutsOf(made), 1);
  } finally {
    await node.stop();
  }
  const reported = await order();
  for (const by of [one, two]) assert.equal((await approve(reported, bearer(by))).status, 200);
  await pay(reported, two);
  const left = await orders.read(reported);
  assert.deepEqual(
    [left.holdReason, left.approvedAt, left.approvals.groups[0].given, await payoutsOf(reported)],
    ['approval_needed', undefined, 1, 0],
  );
  await refuses(approve(reported, bearer(two)), /reported a payment/);
  assert.ok((await approve(reported, asPerson())).json.approvedAt);
});

test('a new price withdraws all approvals', async () => {
  const held = await paid();
  await approve(held, bearer(one));
  const repriced = await service.post(`/crypto/transactions/${held.json.transactionId}/reprice`, {}, bearer(stranger));
  assert.equal(repriced.status, 200, repriced.text);
  assert.deepEqual((await orders.read(held)).approvals.given, []);
});

test('below its amount a group is not needed: one second key is enough, or no approval', async () => {
  const between = await paid({ cost: 378.7 });
  assert.equal((await orders.read(between)).lastError, '70 usdt is above 50 usdt: a second key approves it.');
  assert.ok((await approve(between, bearer(stranger))).json.approvedAt);
  const small = await paid({ cost: 54.1 });
  assert.equal((await orders.read(small)).status, 'fulfilling');
});

test("the command line approves only for groups that name the operator, and no one can settle without a group's approval", async () => {
  const held = await paid();
  await assert.rejects(trilho('approve', held.json.transactionId), /treasury has given 0 of 2 approvals/);
  const ofDesk = await paid({ symbol: 'usdc', cost: 54.1 });
  assert.equal((await orders.read(ofDesk)).lastError, 'desk has given 0 of 1 approvals.');
  const { said } = await trilho('approve', ofDesk.json.transactionId);
  assert.match(said, /^Approved\./);
  await service.runJobs();
  assert.equal(await payoutsOf(ofDesk), 1);
  const hash = `0x${'ab'.repeat(32)}`;
  const path = `/crypto/transactions/${held.json.transactionId}/settle`;
  await refuses(service.post(path, { as: 'paid', hash }, bearer(stranger)), /settled once it is approved: treasury/);
});

test('a new wallet waits for its group, and no order can name it before', async () => {
  const wallet = await service.post(
    '/wallets',
    { accountId: 'acme', name: 'Treasury', network: 'bsc', address: '0x52908400098527886E0F7030069857D2E4169EE7' },
    bearer(maker),
  );
  const { id } = wallet.json;
  const give = (headers: Headers) => service.post(`/wallets/${id}/approve`, {}, headers);
  const wanted = {
    ...{ accountId: 'acme', symbol: 'usdt', network: 'bsc', currency: 'BRL', cost: 54.1 },
    ...{ settlementSchedule: 'D0', walletId: id },
  };
  const refused = await service.post('/crypto/transactions', wanted, bearer(maker));
  assert.deepEqual([refused.status, refused.json.errors[0].code], [422, 'not_approved']);
  assert.match(refused.json.detail, /board has given 0 of 2 approvals/);
  await refuses(give(bearer(maker)), /The person or key that created this wallet/);
  await refuses(give(bearer(stranger)), /Only members/);
  const half = await give(bearer(one));
  assert.deepEqual([half.json.approvedAt, half.json.approvals.groups[0].missing], [undefined, 1]);
  const { said } = await runCommand(walletsCommand, settings(), ['list']);
  assert.match(said, /not approved \(1 given\)/);
  await assert.rejects(runCommand(walletsCommand, settings(), ['approve', id]), /board has given 1 of 2/);
  const whole = await give(bearer(two));
  assert.equal(whole.json.approvedAt, service.clock.now().toISOString());
  assert.equal((await service.post('/crypto/transactions', wanted, bearer(maker))).status, 201);
});

test('the start and the doctor report groups that cannot approve, and wrong settings are refused with their place', async () => {
  const warned = lines.filter(line => line.includes('a group of payouts.approvals has members that cannot approve'));
  assert.equal(warned.length, 3);
  assert.match(warned[0]!, /board: key:Nobody123456 is no key or person that may act/);
  assert.match(warned[2]!, /lonely: needs 2 approvals, but its members can give only 1/);
  const { said, code } = await runCommand(doctorCommand, settings(), []);
  assert.equal(code, 1);
  assert.match(said, /warning {2}approvals: board: key:Nobody123456 is no key/);
  assert.match(said, /wrong {2}approvals: lonely: needs 2/);
  const faults = [
    [{ needed: 3 }, /of a: needed is 3, and by names 2/],
    [{ by: ['ana@acme.example', one.id] }, /of a: by must name keys .*not ana@acme\.example/],
    [{ above: '5' }, /of a: above needs symbol/],
    [{ symbol: 'usdt', above: '0.0000001' }, /of a: above must have at most 6 decimals on ethereum/],
    [{ wallets: true, symbol: 'usdt' }, /of a: wallets cannot be combined with symbol/],
    [{ symbol: 'trx', network: 'bsc' }, /of a: network must be one of tron/],
  ] as const;
  for (const [changes, message] of faults) {
    const approvals = [{ name: 'a', by: [one.id, two.id], needed: 2, ...changes }];
    await assert.rejects(
      startService({ beside: first, env: { TRILHO_PAYOUTS: JSON.stringify({ approvals }) } }),
      (error: unknown) => error instanceof StartError && message.test(error.message),
    );
  }
});
