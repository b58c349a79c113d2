// Orders of crypto through the front door: what is accepted and refused, and the way from a quote to the end.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ADDRESSES, CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
let orders: OrderDriver;
before(async () => {
  service = await startService();
  orders = orderDriver(service);
});
after(() => service.stop());

const codes = ({ json }: Answer) =>
  json.errors.map((fault: { path: string; code: string }) => [fault.path, fault.code]);

test('an order goes from its quote to fulfilled, with an event at each step', async () => {
  const quote = await orders.quote();
  const order = await orders.order({ quoteId: quote.json.id });
  assert.equal(order.status, 201, order.text);
  assert.equal(order.json.status, 'pending_payment');
  assert.deepEqual(order.json.exact, { quantity: '100', cost: '541', price: '5.41', fee: '0' });
  assert.equal(order.json.quote.id, quote.json.id);
  assert.equal(order.json.charge.transactionId, order.json.transactionId);
  assert.equal(order.json.charge.amountCents, 54_100);
  assert.equal(order.headers.get('location'), `/crypto/transactions/${order.json.transactionId}`);
  await service.runJobs();
  await orders.pay(order);
  await service.runJobs();
  const sent = await orders.read(order);
  assert.equal(sent.status, 'fulfilling');
  assert.match(sent.transfer.hash, /^0x[0-9a-f]{64}$/);
  await orders.advance('PT10M');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled');
  assert.equal(done.transfer.state, 'final');
  assert.equal(done.transfer.hash, sent.transfer.hash);
  assert.ok(done.transfer.confirmations >= done.transfer.confirmationsNeeded);
  assert.equal(await orders.events(order), 'pending_payment pending_fulfillment fulfilling fulfilled');
  assert.deepEqual(
    done.timeline.map((entry: { event: string }) => entry.event.replace('crypto_transaction.', '')),
    ['pending_payment', 'pending_fulfillment', 'fulfilling', 'fulfilled'],
  );
});

test('numbers are exact in the JSON of the answer, the detail and the list', async () => {
  const quantity = '0.012345678901234567';
  const order = await orders.order({ symbol: 'eth', network: 'ethereum', cost: undefined, quantity });
  assert.equal(order.status, 201, order.text);
  assert.match(order.text, new RegExp(`"quantity":${quantity},`));
  const detail = await service.get(`/crypto/transactions/${order.json.transactionId}`);
  assert.match(detail.text, new RegExp(`"quantity":${quantity},`));
  assert.equal(detail.json.exact.quantity, quantity);
  const list = await service.get('/crypto/transactions?symbol=eth');
  assert.match(list.text, new RegExp(`"quantity":${quantity},`));
});

test('the list shows an order until it ends unfulfilled; the detail still shows it then', async () => {
  const order = await orders.order({ symbol: 'trx', network: 'tron', cost: 50 });
  const total = async () => (await service.get('/crypto/transactions?symbol=trx')).json.total;
  assert.equal(await total(), 1);
  const canceled = await service.post(`/crypto/transactions/${order.json.transactionId}/cancel`, {});
  assert.equal(canceled.status, 200, canceled.text);
  assert.equal(canceled.json.endedAs, 'canceled');
  assert.equal(canceled.json.status, 'pending_payment');
  assert.equal(canceled.json.charge.state, 'CANCELED');
  assert.equal(await total(), 0);
  assert.equal((await orders.read(order)).endedAs, 'canceled');
  const again = await service.post(`/crypto/transactions/${order.json.transactionId}/cancel`, {});
  assert.equal(again.status, 200);
  assert.equal(await orders.events(order), 'pending_payment canceled');
});

test('a repeat by externalId, key or quote is the first order, also with many at once', async () => {
  const quote = await orders.quote();
  const body = { quoteId: quote.json.id, externalId: 'repeat-1' };
  const answers = await Promise.all(Array.from({ length: 12 }, () => orders.order(body)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
  assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
  const rows = await service.sql('select id from charges where order_id = $1', [answers[0]!.json.transactionId]);
  assert.equal(rows.length, 1);

  const conflict = await orders.order({ externalId: 'repeat-1', cost: 100 });
  assert.equal(conflict.status, 409);
  assert.equal(conflict.json.code, 'external_id_conflict');
  assert.equal(conflict.json.transactionId, answers[0]!.json.transactionId);

  const keyed = { headers: { 'idempotency-key': 'order-key' }, cost: 77 };
  const [first, second] = await Promise.all([orders.order(keyed), orders.order(keyed)]);
  assert.equal(first.text, second.text);
  const reused = await orders.order({ ...keyed, cost: 78 });
  assert.equal(reused.status, 422);
  assert.equal(reused.json.code, 'idempotency_key_reused');

  const plain = await orders.quote({ cost: 61 });
  const [one, two] = await Promise.all([
    orders.order({ quoteId: plain.json.id }),
    orders.order({ quoteId: plain.json.id }),
  ]);
  assert.equal(one.json.transactionId, two.json.transactionId);
  const other = await orders.order({ quoteId: plain.json.id, settlementSchedule: 'D2' });
  assert.equal(other.status, 422);
  assert.deepEqual(codes(other), [['quoteId', 'used']]);
});

test('a key that is sent with a repeat by quote belongs to the order from then on', async () => {
  const quote = await orders.quote({ cost: 71 });
  const headers = { 'idempotency-key': 'lent' };
  const first = await orders.order({ quoteId: quote.json.id });
  const again = await orders.order({ quoteId: quote.json.id, headers });
  assert.equal(again.text, first.text);
  const other = await orders.order({ cost: 72, headers });
  assert.equal(other.status, 422, other.text);
  assert.equal(other.json.code, 'idempotency_key_reused');
});

test('a repeat long after its quote has expired is still the first order', async () => {
  const quote = await orders.quote({ cost: 62 });
  const body = { quoteId: quote.json.id, externalId: 'late-repeat' };
  const first = await orders.order(body);
  await orders.advance('PT6M');
  const again = await orders.order(body);
  assert.equal(again.status, 201, again.text);
  assert.equal(again.text, first.text);
  assert.equal(again.headers.get('idempotent-replayed'), 'true');
});

test('an invalid order is refused with each faulty field, and nothing is written', async () => {
  const before = await service.sql('select count(*) from orders');
  const UNKNOWN_ID = '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17';
  const foreign = await service.post('/wallets', {
    accountId: 'other',
    name: 'Theirs',
    network: 'polygon',
    address: ADDRESSES.evm,
  });
  const quote = await orders.quote({ accountId: 'other', cost: 63 });
  const onTron = await orders.wallet('tron');
  const cases: [Record<string, unknown>, number, [string, string][]][] = [
    [{ walletId: UNKNOWN_ID }, 400, [['walletId', 'unknown']]],
    [{ walletId: foreign.json.id }, 400, [['walletId', 'unknown']]],
    [{ walletId: onTron }, 400, [['walletId', 'other_network']]],
    [{ quoteId: UNKNOWN_ID }, 400, [['quoteId', 'unknown']]],
    [{ quoteId: quote.json.id }, 400, [['quoteId', 'unknown']]],
    [{ quoteId: UNKNOWN_ID, cost: 5 }, 400, [['cost', 'exactly_one']]],
    [{ network: 'base' }, 400, [['network', 'not_on_network']]],
    [
      { quantity: 5 },
      400,
      [
        ['cost', 'exactly_one'],
        ['quantity', 'exactly_one'],
      ],
    ],
    [{ settlementSchedule: 'D3' }, 400, [['settlementSchedule', 'not_allowed']]],
    [{ chargee: {} }, 400, [['chargee', 'unknown']]],
    [
      { charge: { ...CHARGE_PART, customer: { name: 'X', document: '12' } } },
      400,
      [['charge.customer.document', 'not_a_document']],
    ],
    [{ charge: { methods: ['pix'] } }, 400, [['charge.customer', 'required']]],
    [
      { charge: { ...CHARGE_PART, methods: ['boleto'], dueAt: '1999-01-01T00:00:00Z' } },
      422,
      [['charge.dueAt', 'due_date_out_of_range']],
    ],
  ];
  for (const [changes, status, expected] of cases) {
    const answer = await orders.order(changes);
    assert.equal(answer.status, status, `${JSON.stringify(changes)} ${answer.text}`);
    assert.deepEqual(codes(answer), expected, answer.text);
  }
  const nothing = await service.post('/crypto/transactions', { accountId: 'acme' });
  assert.deepEqual(codes(nothing), [
    ['walletId', 'required'],
    ['settlementSchedule', 'required'],
    ['quoteId', 'required'],
  ]);
  assert.deepEqual(await service.sql('select count(*) from orders'), before);
});

test('a quote that has expired is refused', async () => {
  const quote = await orders.quote({ cost: 64 });
  await orders.advance('PT5M');
  const order = await orders.order({ quoteId: quote.json.id });
  assert.equal(order.status, 422);
  assert.deepEqual(codes(order), [['quoteId', 'expired']]);
});

test('a removed wallet accepts no new order, and an existing order to it continues', async () => {
  const made = await service.post('/wallets', {
    accountId: 'acme',
    name: 'Short-lived',
    network: 'arbitrum',
    address: '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  });
  const fields = { network: 'arbitrum', walletId: made.json.id, cost: 65 };
  const order = await orders.order(fields);
  await service.send(`/wallets/${made.json.id}`, { method: 'DELETE' });
  assert.deepEqual(codes(await orders.order(fields)), [['walletId', 'unknown']]);
  await orders.pay(order);
  await orders.advance('PT5M');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('a wallet with a waiting time is refused until it ends', async () => {
  const careful = await startService({ walletWait: 'PT24H' });
  try {
    const driver = orderDriver(careful);
    const early = await driver.order();
    assert.equal(early.status, 422, early.text);
    assert.deepEqual(codes(early), [['walletId', 'not_usable_yet']]);
    await driver.advance('P1D');
    assert.equal((await driver.order()).status, 201);
  } finally {
    await careful.stop();
  }
});

test('an order without a charge is given one while its price holds', async () => {
  const order = await orders.order({ charge: undefined, cost: 66 });
  assert.equal(order.json.chargeId, undefined);
  const address = `/crypto/transactions/${order.json.transactionId}/charge`;
  const wrong = await service.post(address, { ...CHARGE_PART, customer: { name: 'X', document: '12' } });
  assert.equal(wrong.status, 400);
  const given = await service.post(address, CHARGE_PART);
  assert.equal(given.status, 201, given.text);
  assert.equal(given.json.charge.amountCents, 6_600);
  assert.equal((await service.post(address, CHARGE_PART)).status, 409);
  await orders.pay(given);
  await orders.advance('PT10M');
  assert.equal((await orders.read(order)).status, 'fulfilled');
});

test('an order without a charge ends with its price, or when it is canceled', async () => {
  const left = await orders.order({ charge: undefined, cost: 67 });
  const dropped = await orders.order({ charge: undefined, cost: 67 });
  await service.post(`/crypto/transactions/${dropped.json.transactionId}/cancel`, {});
  await orders.advance('PT5M');
  assert.equal((await orders.read(left)).endedAs, 'expired');
  assert.equal((await orders.read(dropped)).endedAs, 'canceled');
  const late = await service.post(`/crypto/transactions/${left.json.transactionId}/charge`, CHARGE_PART);
  assert.equal(late.status, 409);
  assert.equal(await orders.events(left), 'pending_payment expired');
});

test('an order ends with its charge, when that expires or is canceled', async () => {
  const unpaid = await orders.order({ cost: 68 });
  const withdrawn = await orders.order({ cost: 68 });
  await service.post(`/charges/${withdrawn.json.charge.id}/cancel`, {});
  await orders.advance('P4D');
  assert.equal((await orders.read(unpaid)).endedAs, 'expired');
  assert.equal((await orders.read(withdrawn)).endedAs, 'canceled');
});

test('an order of dollars is paid in reais at its locked rate', async () => {
  const order = await orders.order({ currency: 'USD', cost: 100 });
  assert.equal(order.json.charge.payable.amountCents, 54_000);
  assert.equal(order.json.price, 1.00185186);
  await orders.pay(order);
  await orders.advance('PT10M');
  const done = await orders.read(order);
  assert.equal(done.status, 'fulfilled');
  assert.equal(done.quantity, 99.815156);
});

test('unknown ids are not found on every route', async () => {
  for (const id of ['nonsense', '019a8b5e-3c70-7d2a-9f41-6b0c5d8e2a17']) {
    assert.equal((await service.get(`/crypto/transactions/${id}`)).status, 404);
    for (const verb of ['cancel', 'reprice', 'retry']) {
      assert.equal((await service.post(`/crypto/transactions/${id}/${verb}`, {})).status, 404);
    }
    assert.equal((await service.post(`/crypto/transactions/${id}/charge`, CHARGE_PART)).status, 404);
  }
});

test('demo transactions can be read by their id too', async () => {
  const demo = await startService({ demo: true });
  try {
    const { json } = await demo.get('/crypto/transactions?pageSize=1');
    const [listed] = json.transactions;
    const detail = await demo.get(`/crypto/transactions/${listed.transactionId}`);
    assert.equal(detail.status, 200, detail.text);
    assert.deepEqual(Object.fromEntries(Object.keys(listed).map(key => [key, detail.json[key]])), listed);
    assert.deepEqual(detail.json.timeline, []);
  } finally {
    await demo.stop();
  }
});
