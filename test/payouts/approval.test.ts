// Four eyes: a payout above an amount waits for another key than the one that created the order.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { runCommand } from '../harness/commands.ts';
import { insertDispute } from '../harness/disputes.ts';
import { silentLog } from '../harness/log.ts';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { enter, type LoggedIn, logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const MAKING_AND_APPROVING = [
  'transactions:read',
  'transactions:write',
  'transfers:write',
  'payments:write',
  'payouts:approve',
  'keys:write',
];
const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';
const TRILHO_PAYOUTS = JSON.stringify({ limits: [{ symbol: 'usdt', approvalAbove: '50' }] });

let service: Service;
let orders: OrderDriver;
let db: Database;
let first: Service;
before(async () => {
  first = await startService({ mode: 'live', rails: sandboxRails });
  db = openDatabase({ connection: { connectionString: first.databaseUrl }, log: silentLog, maxConnections: 4 });
  service = await startService({
    beside: first,
    mode: 'live',
    rails: sandboxRails,
    chains: sandboxChains({ clock: first.clock, store: sandboxChainStore(db) }),
    prices: tablePrices({ reais: { usdt: '5.41' }, rates: {} }),
    env: { TRILHO_PAYOUTS },
  });
  const key = await service.makeKey('acme');
  orders = orderDriver(withKey(key));
});
after(async () => {
  await service.stop();
  await db.close();
  await first.stop();
});

type Key = { readonly id: string; readonly text: string };
/** Of a session. */
type Headers = Record<string, string>;
const isKey = (maker: Key | Headers): maker is Key => 'text' in maker;
const bearer = (key: Key) => ({ authorization: `Bearer ${key.text}` });
/** The service as the holder of a key uses it. */
function withKey(key: Key): Service {
  return {
    ...service,
    get: (path, headers = {}) => service.get(path, { ...bearer(key), ...headers }),
    post: (path, body, headers = {}) => service.post(path, body, { ...bearer(key), ...headers }),
  };
}
const trilho = (...args: string[]) =>
  runCommand(payoutsCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'live' }, args);
const approve = (order: Answer, key: Key) =>
  service.post(`/crypto/transactions/${order.json.transactionId}/approve`, {}, bearer(key));
const payoutsOf = async (order: Answer) =>
  (await service.sql('select from payouts where order_id = $1', [order.json.transactionId])).length;

let paidCount = 0;
/** An order of 100 usdt, made by one caller, whose payment is reported by the same one, or by another. */
async function paid(maker: Key | Headers, reporter?: Headers): Promise<Answer> {
  const headers = isKey(maker) ? bearer(maker) : maker;
  const body = { accountId: 'acme', currency: 'BRL', cost: 541, settlementSchedule: 'D0', charge: CHARGE_PART };
  const walletId = await orders.wallet('polygon');
  const asset = { symbol: 'usdt', network: 'polygon' };
  const order = await service.post('/crypto/transactions', { ...body, ...asset, walletId }, headers);
  assert.equal(order.status, 201, order.text);
  await service.runJobs();
  const payment = { method: 'pix', amountCents: 54_100, reference: `E${String(++paidCount).padStart(31, '0')}` };
  const answer = await service.post(`/charges/${order.json.charge.id}/payments`, payment, reporter ?? headers);
  assert.equal(answer.status, 201, answer.text);
  await service.runJobs();
  return order;
}

test('above the amount an order waits for a second key: not its creator’s, once, and named in the audit log', async () => {
  const [maker, second, third] = [
    await service.makeKey('acme'),
    await service.makeKey('acme'),
    await service.makeKey('acme'),
  ];
  const order = await paid(maker);
  const held = await orders.read(order);
  assert.deepEqual(
    [held.status, held.holdReason, held.lastError, held.waitingSince],
    ['pending_fulfillment', 'approval_needed', '100 usdt is above 50 usdt: a second key approves it.', undefined],
  );
  const refused = await approve(order, maker);
  assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  const approved = await approve(order, second);
  assert.deepEqual([approved.status, approved.json.approvedAt], [200, service.clock.now().toISOString()]);
  assert.deepEqual([approved.json.holdReason, await payoutsOf(order)], [undefined, 0], 'an approval does not send');
  service.clock.advanceMs(1_000);
  assert.equal((await approve(order, third)).json.approvedAt, approved.json.approvedAt);
  await service.runJobs();
  assert.equal(await payoutsOf(order), 1);
  assert.equal((await orders.read(order)).status, 'fulfilling');
  const lines = await service.sql<{ actor: string }>(
    `select actor from (select at, actor, action, object_id from audit_inbox
       union all select at, actor, action, object_id from audit_log) lines
      where object_id = $1 and action = 'POST /crypto/transactions/:id/approve' order by at limit 1`,
    [order.json.transactionId],
  );
  assert.deepEqual(lines, [{ actor: `key:${second.id}` }]);
});

test('a person approves orders of others, never their own, and only with a login proof of the last five minutes', async () => {
  const keyed = withKey(await service.makeKey('acme'));
  const [maker, other] = [await logIn(keyed, 'owner', 'acme'), await logIn(keyed, 'owner', 'acme')];
  const post = (who: LoggedIn, path: string, body: unknown) =>
    service.post(path, body, { ...SAME_ORIGIN, cookie: who.cookie });
  const byPerson = (order: Answer, who: LoggedIn) =>
    post(who, `/crypto/transactions/${order.json.transactionId}/approve`, {});
  const order = await post(maker, '/crypto/transactions', {
    accountId: 'acme',
    symbol: 'usdt',
    network: 'polygon',
    currency: 'BRL',
    cost: 541,
    settlementSchedule: 'D0',
    charge: CHARGE_PART,
    walletId: await orders.wallet('polygon'),
  });
  assert.equal(order.status, 201, order.text);
  const refused = await byPerson(order, maker);
  assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  service.clock.advanceMs(5 * 60_000);
  const stale = await byPerson(order, other);
  assert.deepEqual([stale.status, stale.json.code], [403, 'fresh_login_needed']);
  const third = await logIn(keyed, 'owner', 'acme');
  assert.equal((await byPerson(order, third)).status, 200);
  const operator = await logIn(keyed, 'operator', 'acme');
  assert.equal((await byPerson(order, operator)).json.code, 'missing_scope');
});

test('a creator counts as one approver with their keys, the keys created by these, and their login', async () => {
  const keyed = withKey(await service.makeKey('acme'));
  const owner = await logIn(keyed, 'owner', 'acme');
  const asOwner = { ...SAME_ORIGIN, cookie: owner.cookie };
  const makeKey = async (headers: Record<string, string>): Promise<Key> => {
    const made = await service.post('/keys', { accountId: 'acme', scopes: MAKING_AND_APPROVING }, headers);
    assert.equal(made.status, 201, made.text);
    return { id: made.json.id, text: made.json.key };
  };
  const [child, sibling] = [await makeKey(asOwner), await makeKey(asOwner)];
  const grandchild = await makeKey(bearer(child));
  const expectRefused = async (order: Answer, headers: Record<string, string>) => {
    const refused = await service.post(`/crypto/transactions/${order.json.transactionId}/approve`, {}, headers);
    assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  };
  const ofOwner = await paid(asOwner);
  for (const key of [child, sibling, grandchild]) await expectRefused(ofOwner, bearer(key));
  const ofGrandchild = await paid(bearer(grandchild));
  for (const headers of [bearer(child), bearer(sibling), asOwner]) await expectRefused(ofGrandchild, headers);
  const hash = `0x${'cd'.repeat(32)}`;
  const settled = { as: 'paid', hash };
  const path = `/crypto/transactions/${ofGrandchild.json.transactionId}/settle`;
  assert.equal((await service.post(path, settled, bearer(sibling))).json.code, 'second_key_needed');
  assert.equal((await approve(ofGrandchild, await service.makeKey('acme'))).status, 200);
  const other = await logIn(keyed, 'owner', 'acme');
  assert.equal(
    (
      await service.post(
        `/crypto/transactions/${ofOwner.json.transactionId}/approve`,
        {},
        { ...SAME_ORIGIN, cookie: other.cookie },
      )
    ).status,
    200,
  );
});

test('a person who requests or approves a login link for another cannot approve as that one', async () => {
  const keyed = withKey(await service.makeKey('acme'));
  const [owner, other, third] = [
    await logIn(keyed, 'owner', 'acme'),
    await logIn(keyed, 'owner', 'acme'),
    await logIn(keyed, 'owner', 'acme'),
  ];
  const as = ({ cookie }: LoggedIn) => ({ ...SAME_ORIGIN, cookie });
  const [asOwner, asThird] = [as(owner), as(third)];
  const made = [await paid(asOwner), await paid(asThird)];
  const asked = await service.post(`/people/${other.id}/login-link`, {}, asOwner);
  assert.deepEqual([asked.status, asked.json.url], [201, undefined], asked.text);
  const link = await service.post(`/people/${other.id}/login-link/approve`, {}, asThird);
  assert.equal(link.status, 201, link.text);
  const cookie = await enter(service, new URL(link.json.url).pathname);
  await addPasskey(service, cookie, new URL(link.json.url).origin);
  for (const order of made) {
    const path = `/crypto/transactions/${order.json.transactionId}/approve`;
    const refused = await service.post(path, {}, { ...SAME_ORIGIN, cookie });
    assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  }
  const shown = await fetch(`${service.url}/dashboard/me`, { headers: { cookie: other.cookie } });
  assert.match(await shown.text(), /A login link for you was created/);
});

test('a person who reported the payment of an order cannot approve it: by hand, with their key, or in a statement', async () => {
  const keyed = withKey(await service.makeKey('acme'));
  const [maker, reporter] = [await service.makeKey('acme'), await logIn(keyed, 'owner', 'acme')];
  const asReporter = { ...SAME_ORIGIN, cookie: reporter.cookie };
  const made = await service.post('/keys', { accountId: 'acme', scopes: MAKING_AND_APPROVING }, asReporter);
  const child: Key = { id: made.json.id, text: made.json.key };
  const order = await paid(maker, bearer(child));
  const path = `/crypto/transactions/${order.json.transactionId}/approve`;
  for (const headers of [bearer(child), asReporter]) {
    const refused = await service.post(path, {}, headers);
    assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
    assert.match(refused.json.detail, /reported a payment/);
  }
  const page = await fetch(`${service.url}/dashboard/orders/${order.json.transactionId}/approve`, {
    method: 'POST',
    headers: { ...asReporter, 'content-type': 'application/x-www-form-urlencoded' },
    body: '',
  });
  assert.equal(page.status, 409);
  assert.match(await page.text(), /reported a payment/);
  const settle = { as: 'paid', hash: `0x${'ef'.repeat(32)}` };
  const settled = await service.post(`/crypto/transactions/${order.json.transactionId}/settle`, settle, bearer(child));
  assert.equal(settled.json.code, 'second_key_needed');
  assert.equal((await approve(order, await service.makeKey('acme'))).status, 200);

  const read = await orders.order({ headers: bearer(maker) });
  await service.runJobs();
  const [method] = await service.sql<{ reference: string }>(
    `select reference from charge_methods where charge_id = $1 and method = 'pix'`,
    [read.json.charge.id],
  );
  const importer = await service.makeKey('acme');
  const imported = await service.send('/statements', {
    method: 'POST',
    headers: { ...bearer(importer), 'content-type': 'text/csv' },
    body: `Data;Descrição;Valor\n16/11/2026;PIX ${method?.reference};+541,00\n16/11/2026;TARIFA;-20,00\n`,
  });
  assert.equal(imported.status, 201, imported.text);
  await service.runJobs();
  assert.equal((await orders.read(read)).holdReason, 'approval_needed');
  assert.equal((await approve(read, importer)).json.code, 'second_key_needed');
  assert.equal((await approve(read, await service.makeKey('acme'))).status, 200);
});

test('the person who recorded that a dispute was won cannot approve the payout, until the bank has reported the same', async () => {
  const closer = await service.makeKey('acme');
  const order = await paid(await service.makeKey('acme'), bearer(await service.makeKey('acme')));
  const { id } = await insertDispute(service, order.json.charge.id);
  const end = { outcome: 'won', reason: 'The bank has written.' };
  assert.equal((await service.post(`/disputes/${id}/close`, end, bearer(closer))).status, 200);
  await service.runJobs();
  const refused = await approve(order, closer);
  assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  assert.match(refused.json.detail, /recorded that a dispute about it was won/);
  await service.sql('update disputes set confirmed_at = now() where id = $1', [id]);
  assert.equal((await approve(order, closer)).status, 200);
});

test('an approval is withdrawn when its approver later reports the payment', async () => {
  const [maker, approver] = [await service.makeKey('acme'), await service.makeKey('acme')];
  const order = await orders.order({ headers: bearer(maker) });
  assert.equal((await approve(order, approver)).status, 200);
  await service.runJobs();
  const payment = { method: 'pix', amountCents: 54_100, reference: 'E-by-approver'.padEnd(32, '0') };
  await service.post(`/charges/${order.json.charge.id}/payments`, payment, bearer(approver));
  await service.runJobs();
  const held = await orders.read(order);
  assert.deepEqual([held.holdReason, held.approvedAt, await payoutsOf(order)], ['approval_needed', undefined, 0]);
  assert.equal((await approve(order, approver)).json.code, 'second_key_needed');
  assert.equal((await approve(order, await service.makeKey('acme'))).status, 200);
});

test('a new price withdraws the approval, and the key that accepted the price cannot approve it', async () => {
  const [maker, second, third] = [
    await service.makeKey('acme'),
    await service.makeKey('acme'),
    await service.makeKey('acme'),
  ];
  const order = await paid(maker);
  const path = `/crypto/transactions/${order.json.transactionId}/reprice`;
  const repriced = await service.post(path, {}, bearer(second));
  assert.equal(repriced.status, 200, repriced.text);
  await service.runJobs();
  assert.equal((await orders.read(order)).holdReason, 'approval_needed');
  for (const key of [maker, second]) assert.equal((await approve(order, key)).json.code, 'second_key_needed');
  assert.equal((await approve(order, third)).status, 200);
  await service.sql(
    `update orders set hold_reason = 'transfer_refused', held_at = now(), waits_since = null where id = $1`,
    [order.json.transactionId],
  );
  assert.equal((await service.post(path, {}, bearer(second))).json.approvedAt, undefined);
  await service.runJobs();
  assert.deepEqual([(await orders.read(order)).holdReason, await payoutsOf(order)], ['approval_needed', 0]);
});

test('an order can be approved before it is paid, and is then sent without a hold', async () => {
  const [maker, second] = [await service.makeKey('acme'), await service.makeKey('acme')];
  const order = await orders.order({ headers: bearer(maker) });
  assert.equal((await approve(order, second)).status, 200);
  await service.runJobs();
  const payment = { method: 'pix', amountCents: 54_100, reference: 'E-approved'.padEnd(32, '0') };
  await service.post(`/charges/${order.json.charge.id}/payments`, payment, bearer(maker));
  await service.runJobs();
  assert.equal((await orders.read(order)).status, 'fulfilling');
});

test('approving needs its own scope, the account of the order, and an order that still waits', async () => {
  const maker = await service.makeKey('acme');
  const order = await paid(maker);
  const without = await service.makeKey('acme', ['transactions:write', 'transfers:write', 'payouts:write']);
  assert.match((await approve(order, without)).json.detail, /payouts:approve/);
  assert.equal((await approve(order, await service.makeKey('other'))).status, 404);
  assert.equal((await trilho('approve', order.json.transactionId)).code, 0);
  await service.runJobs();
  assert.equal(await payoutsOf(order), 1, 'the command line counts as an operator');
  const small = await orders.order({ cost: 54.1 });
  await service.runJobs();
  const payment = { method: 'pix', amountCents: 5_410, reference: 'E-small'.padEnd(32, '0') };
  await service.post(`/charges/${small.json.charge.id}/payments`, payment, bearer(maker));
  await service.runJobs();
  const late = await approve(small, maker);
  assert.deepEqual([late.status, late.json.code], [409, 'wrong_state']);
});

test('the command refuses unknown arguments in one sentence', async () => {
  const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho('approve'), refusal(/<transaction or top-up id> is missing/));
  await assert.rejects(trilho('approve', 'x'), refusal(/must be a UUID, not "x"/));
  await assert.rejects(trilho('approve', UNKNOWN_ID), refusal(/no such/i));
});

test('above the amount the creator of an order cannot settle it as paid either', async () => {
  const [maker, second] = [await service.makeKey('acme'), await service.makeKey('acme')];
  const order = await paid(maker);
  const hash = `0x${'ab'.repeat(32)}`;
  const settle = (key: Key) =>
    service.post(`/crypto/transactions/${order.json.transactionId}/settle`, { as: 'paid', hash }, bearer(key));
  const refused = await settle(maker);
  assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  const unknown = await settle(second);
  assert.deepEqual([unknown.status, unknown.json.code], [409, 'wrong_state']);
});
