// A live service with objects of the account acme, and a request for each route: for tests that try every route as every caller.
import assert from 'node:assert/strict';
import { EVIDENCE_FILE_EXAMPLE } from '../../src/api/disputes.ts';
import { STATEMENT_FILE_EXAMPLE } from '../../src/api/statements.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from './bodies.ts';
import { insertDispute } from './disputes.ts';
import { insertMandate } from './mandates.ts';
import { type OpenApi, readOpenApi } from './openapi.ts';
import { ADDRESSES } from './orders.ts';
import { type Service, startService } from './service.ts';
import { seed, transaction } from './transactions.ts';

export type Acme = {
  readonly service: Service;
  readonly document: OpenApi;
  /**
   * The ids of acme's objects, each under its name in paths and bodies. A route with a parameter that is missing here fails
   * the test: create such an object, so that the route can be requested.
   */
  readonly things: Readonly<Record<string, string>>;
};

type Route = { readonly method: string; readonly url: string };

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
export const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25', address };

export async function startAcme(): Promise<Acme> {
  // The name resolves only while the webhook is created, so nothing of this test leaves the machine.
  let addresses = ['93.184.215.14'];
  const resolve = async () => addresses;
  const prices = tablePrices({ reais: { usdt: '5.41' }, rates: {} });
  // These tests send, and have refused, more requests than one caller or address may.
  const env = { TRILHO_ADDRESS_LIMIT: '0', TRILHO_RATE_LIMIT: '0' };
  const service = await startService({ mode: 'live', rails: sandboxRails, prices, resolve, env });
  const { document } = await readOpenApi(service);
  const things: Record<string, string> = { accountId: 'acme' };
  // The receipt that the example of a dismissal names.
  await service.sql(
    `insert into unmatched_receipts (reference, posted_at, amount_cents, words, recorded_at)
     values ('20261210001', now(), 5000, 'PIX', now())`,
  );

  const made = await service.post('/charges', chargeBody({ customer: CUSTOMER, externalId: 'order-of-acme' }));
  assert.equal(made.status, 201, made.text);
  things['/charges/:id'] = made.json.id;
  await service.runJobs();
  const reference = 'E9999999920261116130000000000001';
  await service.post(`/charges/${made.json.id}/payments`, { amountCents: 15_990, reference });
  const order = transaction({ accountId: 'acme' });
  await seed(service, [order]);
  await service.sql(`update orders set hold_reason = 'reorganised', held_at = created_at where id = $1`, [order.id]);
  const ended = transaction({ accountId: 'acme' });
  await seed(service, [ended]);
  await service.sql(`update orders set ended_as = 'expired', ended_at = created_at where id = $1`, [ended.id]);
  things['transactionId'] = order.id;
  await service.sql(`insert into chain_senders (network, sender, next_nonce) values ('tron', $1, 1)`, [ADDRESSES.tron]);
  // The sender that the example of a resumption names.
  await service.sql(
    `insert into chain_senders (network, sender, next_nonce) values ('polygon', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 1)`,
  );
  const [payout] = await service.sql<{ id: string }>(
    `insert into payouts (id, account_id, order_id, network, sender, nonce, symbol, units, destination, state, hash,
                          block_number, block_hash, fee_units, created_at, updated_at)
     values (gen_random_uuid(), 'acme', $1, 'tron', $2, 0, 'usdt', 1, $2, 'final', 'aa', 1, 'bb', 1, now(), now()) returning id`,
    [order.id, ADDRESSES.tron],
  );
  things['/payouts/:id'] = payout!.id;
  const [topUp] = await service.sql<{ id: string }>(
    `insert into top_ups (id, network, sender, destination, symbol, units, requested_by, created_at)
     values (gen_random_uuid(), 'tron', $1, 'another sender', 'trx', 1, 'operator', now()) returning id`,
    [ADDRESSES.tron],
  );
  things['/payouts/top-ups/:id'] = topUp!.id;
  await service.sql(`insert into boleto_agreements (rail, next_number) values ('sicoob:main', 2)`);
  await service.sql(
    `insert into boleto_files (rail, sequence, made_at, titles, sha256) values ('sicoob:main', 990017, now(), 1, '\\x00')`,
  );
  const [returned] = await service.sql<{ id: string }>(
    `insert into boleto_returns (id, rail, digest, sequence, received_at, received_by)
     values (gen_random_uuid(), 'sicoob:main', sha256('file'), 1, now(), 'operator') returning id`,
  );
  await service.sql(
    `insert into boleto_return_entries (return_id, line, rail, digest, occurrence, reasons, amount_cents, paid_cents, fee_cents, outcome)
     values ($1, 990019, 'sicoob:main', sha256('entry'), '26', '{}', 15990, 0, 0, 'needs_attention')`,
    [returned!.id],
  );
  things['/boletos/returns/:id'] = returned!.id;
  things['/boletos/returns/:id/entries/:line'] = '990019';
  things['/boletos/files/:agreement'] = 'sicoob:main';
  things['/boletos/files/:agreement/:sequence'] = '990017';
  things['/crypto/transactions/:id'] = order.id;
  const wallet = await service.post('/wallets', {
    accountId: 'acme',
    name: 'Treasury',
    network: 'tron',
    address: ADDRESSES.tron,
  });
  assert.equal(wallet.status, 201, wallet.text);
  things['walletId'] = wallet.json.id;
  things['/wallets/:id'] = wallet.json.id;
  const hook = await service.post('/webhooks', { accountId: 'acme', url: 'https://example.com/hook' });
  assert.equal(hook.status, 201, hook.text);
  things['/webhooks/:id'] = hook.json.id;
  things['/accounts/:id'] = 'acme';
  addresses = [];
  const customer = await service.post('/customers', { accountId: 'acme', ...CUSTOMER });
  assert.equal(customer.status, 201, customer.text);
  things['/customers/:id'] = customer.json.id;
  const plan = await service.post('/instalments', {
    accountId: 'acme',
    amountCents: 20_000,
    currency: 'BRL',
    count: 2,
    firstDueDay: '2026-12-31',
    methods: ['pix', 'boleto'],
    customer: CUSTOMER,
  });
  assert.equal(plan.status, 201, plan.text);
  things['/instalments/:id'] = plan.json.id;
  const billed = await service.post('/plans', {
    accountId: 'acme',
    ...{ name: 'Gold', amountCents: 9_900, interval: 'monthly', methods: ['pix'] },
  });
  assert.equal(billed.status, 201, billed.text);
  things['/plans/:id'] = billed.json.id;
  things['planId'] = billed.json.id;
  const subscribed = await service.post('/subscriptions', {
    accountId: 'acme',
    ...{ planId: billed.json.id, customerId: customer.json.id },
  });
  assert.equal(subscribed.status, 201, subscribed.text);
  things['/subscriptions/:id'] = subscribed.json.id;
  // A number that no answer has by chance.
  things['/subscriptions/:id/cycles/:number'] = '990021';
  await service.sql('update subscription_cycles set number = 990021 where subscription_id = $1', [subscribed.json.id]);
  things['customerId'] = customer.json.id;
  const chargeId = plan.json.charges[0].id;
  const mandate = await insertMandate(service, { accountId: 'acme', customerId: customer.json.id, chargeId });
  things['/mandates/:id'] = mandate.id;
  things['/collections/:id'] = mandate.collectionId;
  const rule = await service.post('/reminders/rules', { accountId: 'acme', when: 'paid', channels: ['event'] });
  assert.equal(rule.status, 201, rule.text);
  things['/reminders/rules/:id'] = rule.json.id;
  const [reminder] = await service.sql<{ id: string }>(
    `insert into reminders (id, account_id, charge_id, occasion, days, due_day, reason, channels, status, due_at, created_at, updated_at)
     values (gen_random_uuid(), 'acme', $1, 'on', 0, '2026-12-10', 'on:2026-12-10', '{event}', 'ANNOUNCED', now(), now(), now())
     returning id`,
    [made.json.id],
  );
  things['/reminders/:id'] = reminder!.id;
  const dispute = await insertDispute(service, made.json.id);
  things['/disputes/:id'] = dispute.id;
  things['/disputes/:id/evidence/:evidenceId'] = dispute.evidenceId;
  const later = await service.post('/charges', chargeBody({ customer: CUSTOMER, externalId: 'later' }));
  await service.runJobs();
  const { events } = (await service.get(`/events?objectId=${later.json.id}`)).json;
  things['/events/:id'] = events[0].id;
  const { deliveries } = (await service.get(`/webhooks/${hook.json.id}/deliveries`)).json;
  things['/webhooks/:id/deliveries/:deliveryId'] = deliveries[0].id;
  const quote = await service.post('/crypto/quotes', { symbol: 'usdt', network: 'tron', currency: 'BRL', cost: 500 });
  assert.equal(quote.status, 201, quote.text);
  things['quoteId'] = quote.json.id;
  things['/crypto/quotes/:id'] = quote.json.id;
  const spare = await service.makeKey('acme', ['charges:read']);
  things['/keys/:id'] = spare.id;
  const person = await service.post('/people', { name: 'Rui', role: 'viewer', accountId: 'acme' });
  assert.equal(person.status, 201, person.text);
  things['/people/:id'] = person.json.id;
  return { service, document, things };
}

/** The path of a route, with the ids of these objects. */
export function pathOf({ url }: Route, things: Acme['things']): string {
  const prefixes = [...url.matchAll(/:\w+/g)].map(({ index, 0: { length } }) => url.slice(0, index + length));
  const filled = prefixes.reduceRight((path, prefix) => {
    const id = things[prefix];
    assert.ok(id, `${url}: create what ${prefix} stands for, so that the route can be requested`);
    return prefix.replace(/:\w+$/, id) + path.slice(prefix.length);
  }, url);
  return url.endsWith('/replay') ? `${filled}?from=2026-01-01T00:00Z` : filled;
}

/** The documented example of a body, with the ids of acme's objects. */
export function bodyOf({ method, url }: Route, { document, things }: Acme): Record<string, unknown> | undefined {
  const operation = document.paths[url.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  const { schema, example } = Object.values(operation?.requestBody?.content ?? {})[0] ?? { schema: {} };
  const name = (schema as { $ref?: string }).$ref?.split('/').at(-1) ?? '';
  const found = example ?? document.components.schemas[name]?.examples?.[0];
  if (found === undefined) return undefined;
  const body: Record<string, unknown> = {
    ...(found as object),
    ...(['/charges', '/instalments'].includes(url) && { customer: CUSTOMER }),
  };
  for (const field of Object.keys(body)) if (things[field] !== undefined) body[field] = things[field];
  return body;
}

/** The request for a route about acme's objects, without credentials. */
export function requestOf(route: Route, acme: Acme): RequestInit {
  const { method } = route;
  if (method === 'POST' && route.url === '/statements') {
    return { method, body: STATEMENT_FILE_EXAMPLE, headers: { 'content-type': 'text/csv' } };
  }
  if (method === 'POST' && route.url === '/disputes/:id/evidence') {
    return { method, body: EVIDENCE_FILE_EXAMPLE, headers: { 'content-type': 'text/plain' } };
  }
  if (method === 'POST' && route.url === '/boletos/returns') {
    return { method, body: 'no return file', headers: { 'content-type': 'application/octet-stream' } };
  }
  const body = bodyOf(route, acme);
  return { method, ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }) };
}
