// The client on a real service: an order from its charge to its webhooks, lists, the feed, and errors. And the generated files fit the
// document of this service.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { createTrilho, type StreamedEvent, type Trilho, TrilhoError, verifyWebhook } from '@trilho/client';
import { type Document, generateClient } from '../../../scripts/client/generate.ts';
import { METHOD_NAMES } from '../../../scripts/client/method-names.ts';
import { ADDRESSES } from '../../harness/orders.ts';
import { until } from '../../harness/process.ts';
import { startReceiver } from '../../harness/receiver.ts';
import { type Service, startService } from '../../harness/service.ts';

let service: Service;
let trilho: Trilho;
before(async () => {
  service = await startService();
  trilho = createTrilho({ url: service.url });
});
after(() => service.stop());

const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
const chargeOf = (accountId: string) => ({
  ...{ accountId, amountCents: 15_990, currency: 'BRL' as const, methods: ['pix'] as const, customer },
  dueAt: '2026-12-10T23:59:59-03:00',
});
const documentOf = async () => (await service.get('/openapi.json')).json as Document;

test('an order is charged, paid, announced by verified webhooks and fulfilled', async t => {
  const accountId = 'whole';
  const receiver = await startReceiver(t);
  const { secret } = await trilho.webhooks.create({ url: receiver.url, accountId });
  const wallet = await trilho.wallets.create({
    ...{ accountId, name: 'Treasury', network: 'polygon', address: ADDRESSES.evm },
  });
  const quantity = '100.123457';
  const order = await trilho.orders.create({
    ...{ accountId, walletId: wallet.id, symbol: 'usdt', network: 'polygon', currency: 'BRL', quantity },
    settlementSchedule: 'D0',
    charge: { customer, methods: ['pix'] },
  });
  assert.equal(order.quantity, quantity, 'a decimal is text, with all of its digits');
  assert.deepEqual(order.exact, { quantity, cost: order.cost, price: order.price, fee: order.fee });
  const paid = await trilho.sandbox.payCharge(order.chargeId!, { method: 'pix' });
  assert.equal(paid.state, 'PAID');
  await trilho.sandbox.moveClock({ advance: 'PT10M' });
  assert.equal((await trilho.orders.get(order.transactionId)).status, 'fulfilled');

  const types: string[] = [];
  for await (const event of trilho.events.list({ objectId: order.transactionId, limit: 2 })) {
    assert.equal('quantity' in event.object && event.object.quantity, quantity);
    types.push(event.type.replace('crypto_transaction.', ''));
  }
  assert.deepEqual(types, ['pending_payment', 'pending_fulfillment', 'fulfilling', 'fulfilled']);

  await service.runJobs();
  const messages = await Promise.all(
    receiver.received.map(({ text, headers }) => verifyWebhook(text, headers, secret)),
  );
  const announced = messages.flatMap(({ type, data }) => (type === 'charge.paid' ? [data.object] : []));
  assert.deepEqual(
    announced.map(({ id, payments }) => [id, payments[0]?.amountCents]),
    [[order.chargeId, paid.amountCents]],
  );
  assert.ok(messages.some(({ type }) => type === 'crypto_transaction.fulfilled'));
});

test('a list is a page, its items and all of its pages', async () => {
  const accountId = 'lists';
  const made: string[] = [];
  for (let i = 0; i < 5; i++) made.unshift((await trilho.charges.create(chargeOf(accountId))).id);
  const query = { accountId, pageSize: 2 };
  const page = await trilho.charges.list(query);
  assert.deepEqual([page.charges.length, page.total, page.hasMore], [2, 5, true]);
  const items: string[] = [];
  for await (const { id } of trilho.charges.list(query)) items.push(id);
  assert.deepEqual(items, made);
  const sizes: number[] = [];
  for await (const { charges } of trilho.charges.list({ ...query, page: 2 }).pages()) sizes.push(charges.length);
  assert.deepEqual(sizes, [2, 1]);
});

test('a stream gives what happened and what happens, and continues after a cursor', async () => {
  const accountId = 'stream';
  const query = { accountId, type: 'charge.created' } as const;
  const first = await trilho.charges.create(chargeOf(accountId));
  const take = async (count: number, cursor?: string, onEvent?: () => Promise<unknown>) => {
    const taken: StreamedEvent[] = [];
    for await (const one of trilho.events.stream({ ...query, ...(cursor !== undefined && { after: cursor }) })) {
      taken.push(one);
      if (taken.length === count) break;
      await onEvent?.();
    }
    return taken;
  };
  let second = '';
  const taken = await take(2, undefined, async () => {
    second = (await trilho.charges.create(chargeOf(accountId))).id;
  });
  const idsOf = (events: readonly StreamedEvent[]) => events.map(({ event }) => event.objectId);
  assert.deepEqual(idsOf(taken), [first.id, second]);
  assert.deepEqual(idsOf(await take(1, taken[0]!.cursor)), [second]);
  const rest = await trilho.events.list({ ...query, after: taken[1]!.cursor });
  assert.deepEqual(rest.events, []);
});

test('an aborted stream ends with the reason of its signal', async () => {
  const leave = new AbortController();
  const reason = new Error('enough');
  const stream = trilho.events.stream({ accountId: 'nothing', after: 'end' }, { signal: leave.signal });
  const reading = (async () => {
    for await (const _ of stream);
  })();
  await until('the stream to be open', async () => /event_streams\S* 1$/m.test((await service.get('/metrics')).text));
  leave.abort(reason);
  await assert.rejects(reading, reason);
});

test('a repeat is one charge: with the same key, and with a key for each call', async () => {
  const accountId = 'keys';
  const options = { idempotencyKey: 'order-1043' };
  const first = await trilho.charges.create(chargeOf(accountId), options);
  assert.deepEqual(await trilho.charges.create(chargeOf(accountId), options), first);
  const another = await trilho.charges.create(chargeOf(accountId));
  assert.notEqual(another.id, first.id);
  const { status, headers } = await trilho.request('POST', '/charges', { ...options, body: chargeOf(accountId) });
  assert.deepEqual([status, headers.get('idempotent-replayed')], [201, 'true']);
});

test('a refusal is an error with its code, every fault and the id of the request', async () => {
  const refused = async (call: Promise<unknown>) => {
    const error = await call.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    assert.ok(error instanceof TrilhoError);
    return error;
  };
  const invalid = await refused(
    trilho.charges.create({ ...chargeOf('errors'), amountCents: 0, currency: 'GBP' as 'BRL' }),
  );
  assert.deepEqual([invalid.code, invalid.status, invalid.isUncertain], ['invalid_request', 400, false]);
  assert.deepEqual(invalid.errors.map(({ path: field }) => field).toSorted(), ['amountCents', 'currency']);
  assert.match(invalid.message, /amountCents must be at least 1/);
  assert.match(invalid.requestId ?? '', /^[0-9a-f-]{36}$/);
  const taken = { ...chargeOf('errors'), externalId: 'one' };
  const { id } = await trilho.charges.create(taken);
  const conflict = await refused(trilho.charges.create({ ...taken, amountCents: 1 }));
  assert.deepEqual([conflict.code, conflict.problem?.chargeId], ['external_id_conflict', id]);
  assert.equal((await refused(trilho.charges.get('a/../b?c'))).code, 'not_found');
});

test('files are bytes', async () => {
  const { id } = await trilho.charges.create(chargeOf('files'));
  const png = await trilho.charges.getPixPng(id);
  assert.deepEqual([...png.subarray(1, 4)], [...Buffer.from('PNG')]);
  const content = 'Data;Valor;Histórico\n16/11/2026;-1,00;Tarifa\n';
  const { statement } = await trilho.statements.upload({ contentType: 'text/csv', content });
  assert.equal(statement.counts.outgoing, 1);
});

test('the generated files are those of the document', async () => {
  const folder = path.join(import.meta.dirname, '../../../packages/client/src/generated');
  for (const [name, text] of Object.entries(generateClient(await documentOf()))) {
    const isSame = readFileSync(path.join(folder, name), 'utf8') === text;
    assert.ok(isSame, `${name} is old: npm run docs -- client <url of a running sandbox>`);
  }
});

test('every operation has a method', async () => {
  const document = await documentOf();
  const ids = Object.values(document.paths).flatMap(operations =>
    Object.values(operations).map(({ operationId }) => operationId),
  );
  const methods = Object.entries(METHOD_NAMES).flatMap(([resource, names]) =>
    Object.entries(names).map(([name, id]) => ({ resource, name, id })),
  );
  assert.deepEqual(methods.map(({ id }) => id).toSorted(), ids.toSorted());
  const client = trilho as unknown as Record<string, Record<string, unknown>>;
  for (const { resource, name } of methods) assert.equal(typeof client[resource]?.[name], 'function', name);

  const { get: _, ...charges } = METHOD_NAMES['charges']!;
  assert.throws(
    () => generateClient(document, { ...METHOD_NAMES, charges }),
    /operations without a method.*getCharge/s,
  );
  const unknown = { ...METHOD_NAMES, parrots: { list: 'listParrots' } };
  assert.throws(() => generateClient(document, unknown), /parrots.list is the operation listParrots/);
});
