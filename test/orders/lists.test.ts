// The filters of the lists of orders, and the list of orders that ended without being fulfilled.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CHARGE_PART, type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { seed, transaction } from '../harness/transactions.ts';

type Listed = { readonly transactionId: string; readonly endedAs?: string };

describe('the lists of a sandbox', () => {
  let service: Service;
  let acme: OrderDriver;
  let globex: OrderDriver;
  let ofAcme: Answer;
  let ofGlobex: Answer;
  before(async () => {
    service = await startService();
    acme = orderDriver(service);
    globex = orderDriver(service, 'globex');
    ofAcme = await acme.order({ externalId: 'order 1/ä' });
    ofGlobex = await globex.order({ externalId: 'order 1/ä' });
    await acme.order({ externalId: 'order 2' });
    await acme.order();
  });
  after(() => service.stop());

  const listed = async (query: string): Promise<[number, string[]]> => {
    const { status, json, text } = await service.get(`/crypto/transactions${query}`);
    assert.equal(status, 200, text);
    return [json.total, json.transactions.map(({ transactionId }: Listed) => transactionId)];
  };
  const idOf = ({ json }: Answer): string => json.transactionId;
  const externalId = encodeURIComponent('order 1/ä');

  test('accountId filters by account, externalId by that id, and both find one order', async () => {
    assert.equal((await listed(''))[0], 4);
    assert.equal((await listed('?accountId=acme'))[0], 3);
    assert.deepEqual(await listed('?accountId=globex'), [1, [idOf(ofGlobex)]]);
    assert.deepEqual(await listed('?accountId=nobody'), [0, []]);
    const both = await listed(`?externalId=${externalId}`);
    assert.deepEqual([both[0], both[1].toSorted()], [2, [idOf(ofAcme), idOf(ofGlobex)].toSorted()]);
    assert.deepEqual(await listed(`?externalId=${externalId}&accountId=acme`), [1, [idOf(ofAcme)]]);
    assert.deepEqual(await listed('?externalId=nothing'), [0, []]);
  });

  test('they combine with the other filters, pages and bounds', async () => {
    assert.deepEqual(await listed(`?externalId=${externalId}&accountId=acme&symbol=usdt&status=pending_payment`), [
      1,
      [idOf(ofAcme)],
    ]);
    assert.deepEqual(await listed(`?externalId=${externalId}&accountId=acme&symbol=eth`), [0, []]);
    assert.deepEqual(await listed(`?externalId=${externalId}&to=2020-01-01T00:00Z`), [0, []]);
    const { json } = await service.get(`/crypto/transactions?externalId=${externalId}&pageSize=1&page=2`);
    assert.deepEqual(
      [json.transactions.length, json.total, json.totalPages, json.currentPage, json.hasMore],
      [1, 2, 2, 2, false],
    );
    const past = await service.get(`/crypto/transactions?externalId=${externalId}&page=9`);
    assert.deepEqual(past.json, { transactions: [], total: 2, totalPages: 1, currentPage: 9, hasMore: false });
  });

  test('the rows have their usual fields, and the detail has both ids', async () => {
    const all = (await service.get('/crypto/transactions')).json.transactions;
    const one = (await service.get(`/crypto/transactions?externalId=${externalId}&accountId=acme`)).json
      .transactions[0];
    assert.deepEqual(
      one,
      all.find(({ transactionId }: Listed) => transactionId === idOf(ofAcme)),
    );
    assert.equal('accountId' in one || 'externalId' in one, false);
    const detail = await acme.read(ofAcme);
    assert.deepEqual([detail.accountId, detail.externalId], ['acme', 'order 1/ä']);
  });

  test('an empty or overlong filter is named', async () => {
    for (const query of [
      'accountId=',
      'externalId=',
      `externalId=${'x'.repeat(256)}`,
      `accountId=${'x'.repeat(256)}`,
    ]) {
      const { status, json } = await service.get(`/crypto/transactions?${query}`);
      assert.equal(status, 400, query);
      assert.deepEqual(
        json.errors.map(({ path }: { path: string }) => path),
        [query.split('=')[0]],
      );
    }
  });
});

describe('orders that ended without being fulfilled', () => {
  let service: Service;
  let orders: OrderDriver;
  before(async () => {
    service = await startService();
    orders = orderDriver(service);
  });
  after(() => service.stop());

  const ended = async (query = ''): Promise<{ total: number; orders: Listed[] }> => {
    const { status, json, text } = await service.get(`/crypto/transactions/ended${query}`);
    assert.equal(status, 200, text);
    return json;
  };
  const isListed = async (order: Answer): Promise<boolean> => {
    const { transactions } = (await service.get('/crypto/transactions?pageSize=100')).json;
    return transactions.some(({ transactionId }: Listed) => transactionId === order.json.transactionId);
  };

  test('have their own list, newest first, with how they ended; a later payment brings one back', async () => {
    const expired = await orders.order({
      charge: { ...CHARGE_PART, dueAt: '2026-01-01T12:00:00Z', expireAt: '2026-01-02T12:00:00Z' },
    });
    const canceled = await orders.order();
    const refunded = await orders.order({ settlementSchedule: 'D2' });
    const going = await orders.order();
    assert.deepEqual((await ended()).orders, []);
    await service.post(`/crypto/transactions/${canceled.json.transactionId}/cancel`, undefined);
    await orders.pay(refunded);
    await service.runJobs();
    await service.post(`/charges/${refunded.json.charge.id}/refunds`, {});
    await orders.advance('PT1M');

    const { orders: found, ...counts } = await ended();
    const newestFirst = [refunded, canceled, expired].map(({ json }) => json.transactionId);
    assert.deepEqual(found.map(({ transactionId }) => transactionId).toSorted(), newestFirst.toSorted());
    const moments = (found as unknown as { createdAt: string }[]).map(({ createdAt }) => createdAt);
    assert.deepEqual(moments, moments.toSorted().toReversed());
    assert.deepEqual(counts, { total: 3, totalPages: 1, currentPage: 1, hasMore: false });
    for (const [order, as] of [
      [expired, 'expired'],
      [canceled, 'canceled'],
      [refunded, 'refunded'],
    ] as const) {
      const { orders: alone, total } = await ended(`?endedAs=${as}&accountId=acme`);
      assert.deepEqual([total, alone[0]?.transactionId, alone[0]?.endedAs], [1, order.json.transactionId, as]);
      assert.equal(await isListed(order), false);
    }
    assert.equal(await isListed(going), true);
    assert.equal((await ended('?accountId=nobody')).total, 0);
    assert.deepEqual([(await ended('?pageSize=2&page=2')).orders.length, (await ended('?page=9')).total], [1, 3]);
    assert.equal((await service.get('/crypto/transactions/ended?endedAs=fulfilled')).status, 400);

    await orders.pay(canceled);
    await service.runJobs();
    const back = await service.post(`/crypto/transactions/${canceled.json.transactionId}/reprice`, {});
    assert.equal(back.status, 200, back.text);
    assert.equal((await ended()).total, 2);
    assert.equal(await isListed(canceled), true);
  });
});

test('in live a caller can ask for its own account; another one is not found', async () => {
  const service = await startService({ mode: 'live' });
  try {
    const other = { authorization: `Bearer ${(await service.makeKey('other')).text}` };
    const [open, over] = [transaction(), transaction()];
    await seed(service, [open, over]);
    await service.sql(`update orders set ended_as = 'expired', ended_at = now() where id = $1`, [over.id]);
    await service.sql(`update orders set external_id = 'mine' where id = $1`, [open.id]);
    for (const path of ['/crypto/transactions', '/crypto/transactions/ended']) {
      assert.equal((await service.get(`${path}?accountId=acme`)).json.total, 1, path);
      assert.equal((await service.get(path, other)).json.total, 0, path);
      const refused = await service.get(`${path}?accountId=acme`, other);
      assert.deepEqual([refused.status, refused.json.code], [404, 'not_found'], path);
    }
    assert.equal((await service.get('/crypto/transactions?externalId=mine')).json.total, 1);
    assert.equal((await service.get('/crypto/transactions?externalId=mine', other)).json.total, 0);
  } finally {
    await service.stop();
  }
});
