// Lists as CSV: every row once, also with concurrent changes; formulas are written as text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { PageQuery } from '../../../src/lib/paging.ts';
import { walkBack } from '../../../src/web/dashboard/csv.ts';
import { chargeBody } from '../../harness/bodies.ts';
import { type Service, startService } from '../../harness/service.ts';
import { planBody } from '../../harness/subscriptions.ts';
import { seed, transaction } from '../../harness/transactions.ts';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

async function csv(path: string): Promise<string[][]> {
  const answer = await fetch(`${service.url}/dashboard/${path}`);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get('content-type') ?? '', /^text\/csv/);
  const text = Buffer.from(await answer.arrayBuffer()).toString('utf8');
  assert.ok(text.startsWith('\uFEFF'));
  return text
    .slice(1)
    .trimEnd()
    .split('\r\n')
    .map(line => line.split(','));
}

type Row = { readonly id: string; readonly at: Date };
const NOW = new Date('2026-11-16T12:00:00Z');

/** A list as the database has it: newest first, by moment and id. */
function listOf(rows: Row[]) {
  return async ({ to, page, pageSize }: PageQuery) =>
    rows
      .filter(({ at }) => at.getTime() <= (to?.floorMs ?? Number.POSITIVE_INFINITY))
      .sort((one, other) => other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1))
      .slice((page - 1) * pageSize, page * pageSize);
}

test('a walk finds each row once, also when one moment has more rows than a page', async () => {
  for (const perMoment of [1, 3, 499, 500, 501, 1_700]) {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      id: String(index).padStart(5, '0'),
      at: new Date(NOW.getTime() - Math.floor(index / perMoment)),
    }));
    const found: string[] = [];
    for await (const page of walkBack(NOW, { page: 1, pageSize: 1 }, listOf(rows), row => row)) {
      found.push(...page.map(({ id }) => id));
    }
    assert.equal(found.length, 3_000, `${perMoment} at a moment`);
    assert.equal(new Set(found).size, 3_000, `${perMoment} at a moment`);
  }
});

test('a walk skips no row when others leave or enter the list', async () => {
  const rows = Array.from({ length: 2_000 }, (_, index) => ({
    id: String(index).padStart(5, '0'),
    at: new Date(NOW.getTime() - index),
  }));
  const read = listOf(rows);
  const found: string[] = [];
  for await (const page of walkBack(NOW, { page: 1, pageSize: 1 }, read, row => row)) {
    found.push(...page.map(({ id }) => id));
    rows.splice(0, 10, { id: `new ${found.length}`, at: new Date(NOW.getTime() + 1) });
  }
  assert.equal(found.length, 2_000);
});

test('an export has every order of its filters', async () => {
  const createdAt = service.clock.now();
  await service.sql(`insert into accounts (id, created_at) values ('many', now()), ('other', now())`);
  const many = Array.from({ length: 620 }, (_, index) =>
    transaction({ accountId: 'many', createdAt: new Date(createdAt.getTime() - Math.floor(index / 350)) }),
  );
  await seed(service, many);
  await seed(service, [transaction({ accountId: 'other', createdAt })]);
  const [head, ...rows] = await csv('orders.csv?accountId=many');
  assert.equal(head?.[0], 'id');
  assert.deepEqual(new Set(rows.map(([id]) => id)), new Set(many.map(({ id }) => id)));
  assert.equal(rows.length, many.length);
  assert.equal(head?.[1], 'account');
  const all = await csv('orders.csv');
  assert.deepEqual(new Set(all.slice(1).map(([, account]) => account)), new Set(['many', 'other']));
});

test('each list has its export', async () => {
  const customer = { name: 'Maria da Silva', document: '529.982.247-25' };
  const made = await service.post('/charges', chargeBody({ customer, methods: ['pix'], externalId: '=1+1' }));
  await service.runJobs();
  await service.post(`/charges/${made.json.id}/payments`, { amountCents: 15_990, reference: 'E1' });
  const columnsOf = async (path: string) => (await csv(path)).map(cells => cells.length);
  for (const list of ['charges', 'orders?show=held', 'orders?show=ended', 'payouts', 'events', 'ledger', 'audit']) {
    const [name, query = ''] = list.split('?');
    const [head, ...rows] = await columnsOf(`${name}.csv?${query}`);
    for (const columns of rows) assert.equal(columns, head, list);
  }
  const charges = await csv(`charges.csv?externalId=${encodeURIComponent('=1+1')}`);
  const columns = ['payer', 'document', 'paid by', 'paid at', 'bank reference'].map(name => charges[0]!.indexOf(name));
  const [payer, document, paidBy, paidAt, reference] = columns.map(index => charges[1]![index]);
  assert.deepEqual([payer, document, paidBy, reference], ['Maria da Silva', '52998224725', 'pix', 'E1']);
  assert.match(paidAt ?? '', /^\d{4}-\d{2}-\d{2}T/);
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('E2', '2026-11-16T11:00:00Z', 4200, '@SUM(A1)', now())`,
  );
  const [, charge] = await csv(`charges.csv?externalId=${encodeURIComponent('=1+1')}`);
  assert.ok(charge?.includes("'=1+1"));
  assert.deepEqual(
    (await csv('unmatched.csv')).slice(1).map(cells => cells.slice(0, 4)),
    [['E2', '2026-11-16T11:00:00.000Z', '42.00', "'@SUM(A1)"]],
  );
  const lines = (await csv(`ledger.csv?chargeId=${made.json.id}`)).slice(1).map(cells => cells.slice(6));
  assert.deepEqual(lines.sort(), [
    ['payer', 'BRL', '-159.90'],
    ['settled', 'BRL', '159.90'],
  ]);
});

test('a charge names its customer, its instalment and its cycle, and an instalment plan its customer', async () => {
  const made = async (path: string, body: object) => {
    const answer = await service.post(path, { accountId: 'whose', ...body });
    assert.equal(answer.status, 201, answer.text);
    return answer.json;
  };
  const { id: customerId } = await made('/customers', { name: 'Maria da Silva', document: '52998224725' });
  const asked = { customerId, currency: 'BRL', methods: ['pix'] };
  const plan = await made('/instalments', { ...asked, amountCents: 30_000, count: 2, firstDueDay: '2027-01-10' });
  const { id: planId } = await made('/plans', planBody({ accountId: 'whose', day: undefined }));
  const { id: subscriptionId } = await made('/subscriptions', { planId, customerId });
  await service.runJobs();
  await service.post('/sandbox/clock', { advance: 'PT1M' });
  const columns = ['customer', 'instalments', 'instalment', 'subscription', 'cycle'];
  const [head, ...rows] = await csv('charges.csv?accountId=whose');
  assert.deepEqual(head?.slice(-columns.length), columns);
  const ofCharges = rows.map(row => row.slice(-columns.length).join()).sort();
  const ofPlan = [1, 2].map(number => `${customerId},${plan.id},${number},,`);
  assert.deepEqual(ofCharges, [...ofPlan, `${customerId},,,${subscriptionId},1`].sort());
  const [names, ...plans] = await csv('instalments.csv?accountId=whose');
  assert.deepEqual([names?.at(-1), plans.map(row => row.at(-1))], ['customer', [customerId]]);
});

test('a cell is one cell and not a formula, also if semicolons separate cells', async () => {
  const texts = ['x;=cmd()', 'x;y', 'x; "@SUM(A1)', 'x\n+1'];
  for (const [index, text] of texts.entries()) {
    await service.sql(
      `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
       values ($1, '2026-11-16T11:00:00Z', 4200, $2, now())`,
      [`S${index}`, text],
    );
  }
  const text = await (await fetch(`${service.url}/dashboard/unmatched.csv`)).text();
  for (const cell of [`"x;'=cmd()"`, '"x;y"', `"x; ""'@SUM(A1)"`, `"x\n'+1"`]) {
    assert.ok(text.includes(`42.00,${cell},`), `${cell} in ${text}`);
  }
});

test('a wrong filter is refused before a file begins', async () => {
  const answer = await fetch(`${service.url}/dashboard/payouts.csv?state=nothing`);
  assert.equal(answer.status, 400);
});

test('exports that name payers have a line in the audit log; others do not', async () => {
  const linesOf = async (name: string) => {
    const [row] = await service.sql<{ count: string }>(
      `select count(*) from (select action from audit_inbox union all select action from audit_log) lines where action = $1`,
      [`GET /dashboard/${name}.csv`],
    );
    return Number(row?.count);
  };
  for (const [name, lines] of Object.entries({ charges: 1, unmatched: 1, ledger: 0 })) {
    const before = await linesOf(name);
    const answer = await fetch(`${service.url}/dashboard/${name}.csv`);
    assert.equal(answer.status, 200, name);
    await answer.text();
    assert.equal((await linesOf(name)) - before, lines, name);
  }
});
