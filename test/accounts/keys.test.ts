// Authentication in live: every route of the running service, called with every kind of key.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { fastify } from 'fastify';
import pg from 'pg';
import { hashOfKey, idOfKey, newKey } from '../../src/accounts/api-key.ts';
import { ACCOUNT_SCOPES, SCOPES, type Scope } from '../../src/accounts/scopes.ts';
import { guardRoutes } from '../../src/http/server/auth.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Acme, bodyOf, CUSTOMER, pathOf, requestOf, startAcme } from '../harness/acme.ts';
import { chargeBody } from '../harness/bodies.ts';
import { silentLog } from '../harness/log.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

/** Routes that need no key. Adding one is a decision. */
const PUBLIC = [
  '/',
  '/assets/:file',
  '/docs',
  '/docs/',
  '/docs/js/scalar.js',
  '/favicon.ico',
  '/livez',
  '/my',
  '/my/*',
  ...['', '/keep', '/logo', '/stop'].map(part => `/my/:token${part}`),
  '/openapi.json',
  '/pay',
  '/pay/*',
  ...['', '/boleto.pdf', '/logo', '/pix.png', '/pix.svg', '/remainder', '/stream'].map(file => `/pay/:token${file}`),
  '/pay/instalments/:token',
  '/pay/instalments/:token/slips.pdf',
  '/problems',
  '/problems/:code',
  '/readyz',
  '/receipts/keys',
  '/reminders/opt-out/:token',
];

let service: Service;
let acme: Acme;
let document: Acme['document'];
let things: Acme['things'];
/** Of the account acme, whose things are asked for; and of another, who must not see them. */
let own: string;
let foreign: string;
let revoked: string;
const GARBAGE = 'trilho_live_000000000000_0000000000000000000000000000000000000000000000000';

before(async () => {
  acme = await startAcme();
  ({ service, document, things } = acme);
  own = (await service.makeKey('acme')).text;
  foreign = (await service.makeKey('other')).text;
  const gone = await service.makeKey('acme');
  revoked = gone.text;
  await service.revokeKey(gone.id);
});
after(() => service.stop());

type Route = { readonly method: string; readonly url: string; readonly access: Scope | 'public' };

/** The pages of the dashboard answer as pages do: test/web/dashboard has walks of its own. */
const isPage = ({ url }: { readonly url: string }) => url.startsWith('/dashboard');
const guarded = () =>
  service.routes.flatMap(({ method, url, access }) =>
    access === 'public' || access === 'session' || method === 'HEAD' || isPage({ url })
      ? []
      : [{ method, url, access }],
  );
/** An allowed stream never ends; it has its own test. */
const ending = () =>
  guarded()
    .filter(({ url }) => url !== '/events/stream')
    .sort((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method));
/** Objects that were created, changed or removed are not compared. */
const ORDER = ['GET', 'POST', 'PATCH', 'DELETE'];
const isOperators = ({ access }: Route) => !(ACCOUNT_SCOPES as readonly string[]).includes(access);

async function ask(route: Route, headers: Record<string, string>): Promise<Answer> {
  const { headers: types, ...init } = requestOf(route, acme);
  return service.send(pathOf(route, things), {
    ...init,
    headers: { ...(types as Record<string, string>), ...headers },
  });
}
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const namesAcme = ({ method, url }: Route) =>
  url.includes(':') || Object.keys(bodyOf({ method, url }, acme) ?? {}).some(field => field in things);

/** Values that occur only in answers about acme. */
function tellsOfAcme({ text }: Answer): boolean {
  return ['acme', 'order-of-acme', ...Object.values(things)].some(word => text.includes(word));
}

test('the test finds the routes, and only those above are public', () => {
  assert.ok(guarded().length >= 10);
  const open = service.routes.filter(route => route.access === 'public' && !isPage(route)).map(({ url }) => url);
  assert.deepEqual([...new Set(open)].sort(), PUBLIC);
});

test('every public route answers without a key', async () => {
  for (const url of PUBLIC) {
    const path = url.replace(':code', 'not_found').replace(':file', 'checkout.any.css');
    const { method } = service.routes.find(route => route.url === url)!;
    const { status } = await fetch(service.url + path, { method });
    // The page of a payer needs a link instead, and refuses an address that tries many wrong ones.
    const answers = /^\/(?:pay|my|reminders)\b/.test(url) ? [404, 429] : [200];
    assert.ok(answers.includes(status), `${url}: ${status}`);
  }
});

test('a route without an access line cannot be added', () => {
  const app = fastify();
  const { clock } = service;
  const db = { query: async () => [] };
  guardRoutes(app, {
    db,
    clock,
    machineClock: clock,
    log: silentLog,
    requiresKeys: true,
    addressLimit: 0,
    publicUrl: () => service.url,
  });
  app.get('/charges', async () => ({}));
  assert.throws(() => app.get('/unsaid', async () => ({})), /GET \/unsaid has no access rule in/);
});

test('without a key, with garbage and with a revoked key every route answers 401', async () => {
  for (const route of guarded()) {
    assert.equal((await fetch(service.url + pathOf(route, things), { method: route.method })).status, 401, route.url);
    for (const headers of [
      { authorization: '' },
      bearer('x'),
      bearer(GARBAGE),
      bearer(revoked),
      { 'x-api-key': revoked },
      { authorization: `Basic ${own}` },
    ] as Record<string, string>[]) {
      const refused = await ask(route, headers);
      assert.equal(refused.status, 401, `${route.method} ${route.url} ${JSON.stringify(headers)}`);
      assert.equal(refused.json.code, 'unauthorized');
      assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
      assert.equal(tellsOfAcme(refused), false);
    }
  }
});

test('a key without its scope is refused by every route with a 403 that names the scope', async () => {
  const keys = new Map<Scope, string>();
  for (const route of guarded()) {
    const scope = route.access as Scope;
    const lacking = SCOPES.filter(other => other !== scope);
    if (!keys.has(scope)) keys.set(scope, (await service.makeKey('acme', lacking)).text);
    const refused = await ask(route, bearer(keys.get(scope)!));
    assert.equal(refused.status, 403, `${route.method} ${route.url}`);
    assert.equal(refused.json.code, 'missing_scope');
    assert.ok(refused.json.detail.includes(scope));
    assert.equal(tellsOfAcme(refused), false);
  }
});

test('another account gets 404 for what is not its own, and lists that say nothing of it', async () => {
  // A file to a bank or from one has the boletos of all accounts, and a top-up is about senders of all: both are the operator's.
  const isOfAccount = ({ url }: Route) =>
    url.includes(':') && !/^\/(boletos\/(files|returns)|payouts\/top-ups)\//.test(url);
  for (const route of ending().filter(route => !isOperators(route) || isOfAccount(route))) {
    const answer = await ask(route, bearer(foreign));
    const name = `${route.method} ${route.url}`;
    if (namesAcme(route)) assert.equal(answer.status, 404, `${name}: ${answer.text}`);
    if (route.method === 'GET' && !namesAcme(route)) assert.equal(answer.json.total ?? 0, 0, name);
    assert.equal(tellsOfAcme(answer), false, `${name}: ${answer.text}`);
  }
});

test('with its own key acme gets its objects by the same requests', async () => {
  for (const route of ending()) {
    const answer = await ask(route, bearer(own));
    const name = `${route.method} ${route.url}: ${answer.text}`;
    // This service has no chain and no PSP, and answers so to callers who may order, sweep, top up, fill a gap or make a mandate.
    const isUnset =
      answer.json?.code === 'not_configured' &&
      /^\/(crypto\/transactions|mandates|(mandates|collections)\/:id\/\w+|payouts\/(sweep|top-ups|top-ups\/:id\/approve|senders\/fill-gap))$/.test(
        route.url,
      );
    assert.ok(isUnset || (answer.status < 500 && ![401, 403, 404].includes(answer.status)), name);
    if (route.method !== 'GET' || isOperators(route) || /\.\w+$/.test(route.url)) continue;
    assert.equal(answer.status, 200, name);
    const isAboutAcme = tellsOfAcme(answer) || route.url.includes(':');
    assert.ok(isAboutAcme, `${name}: create an object of acme that it shows`);
  }
});

test('a payment for a foreign charge is refused without waiting for a lock', async t => {
  const owner = new pg.Client({ connectionString: service.databaseUrl });
  await owner.connect();
  t.after(() => owner.end());
  const id = things['/charges/:id'];
  await owner.query('begin');
  await owner.query('select from charges where id = $1 for update', [id]);
  const refused = await service.post(
    `/charges/${id}/payments`,
    { amountCents: 15_990, reference: 'of another' },
    { authorization: `Bearer ${foreign}` },
  );
  assert.equal(refused.status, 404, refused.text);
  await owner.query('rollback');
});

test('a stream has only events of its account, and ends within a second of its key', async () => {
  const key = await service.makeKey('other');
  const response = await fetch(`${service.url}/events/stream`, { headers: bearer(key.text) });
  assert.equal(response.status, 200);
  await service.revokeKey(key.id);
  // A stream checks almost once a second, so its cached key must be recent.
  service.clock.advanceMs(100);
  // It ends by itself and has no earlier events of acme.
  const text = await response.text();
  assert.ok(!text.includes('acme') && !text.includes('data:'), text);
  const foreignFilter = await service.get('/events/stream?accountId=acme', bearer(foreign));
  assert.equal(foreignFilter.status, 404);
});

test('every operation that takes an accountId refuses another account with a 404 that its document lists', async () => {
  const named: string[] = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
      const schema = JSON.stringify(requestBody?.content['application/json']?.schema ?? {});
      const component = /schemas\/(\w+)/.exec(schema)?.[1] ?? '';
      const { properties = {}, examples: [example] = [] } = (document.components.schemas[component] ?? {}) as {
        properties?: object;
        examples?: readonly object[];
      };
      const isInQuery = parameters.some(({ name }) => name === 'accountId');
      if (!isInQuery && !('accountId' in properties)) continue;
      named.push(`${method} ${path}`);
      assert.ok(responses['404'], `${method} ${path}`);
      const answer = isInQuery
        ? await service.get(`${path}?accountId=another`)
        : await service.post(path, { ...example, accountId: 'another' });
      assert.equal(answer.status, 404, `${method} ${path}: ${answer.text}`);
      assert.equal(answer.json.detail, 'There is no such account.');
    }
  }
  assert.ok(named.length >= 12, named.join());
});

describe('a filter by account', () => {
  test('finds its own, and calls another not found', async () => {
    assert.ok((await service.get('/charges?accountId=acme')).json.total > 0);
    for (const id of ['other', 'nobody']) {
      const missing = await service.get(`/charges?accountId=${id}`);
      assert.equal(missing.status, 404, id);
      assert.equal(missing.json.detail, 'There is no such account.');
    }
  });
});

describe('a key', () => {
  test('goes into either header, and both must agree', async () => {
    const status = async (headers: Record<string, string>) => (await service.get('/charges', headers)).status;
    assert.equal(await status({ 'x-api-key': own }), 200);
    assert.equal(await status({ authorization: `bearer ${own}` }), 200);
    assert.equal(await status({ authorization: `Bearer ${own}`, 'x-api-key': own }), 200);
    assert.equal(await status({ authorization: `Bearer ${own}`, 'x-api-key': foreign }), 401);
    assert.equal(await status({ authorization: `Basic ${own}`, 'x-api-key': own }), 401);
  });

  test('that is mistyped has another error than an unknown one, and neither reveals the other kinds', async () => {
    const detail = async (key: string) => (await service.get('/charges', bearer(key))).json.detail;
    const mistyped = own.slice(0, -8) + (own.at(-8) === 'a' ? 'b' : 'a') + own.slice(-7);
    assert.equal(idOfKey(mistyped), undefined);
    assert.match(await detail(mistyped), /mistyped/);
    const ofElsewhere = newKey().text;
    assert.notEqual(idOfKey(ofElsewhere), undefined);
    const unknown = await detail(ofElsewhere);
    assert.doesNotMatch(unknown, /mistyped|revoked/);
    assert.equal(await detail(revoked), unknown);
    // The id of one and the secret of another.
    assert.match(await detail(own.slice(0, 24) + foreign.slice(24)), /mistyped/);
  });

  test('has a prefix, 256 bits and a checksum, and only its hash is kept', async () => {
    assert.match(own, /^trilho_live_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$/);
    const rows = await service.sql<{ row: string }>('select row_to_json(k)::text as row from api_keys k');
    for (const { row } of rows) assert.equal(row.includes(own.split('_')[3]!.slice(0, 20)), false);
  });

  test('is refused by every node within a second of being revoked', async t => {
    const second = await startService({ mode: 'live', rails: sandboxRails, beside: service });
    t.after(() => second.stop());
    const key = await service.makeKey('acme');
    const ask = (node: Service) => node.get('/charges', bearer(key.text));
    for (const node of [service, second]) assert.equal((await ask(node)).status, 200);
    await service.revokeKey(key.id);
    service.clock.advanceMs(900);
    for (const node of [service, second]) assert.equal((await ask(node)).status, 401);
  });

  test('works within a second of being created, also if it was tried before', async () => {
    const { id, text } = newKey();
    const ask = () => service.get('/charges', bearer(text));
    assert.equal((await ask()).status, 401);
    await service.sql(
      `insert into api_keys (id, account_id, scopes, secret_hash, created_at) values ($1, 'acme', $2, $3, now())`,
      [id, SCOPES, hashOfKey(text)],
    );
    service.clock.advanceMs(900);
    assert.equal((await ask()).status, 200);
  });

  test('is refused, and its stream ended, from the moment at which it expires', async () => {
    const key = await service.makeKey('acme');
    const ask = () => service.get('/charges', bearer(key.text));
    const ends = new Date(service.clock.now().getTime() + 60_000);
    await service.sql('update api_keys set expires_at = $2 where id = $1', [key.id, ends]);
    assert.equal((await ask()).status, 200);
    const stream = await fetch(`${service.url}/events/stream?after=end`, { headers: bearer(key.text) });
    assert.equal(stream.status, 200);
    service.clock.advanceMs(59_999);
    assert.equal((await ask()).status, 200);
    service.clock.advanceMs(1);
    assert.equal((await ask()).status, 401);
    await stream.text();
  });

  test('ends with the key that created it, when that expires or is revoked', async () => {
    const parent = await service.makeKey('acme', ['keys:write', 'charges:read']);
    const ends = new Date(service.clock.now().getTime() + 3_600_000);
    await service.sql('update api_keys set expires_at = $2 where id = $1', [parent.id, ends]);
    const by = (text: string) => ({ authorization: `Bearer ${text}` });
    const make = (text: string, more = {}) =>
      service.post('/keys', { accountId: 'acme', scopes: ['keys:write', 'charges:read'], ...more }, by(text));
    const child = await make(parent.text);
    assert.deepEqual([child.status, child.json.expiresAt], [201, ends.toISOString()]);
    const late = await make(child.json.key, { expiresAt: new Date(ends.getTime() + 1).toISOString() });
    assert.deepEqual([late.status, late.json.errors[0].path, late.json.errors[0].code], [400, 'expiresAt', 'too_late']);
    const soon = new Date(ends.getTime() - 1).toISOString();
    const grandchild = await make(child.json.key, { expiresAt: soon });
    assert.deepEqual([grandchild.status, grandchild.json.expiresAt], [201, soon]);
    assert.equal((await service.get('/charges', by(grandchild.json.key))).status, 200);
    const revoked = await service.send(`/keys/${parent.id}`, { method: 'DELETE' });
    assert.equal(revoked.status, 200, revoked.text);
    const { keys } = (await service.get('/keys')).json as { keys: { id: string; revokedAt?: string }[] };
    const made = [parent.id, child.json.id, grandchild.json.id];
    assert.deepEqual(
      keys.filter(({ id }) => made.includes(id)).map(({ revokedAt }) => revokedAt),
      Array<string>(3).fill(service.clock.now().toISOString()),
    );
  });

  test('cannot be revoked by a key with fewer scopes, nor can a person be removed by one', async () => {
    const weak = await service.makeKey('acme', ['keys:write', 'people:write']);
    const strong = await service.makeKey('acme', ['keys:write', 'charges:read']);
    const person = (await service.post('/people', { name: 'Ana', role: 'owner', accountId: 'acme' })).json.id;
    const headers = { authorization: `Bearer ${weak.text}` };
    for (const path of [`/keys/${strong.id}`, `/people/${person}`]) {
      const { status, json } = await service.send(path, { method: 'DELETE', headers });
      assert.deepEqual([status, json.code], [403, 'missing_scope'], path);
    }
    assert.equal((await service.send(`/keys/${weak.id}`, { method: 'DELETE', headers })).status, 200);
  });

  test('has its last use recorded, once a minute', async () => {
    const key = await service.makeKey('acme');
    const used = async () => {
      const [row] = await service.sql<{ at: Date | null }>('select last_used_at as at from api_keys where id = $1', [
        key.id,
      ]);
      return row!.at?.toISOString();
    };
    const call = () => service.get('/charges', bearer(key.text));
    assert.equal(await used(), undefined);
    const first = service.clock.now().toISOString();
    await call();
    await untilUsed(used, first);
    service.clock.advanceMs(59_000);
    await call();
    service.clock.advanceMs(1_000);
    await call();
    await untilUsed(used, service.clock.now().toISOString());
  });
});

/** Recording runs beside the request, so it may finish a moment after the answer. */
async function untilUsed(used: () => Promise<string | undefined>, moment: string): Promise<void> {
  for (let look = 0; look < 500; look++) if ((await used()) === moment) return;
  assert.equal(await used(), moment);
}

test('an idempotency key of one account does not affect another', async () => {
  const body = (accountId: string) => chargeBody({ accountId, customer: CUSTOMER, methods: ['pix'] });
  const once = { 'idempotency-key': 'one-word' };
  const first = await service.post('/charges', body('acme'), { ...once, ...bearer(own) });
  const other = await service.post('/charges', body('other'), { ...once, ...bearer(foreign) });
  assert.equal(first.status, 201);
  assert.equal(other.status, 201);
  assert.notEqual(first.json.id, other.json.id);
});

test('the document of a live service names the scope of every operation', () => {
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const url = path.replace(/\{(\w+)\}/g, ':$1');
      const { security } = operation as { security?: unknown };
      if (PUBLIC.includes(url)) {
        assert.equal(security, undefined, `${method} ${path}`);
        continue;
      }
      const route = guarded().find(candidate => candidate.url === url && candidate.method === method.toUpperCase());
      assert.ok(route, `${method} ${path}`);
      assert.deepEqual(security, [{ bearer: [route.access] }, { apiKey: [route.access] }], `${method} ${path}`);
    }
  }
});

test('a sandbox needs no key and ignores any that is sent', async t => {
  const sandbox = await startService();
  t.after(() => sandbox.stop());
  for (const headers of [
    {},
    bearer('nonsense'),
    { 'x-api-key': GARBAGE },
    { authorization: 'Basic x', 'x-api-key': 'y' },
  ] as Record<string, string>[]) {
    assert.equal((await sandbox.get('/charges', headers)).status, 200);
    assert.equal((await sandbox.get('/metrics', headers)).status, 200);
  }
});
