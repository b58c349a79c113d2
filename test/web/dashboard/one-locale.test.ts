// Every page of the dashboard writes numbers, money and dates in one way: grouped digits, `R$ 1,234.56`, `18 Nov 2026, 14:05`.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chargeBody } from '../../harness/bodies.ts';
import { textOf } from '../../harness/dashboard.ts';
import { insertDispute } from '../../harness/disputes.ts';
import { insertMandate } from '../../harness/mandates.ts';
import { type Service, startService } from '../../harness/service.ts';
import { seed, transaction } from '../../harness/transactions.ts';

const QUANTITY = '39534.20238095238095238';
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25' };
const COLD = '0x52908400098527886E0F7030069857D2E4169EE7';

let service: Service;
/** Ids by the part of the path that they follow. */
const objects: Record<string, string[]> = {};
before(async () => {
  const env = { TRILHO_WALLET_APPROVAL: 'on', TRILHO_PAYOUTS: JSON.stringify({ coldAddresses: { polygon: COLD } }) };
  service = await startService({ demo: true, env });
  const customer = (await service.post('/customers', { ...CUSTOMER, accountId: 'demo' })).json;
  const plan = (
    await service.post('/instalments', {
      ...{ accountId: 'demo', amountCents: 1_234_567, currency: 'BRL', count: 2, firstDueDay: '2026-12-31' },
      ...{ methods: ['pix', 'boleto'], customer: CUSTOMER },
    })
  ).json;
  const body = chargeBody({ customer: CUSTOMER, methods: ['pix', 'boleto'], amountCents: 539_021 });
  const paid = (await service.post('/charges', body)).json;
  const partial = (await service.post('/charges', { ...body, amountCents: 420_000 })).json;
  const price = { accountId: 'demo', name: 'Gold', amountCents: 123_456, interval: 'monthly', methods: ['pix'] };
  const gold = (await service.post('/plans', price)).json;
  const subscribed = { accountId: 'demo', planId: gold.id, customerId: customer.id, trialDays: 7 };
  const subscription = (await service.post('/subscriptions', subscribed)).json;
  await service.runJobs();
  const payment = { amountCents: 539_021, reference: 'E9999999920261116130000000000001' };
  assert.equal((await service.post(`/charges/${paid.id}/payments`, payment)).status, 201);
  const part = { amountCents: 120_000, reference: 'E9999999920261116130000000000003' };
  assert.equal((await service.post(`/charges/${partial.id}/payments`, part)).status, 201);
  await service.post(`/charges/${paid.id}/refunds`, { amountCents: 123_456 });
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('E9999999920261116130000000000002', '2026-11-16T11:00:00Z', 123456, 'PIX RECEBIDO MARIA SILVA', now())`,
  );
  const order = { accountId: 'demo', quantity: QUANTITY, cost: '213484.69', price: '5.40000123' };
  const [held, large, done] = [transaction(order), transaction(order), transaction(order)];
  await seed(service, [held, large, done]);
  const hold = 'update orders set hold_reason = $2, held_at = created_at where id = $1';
  await service.sql(hold, [held.id, 'underpaid']);
  await service.sql(hold, [large.id, 'approval_needed']);
  await service.post('/wallets', { accountId: 'demo', name: 'Treasury', network: 'polygon', address: COLD });
  await service.post('/webhooks', { accountId: 'demo', url: 'http://127.0.0.1:9/hook' });
  await service.post('/payouts/pause', { network: 'tron', reason: 'key rotation' });
  const csv = 'data;valor;id\n16/11/2026;+1234,56;a1\n16/11/2026;-1,00;a2\n';
  await service.send('/statements', { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } });
  await service.runJobs();
  await service.sql(`insert into chain_senders (network, sender, next_nonce) values ('polygon', $1, 12345)`, [COLD]);
  await service.sql(
    `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, left_units, fee_units,
                          destination, state, hash, block_number, confirmations, created_at, updated_at)
     values ($1, 'demo', $1, 'polygon', $2, 12344, 'usdt', 39534202380, 39534202381, 12345678901234567890,
             $2, 'mismatched', $3, 61234567, 1234, now(), now())`,
    [done.id, COLD, `0x${'ab'.repeat(32)}`],
  );
  await service.sql(
    `insert into top_ups (id, network, sender, destination, symbol, units, requested_by, created_at)
     values (gen_random_uuid(), 'polygon', $1, '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'pol', 1234567890123456789012, 'operator', $2)`,
    [COLD, service.clock.now()],
  );
  const idsOf = async (table: string) =>
    (await service.sql<{ id: string }>(`select id from ${table} order by created_at desc limit 2`)).map(({ id }) => id);
  const collected = { accountId: 'demo', customerId: customer.id, chargeId: plan.charges[0].id };
  const mandate = await insertMandate(service, collected);
  const dispute = await insertDispute(service, paid.id);
  const rule = { accountId: 'demo', when: 'before', days: 3, channels: ['event'] };
  const reminding = (await service.post('/reminders/rules', rule)).json;
  Object.assign(objects, {
    charges: [paid.id, partial.id],
    orders: [held.id, large.id, done.id],
    payouts: [done.id],
    wallets: await idsOf('wallets'),
    webhooks: await idsOf('webhooks'),
    events: (await service.sql<{ id: string }>('select id from events limit 1')).map(({ id }) => id),
    accounts: ['demo'],
    customers: [customer.id],
    instalments: [plan.id],
    mandates: [mandate.id],
    collections: [mandate.collectionId],
    plans: [gold.id],
    subscriptions: [subscription.id],
    disputes: [dispute.id],
    rules: [reminding.id],
  });
});
after(() => service.stop());

async function pageAt(path: string): Promise<string | undefined> {
  const answer = await fetch(service.url + path, { headers: { accept: 'text/html' }, redirect: 'manual' });
  const text = await answer.text();
  assert.ok(answer.status < 500, `${path}: ${answer.status}`);
  return answer.status === 200 ? text : undefined;
}

/** The path of every page, for the created objects, and those of their links. */
async function everyPage(): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const queue = ['/dashboard'];
  for (const { method, url } of service.routes) {
    if (method !== 'GET' || !url.startsWith('/dashboard/') || ELSEWHERE.test(url)) continue;
    const [, kind = ''] = /^\/dashboard\/(?:reminders\/)?(\w+)\/:id/.exec(url) ?? [];
    queue.push(...(kind === '' ? [url] : (objects[kind] ?? []).map(id => url.replace(':id', id))));
  }
  const times = new Map<string, number>();
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const form = formOf(path);
    const count = times.get(form) ?? 0;
    if (count >= MOST_OF_A_FORM || found.has(path) || ELSEWHERE.test(form)) continue;
    times.set(form, count + 1);
    const page = await pageAt(path);
    if (page === undefined) continue;
    found.set(path, page);
    queue.push(
      ...[...page.matchAll(/href="(\/dashboard[^"#]*)"/g)].map(([, href = '']) => href.replaceAll('&amp;', '&')),
    );
  }
  return found;
}

const MOST_OF_A_FORM = 3;

/** The route that serves a path: an exact one before one with an id. */
function formOf(path: string): string {
  const [pathname = ''] = path.split('?');
  const urls = service.routes.filter(({ method }) => method === 'GET').map(({ url }) => url);
  if (urls.includes(pathname)) return pathname;
  return (
    urls.find(url => !url.includes('*') && new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(pathname)) ?? ''
  );
}

/** Files, streams, and pages that a sandbox without people, files of banks and payouts does not have. */
const ELSEWHERE = /\.csv$|\/stream$|\*$|\/(login|enter|me|confirm|people|keys)(\/|$)|\/returns\/|deliver/;

const DATE = /\b\d{1,2} (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sept?|Oct|Nov|Dec) \d{4}(?:, \d{2}:\d{2})?/g;
const GROUPED = /^-?\d{1,3}(?:,\d{3})*(?:\.\d+)?$/;
const MOST_DECIMALS = 8;

/** The numbers of a page that are not in its locale. Ids, codes and foreign texts have their own elements. */
function wrongIn(page: string): string[] {
  const own = page
    .replace(/<(\w+)[^>]* lang="pt-BR"[^>]*>[\s\S]*?<\/\1>/g, ' ')
    .replace(/^[\s\S]*<main/, '<main')
    .replace(/<(code|pre|script|style|textarea)\b[\s\S]*?<\/\1>/g, ' ')
    .replace(/<a class="id"[\s\S]*?<\/a>/g, ' ')
    // The description of an instalment, such as 2/12.
    .replace(/<dd>\d+\/\d+<\/dd>/g, ' ')
    .replace(/<option[^>]*>(?=[^<]*0x)[^<]*/g, ' ');
  const text = textOf(own).replaceAll('&nbsp;', '\u00a0');
  const mixed = [
    ...(text.match(/\b\d{1,2}\/\d{1,2}(?:\/\d{2,4})?\b/g) ?? []),
    ...(text.match(/\b\d{4}-\d{2}-\d{2}\b\S*/g) ?? []),
    ...(text.match(/(?:R\$|US\$|€)[\d]\S*/g) ?? []),
    ...(text.match(/\b\d+,\d{1,2}\b(?!\d)/g) ?? []),
    ...(text.match(/\b[\d.,]+ (?:BRL|USD|EUR)\b/g) ?? []),
  ];
  const money = [...text.matchAll(/R\$\s(\S+)/g)].map(([, amount = '']) => amount.replace(/[.,;:)]+$/, ''));
  const tokens = text
    .replaceAll(DATE, ' ')
    .split(/\s+/)
    .map(token => token.replace(/^[(]+|[.,;:)!?]+$/g, ''))
    .filter(token => /^-?\d[\d.,]*$/.test(token));
  return [
    ...mixed,
    ...money.filter(amount => !/^-?\d{1,3}(?:,\d{3})*\.\d{2,6}$/.test(amount)),
    ...tokens.filter(
      token => !GROUPED.test(token) || (token.split('.')[1]?.replace(/^0+/, '').length ?? 0) > MOST_DECIMALS,
    ),
  ];
}

test('the check itself finds text in another locale', () => {
  const wrong = [
    '39534.20238095238095238 USDT',
    'R$5,390.21',
    '16/11/2026',
    '2026-11-16',
    'R$ 5.390,21',
    '12345',
    '500 BRL',
    '159,90',
  ];
  for (const text of wrong) assert.notDeepEqual(wrongIn(`<main><p>${text}</p>`), [], text);
  const right = '<main><p>39,534.20238 USDT R$ 5,390.21, 18 Nov 2026, 14:05 and <code>12345</code></p>';
  assert.deepEqual(wrongIn(right), []);
});

test('numbers, money and dates of every page are in one locale', async () => {
  const pages = await everyPage();
  const seen = new Set([...pages.keys()].map(formOf));
  const unseen = service.routes
    .filter(({ method, url }) => method === 'GET' && url.startsWith('/dashboard') && !ELSEWHERE.test(url))
    .map(({ url }) => url)
    .filter(url => !seen.has(url));
  assert.deepEqual(unseen, []);
  const wrong = [...pages].flatMap(([path, page]) => wrongIn(page).map(text => `${path}: ${text}`));
  assert.deepEqual(wrong, []);
});

test('a quantity is cut to the decimals of its asset, and its title has the full value', async () => {
  for (const path of ['/dashboard', '/dashboard/orders', `/dashboard/orders/${objects['orders']?.[0]}`]) {
    const page = await pageAt(path);
    assert.match(page!, /<span class="cut" title="39534\.20238095238095238">39,534\.20238\u00a0USDT<\/span>/, path);
  }
});
