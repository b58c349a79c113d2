// GET /crypto/transactions: the list of a new sandbox.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { NETWORKS, SYMBOLS } from '../../src/chains/asset.ts';
import { STATUSES } from '../../src/orders/order.ts';
import { type Service, startService } from '../harness/service.ts';
import { seed, transaction } from '../harness/transactions.ts';

describe('the list of a new sandbox', () => {
  let service: Service;
  before(async () => {
    service = await startService({ demo: true });
  });
  after(() => service.stop());

  test('shows sixty demo transactions over every symbol, status and network and several months', async () => {
    const { json } = await service.get('/crypto/transactions?pageSize=100');
    const all: Record<string, string>[] = json.transactions;
    assert.equal(json.total, 60);
    assert.deepEqual(new Set(all.map(t => t['symbol'])), new Set(SYMBOLS));
    assert.deepEqual(new Set(all.map(t => t['status'])), new Set(STATUSES));
    assert.deepEqual(new Set(all.map(t => t['network'])), new Set(NETWORKS));
    assert.ok(new Set(all.map(t => t['createdAt']!.slice(0, 7))).size >= 5);
  });

  test('names wallets that exist', async () => {
    const { json } = await service.get('/crypto/transactions?pageSize=100');
    for (const { walletId, walletAddress, walletName, network } of json.transactions) {
      const wallet = (await service.get(`/wallets/${walletId}`)).json;
      assert.deepEqual(
        { name: wallet.name, network: wallet.network, address: wallet.address },
        { name: walletName, network, address: walletAddress },
      );
    }
  });

  test('is the same in every sandbox', async () => {
    const other = await startService({ demo: true });
    try {
      const path = '/crypto/transactions?pageSize=100';
      assert.equal((await other.get(path)).text, (await service.get(path)).text);
    } finally {
      await other.stop();
    }
  });

  test('has 15 fields in each, none of them null', async () => {
    const { json } = await service.get('/crypto/transactions?pageSize=100');
    for (const row of json.transactions) {
      assert.deepEqual(Object.keys(row), [
        'transactionId',
        'status',
        'quantity',
        'cost',
        'price',
        'network',
        'symbol',
        'currency',
        'walletId',
        'walletAddress',
        'walletName',
        'settlementSchedule',
        'settlementDate',
        'createdAt',
        'updatedAt',
      ]);
      assert.ok(Object.values(row).every(value => value !== null));
      for (const name of ['quantity', 'cost', 'price']) assert.equal(typeof row[name], 'number');
      for (const name of ['settlementDate', 'createdAt', 'updatedAt']) {
        assert.match(row[name], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      }
    }
  });

  test('answers the first page of twenty by default', async () => {
    const { status, json } = await service.get('/crypto/transactions');
    assert.equal(status, 200);
    assert.deepEqual(Object.keys(json), ['transactions', 'total', 'totalPages', 'currentPage', 'hasMore']);
    const { transactions, ...rest } = json;
    assert.equal(transactions.length, 20);
    assert.deepEqual(rest, { total: 60, totalPages: 3, currentPage: 1, hasMore: true });
  });
});

describe('the list', () => {
  let service: Service;
  before(async () => {
    service = await startService({ pageSize: 2 });
    await seed(service, [
      transaction({ createdAt: new Date('2026-01-01T00:00:00.000Z'), symbol: 'usdt' }),
      transaction({ createdAt: new Date('2026-01-02T00:00:00.001Z'), symbol: 'eth', network: 'base' }),
      transaction({ createdAt: new Date('2026-01-02T00:00:00.001Z'), symbol: 'usdc', status: 'fulfilling' }),
      transaction({
        createdAt: new Date('2026-01-03T00:00:00.000Z'),
        symbol: 'eth',
        network: 'ethereum',
        quantity: '1.000000000000000001',
        cost: '123456789012345678901234567890.12',
        price: '0.000000000000000001',
      }),
    ]);
  });
  after(() => service.stop());

  const list = async (query: string) => (await service.get(`/crypto/transactions?${query}`)).json;

  test('writes decimals exactly, without floats', async () => {
    const { text } = await service.get('/crypto/transactions?from=2026-01-03T00:00Z');
    assert.match(text, /"quantity":1\.000000000000000001,/);
    assert.match(text, /"cost":123456789012345678901234567890\.12,/);
    assert.match(text, /"price":0\.000000000000000001,/);
  });

  test('has a configured page size', async () => {
    const json = await list('');
    assert.equal(json.transactions.length, 2);
    assert.equal(json.totalPages, 2);
  });

  test('filters by symbol and status', async () => {
    assert.equal((await list('symbol=eth')).total, 2);
    assert.equal((await list('status=fulfilling')).total, 1);
    assert.equal((await list('symbol=eth&status=fulfilling')).total, 0);
  });

  test('bounds createdAt by from and to, both inclusive', async () => {
    assert.equal((await list('from=2026-01-02T00:00:00.001Z&to=2026-01-02T00:00:00.001Z')).total, 2);
    assert.equal((await list('from=2026-01-02T00:00:00.0011Z')).total, 1);
    assert.equal((await list('to=2026-01-02T00:00:00.0009Z')).total, 1);
    assert.equal((await list('to=2026-01-02T00:00:00.00199Z')).total, 3);
    assert.equal((await list('from=2026-01-02T00:00Z&to=2026-01-02T23:59:59Z')).total, 2);
    assert.equal((await list('from=0000-01-01T00:00Z&to=9999-12-31T23:59:59.999Z')).total, 4);
  });

  test('is newest first, then by id from the highest', async () => {
    const { transactions } = await list('pageSize=100');
    const keys = transactions.map((t: Record<string, string>) => `${t['createdAt']} ${t['transactionId']}`);
    assert.deepEqual(keys, [...keys].sort().reverse());
  });

  test('answers a page past the end empty, with the true totals', async () => {
    const { transactions, ...rest } = await list('page=9007199254740991');
    assert.deepEqual(transactions, []);
    assert.deepEqual(rest, { total: 4, totalPages: 2, currentPage: Number.MAX_SAFE_INTEGER, hasMore: false });
  });

  test('answers a filter that matches nothing with zeros', async () => {
    const { transactions, ...rest } = await list('symbol=trx&page=3');
    assert.deepEqual(transactions, []);
    assert.deepEqual(rest, { total: 0, totalPages: 0, currentPage: 3, hasMore: false });
  });

  const refused: [query: string, path: string][] = [
    ...['0', '-1', '1.5', 'abc', '', '9007199254740992', '1e3', '+1', ' 1', '0x1', '01'].map(
      page => [`page=${encodeURIComponent(page)}`, 'page'] as [string, string],
    ),
    ['page=1&page=2', 'page'],
    ['pageSize=0', 'pageSize'],
    ['pageSize=101', 'pageSize'],
    ['symbol=', 'symbol'],
    ['symbol=USDT', 'symbol'],
    ['symbol=btc', 'symbol'],
    ['symbol=usdt&symbol=usdt', 'symbol'],
    ['status=', 'status'],
    ['status=Fulfilled', 'status'],
    ['status=expired', 'status'],
    ['simbol=usdt', 'simbol'],
    ['from=2023-02-29T10:30Z', 'from'],
    ['from=2024-01-01', 'from'],
    ['from=2024-01-01T24:00Z', 'from'],
    ['from=2024-01-01T10:00%2B00:00', 'from'],
    ['from=2024-01-01T10:00z', 'from'],
    ['from=2024-01-01T10:00Z%20', 'from'],
    ['from=2024-01-01+10:00Z', 'from'],
    ['from=', 'from'],
    ['to=tomorrow', 'to'],
    ['to=%00', 'to'],
  ];
  for (const [query, path] of refused) {
    test(`refuses ${query}, naming ${path}`, async () => {
      const answer = await service.get(`/crypto/transactions?${query}`);
      assert.equal(answer.status, 400);
      assert.equal(answer.json.code, 'invalid_request');
      assert.deepEqual([...new Set(answer.json.errors.map((fault: { path: string }) => fault.path))], [path]);
    });
  }

  test('accepts a leap day', async () => {
    assert.equal((await service.get('/crypto/transactions?from=2024-02-29T10:30Z')).status, 200);
  });

  test('refuses from later than to, naming both, beside every other fault', async () => {
    const answer = await service.get('/crypto/transactions?from=2026-01-02T00:00Z&to=2026-01-01T00:00Z&page=0');
    assert.equal(answer.status, 400);
    assert.deepEqual(answer.json.errors.map((fault: { path: string }) => fault.path).sort(), ['from', 'page', 'to']);
  });

  test('compares from and to beyond the millisecond', async () => {
    assert.equal(
      (await service.get('/crypto/transactions?from=2026-01-01T00:00:00.0001Z&to=2026-01-01T00:00:00.0001Z')).status,
      200,
    );
    assert.equal(
      (await service.get('/crypto/transactions?from=2026-01-01T00:00:00.0002Z&to=2026-01-01T00:00:00.0001Z')).status,
      400,
    );
  });
});
