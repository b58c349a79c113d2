// GET /charges: the list that PostgreSQL builds shows each charge as GET /charges/{id} does.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../harness/bodies.ts';
import { type Service, startService } from '../harness/service.ts';

type Listed = { id: string };

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

const address = {
  street: 'Rua "das" Flores\\n',
  number: '100',
  city: 'São Paulo',
  state: 'SP',
  postalCode: '01001-000',
};

/** Charges that differ in everything a charge may have. */
const BODIES = [
  {},
  { methods: ['pix'] },
  { methods: ['boleto'], externalId: 'first', sourceKey: 'shop' },
  { currency: 'USD', amountCents: 1_001, sourceKey: 'shop' },
  {
    accountId: 'other',
    externalId: 'first',
    customer: { name: 'Ação "&" Ltda', document: '12.ABC.345/01DE-35', address },
  },
  { taxes: { fine: 2, interest: 0.033 } },
  { taxes: { fine: 200 } },
  { taxes: { interest: 3.5 }, sourceKey: 'market' },
  { amountCents: 10_000_000_000 },
  { dueAt: '2026-11-01T12:00:00Z' },
];

test('a charge in the list equals GET /charges/{id}, in every state', async () => {
  const ids: string[] = [];
  for (const body of BODIES) {
    const { status, json, text } = await service.post('/charges', chargeBody(body));
    assert.equal(status, 201, text);
    ids.push(json.id);
    service.clock.advanceMs(1_000);
  }
  await service.runJobs();
  const pay = (index: number, method: string) => service.post(`/sandbox/charges/${ids[index]}/pay`, { method });
  assert.equal((await pay(0, 'pix')).status, 200);
  assert.equal((await pay(0, 'boleto')).status, 200);
  assert.equal((await pay(2, 'boleto')).status, 200);
  assert.equal((await service.send(`/charges/${ids[1]}/cancel`, { method: 'POST' })).status, 200);
  assert.equal((await pay(1, 'pix')).status, 200);
  const refund = await service.post(`/charges/${ids[0]}/refunds`, { amountCents: 100 });
  assert(refund.status < 300, refund.text);
  await service.runJobs();

  const list = await service.get('/charges');
  assert.match(list.headers.get('content-type') ?? '', /^application\/json/);
  assert.deepEqual(
    list.json.charges.map(({ id }: Listed) => id),
    ids.toReversed(),
  );
  for (const listed of list.json.charges) {
    assert.deepEqual(listed, (await service.get(`/charges/${listed.id}`)).json);
  }
  const { charges, ...counts } = list.json;
  assert.deepEqual(counts, { total: BODIES.length, totalPages: 1, currentPage: 1, hasMore: false });
  assert(charges.some(({ warnings }: { warnings: unknown[] }) => warnings.length > 0));
  assert(charges.some(({ refunds }: { refunds: unknown[] }) => refunds.length > 0));
  assert(charges.some(({ payments }: { payments: unknown[] }) => payments.length > 1));
});

test('charges are filtered by externalId with every other filter', async () => {
  const total = async (query: string) => (await service.get(`/charges?${query}`)).json.total;
  assert.equal(await total('externalId=first'), 2);
  assert.equal(await total('externalId=first&accountId=other'), 1);
  assert.equal(await total('externalId=first&sourceKey=shop'), 1);
  assert.equal(await total('externalId=first&sourceKey=market'), 0);
  assert.equal(await total('externalId=first&to=2026-11-16T12:00:02Z'), 1);
  const second = await service.get('/charges?externalId=first&pageSize=1&page=2');
  assert.equal(second.json.charges[0].sourceKey, 'shop');
  assert.deepEqual([second.json.total, second.json.totalPages, second.json.hasMore], [2, 2, false]);
  const past = await service.get('/charges?externalId=first&page=9');
  assert.deepEqual(past.json, { charges: [], total: 2, totalPages: 1, currentPage: 9, hasMore: false });
});

test('from and to of our own lists take any offset, exact past the millisecond', async () => {
  const total = async (query: string) => (await service.get(`/charges?externalId=first&${query}`)).json.total;
  assert.equal(await total('to=2026-11-16T09:00:02-03:00'), 1);
  assert.equal(await total('to=2026-11-16t17:30:02%2B05:30'), 1);
  assert.equal(await total('from=2026-11-16T09:00:02.0001-03:00'), 1);
  assert.equal(await total('from=2026-11-16T09:00-03:00&to=2026-11-16T23:00%2B10:00'), 2);
  for (const path of ['/charges', '/wallets', '/ledger/entries', '/crypto/transactions/held']) {
    assert.equal((await service.get(`${path}?from=2026-11-16T09:00:02-03:00`)).status, 200, path);
    // A plus that was not encoded is a blank.
    for (const wrong of ['2026-11-16', '2026-02-30T09:00-03:00', '2026-11-16T09:00-25:00', '2026-11-16T09:00+03:00']) {
      const refused = await service.get(`${path}?from=${wrong}`);
      assert.equal(refused.status, 400, `${path} ${wrong}`);
      assert.match(refused.json.detail, /^from must be a date-time such as .*%2B/);
    }
    const twisted = await service.get(`${path}?from=2026-11-16T09:00-03:00&to=2026-11-16T11:59Z`);
    assert.equal(twisted.status, 400, path);
  }
});

test('charges are filtered by account, source and state, and cut into pages', async () => {
  const shop = await service.get('/charges?sourceKey=shop&pageSize=1&page=2');
  assert.equal(shop.json.charges[0].externalId, 'first');
  assert.deepEqual([shop.json.total, shop.json.totalPages, shop.json.hasMore], [2, 2, false]);
  assert.equal((await service.get('/charges?accountId=other')).json.total, 1);
  assert.equal((await service.get('/charges?accountId=other&sourceKey=shop')).json.total, 0);
  const overdue = await service.get('/charges?state=OVERDUE');
  assert.equal(overdue.json.total, 1);
  assert.deepEqual((await service.get('/charges?page=100')).json.charges, []);
});
