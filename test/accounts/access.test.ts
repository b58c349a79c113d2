// Authorization: every operation and page, as every kind of caller, for the caller's own account and another one.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ROLE_SCOPES, ROLES } from '../../src/accounts/roles.ts';
import { SCOPES, SCOPES_OF_ALL_ACCOUNTS, type Scope } from '../../src/accounts/scopes.ts';
import { ACCESS } from '../../src/api/access.ts';
import { type Acme, CUSTOMER, pathOf, requestOf, startAcme } from '../harness/acme.ts';
import { chargeBody } from '../harness/bodies.ts';
import { logIn, SAME_ORIGIN } from '../harness/people.ts';
import { scaled } from '../harness/scale.ts';
import type { Service } from '../harness/service.ts';

type Caller = {
  readonly name: string;
  /** The account that it acts for; absent for a person of all accounts. */
  readonly accountId?: string;
  readonly reachesAll: boolean;
  readonly scopes: readonly Scope[];
  readonly headers: Readonly<Record<string, string>>;
};
type Route = { readonly method: string; readonly url: string; readonly access: Scope };

let acme: Acme;
let service: Service;
const callers: Caller[] = [];

/** Values that occur only in answers about all accounts: unmatched money, a file to a bank, a sender, the reason of a pause. */
const OF_ALL = ['20261210001', 'sicoob:main', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', 'a pause of all'];

before(async () => {
  acme = await startAcme();
  ({ service } = acme);
  await service.sql(
    `update chain_senders set halted_at = now() where sender = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'`,
  );
  assert.equal((await service.post('/payouts/pause', { reason: 'a pause of all' })).status, 200);
  for (const accountId of ['acme', 'other']) {
    for (const isBound of [true, false]) {
      const { id, text } = await service.makeKey(accountId);
      // As a person of one account would have created it, and with scopes that they could not have granted.
      if (isBound) await service.sql(`update api_keys set reach = 'account' where id = $1`, [id]);
      const name = `a key of ${accountId}${isBound ? '' : ' that reaches all accounts'}`;
      const headers = { authorization: `Bearer ${text}` };
      callers.push({ name, accountId, reachesAll: !isBound, scopes: SCOPES, headers });
    }
  }
  // For the other account and for all accounts, only the highest roles, which include the others.
  const people = { acme: ROLES, other: ['operator', 'owner'], all: ['owner'] } as const;
  for (const [works, roles] of Object.entries(people)) {
    const accountId = works === 'all' ? undefined : works;
    for (const role of roles) {
      const { cookie } = await logIn(service, role, accountId);
      callers.push({
        name: `${role} of ${accountId ?? 'all accounts'}`,
        ...(accountId !== undefined && { accountId }),
        reachesAll: accountId === undefined,
        scopes: ROLE_SCOPES[role],
        headers: { cookie, ...SAME_ORIGIN },
      });
    }
  }
});
after(() => service.stop());

const STREAMS = ['/events/stream', '/dashboard/stream'];
const isForm = ({ method, url }: Route) => method !== 'GET' && url.startsWith('/dashboard');
/** A form needs the session of a person, so a key cannot use it. */
const isFor = (caller: Caller, route: Route) => !(isForm(route) && 'authorization' in caller.headers);
const routes = (): Route[] =>
  service.routes.flatMap(({ method, url, access }) =>
    access === 'public' || access === 'session' || method === 'HEAD' || STREAMS.includes(url)
      ? []
      : [{ method, url, access }],
  );
const nameOf = ({ method, url }: Route) => (url.startsWith('/dashboard') ? url : `${method} ${url}`);
const guarded = [...ACCESS].flatMap(([name, access]) => (typeof access === 'object' ? [{ name, ...access }] : []));
const isAboutAll = (route: Route) =>
  guarded.some(({ name, reach }) => name === nameOf(route) && reach === 'all_accounts');

/** A page is about objects that the API has at another path. */
function thingsOfPages(): Record<string, string> {
  const api = Object.entries(acme.things);
  const renamed = api.map(([name, id]) => [
    `/dashboard${name.replace('/crypto/transactions', '/orders').replace('/boletos/returns', '/statements/returns')}`,
    id,
  ]);
  return Object.fromEntries([...api, ...renamed]);
}

/** Ids of the right form that do not exist. */
function ghosts(things: Record<string, string>): Record<string, string> {
  const ghostOf = (id: string) => id.replace(/^[0-9a-f-]{36}$/, '00000000-0000-7000-8000-000000000000');
  const named = { '/accounts/:id': 'acme', '/keys/:id': '000000000000' };
  const all = Object.entries(things).map(([name, id]) => [name, ghostOf(id)]);
  return { ...Object.fromEntries(all), ...named, '/dashboard/keys/:id': '000000000000' };
}

function fetchAs(caller: Caller, path: string, init: RequestInit): Promise<Response> {
  const headers = { ...(init.headers as Record<string, string>), ...caller.headers };
  return fetch(service.url + path, { redirect: 'manual', ...init, headers });
}

/** A request that changes nothing: about objects that do not exist, and with no fields. */
function askHarmlessly(caller: Caller, route: Route): Promise<Response> {
  const isRead = route.method === 'GET';
  const things = thingsOfPages();
  const path = pathOf(route, isRead ? things : ghosts(things));
  const { headers, body } = requestOf(route, acme);
  if (isRead || body === undefined || isForm(route)) return fetchAs(caller, path, { method: route.method });
  return fetchAs(caller, path, { method: route.method, headers: headers ?? {}, body: '{}' });
}

/** A request about acme's objects with every field of the operation. */
function askForAcmes(caller: Caller, route: Route): Promise<Response> {
  const path = pathOf(route, thingsOfPages());
  if (!isForm(route)) return fetchAs(caller, path, requestOf(route, acme));
  const fields = { ...acme.things, chargeId: acme.things['/charges/:id'] ?? '', amount: '1,00', amountCents: '100' };
  const more = { reference: '20261210001', agreement: 'sicoob:main', file: '990017', role: 'viewer', grant: 'all' };
  return fetchAs(caller, path, { method: route.method, body: new URLSearchParams({ ...fields, ...more, name: 'X' }) });
}

/** Whether it was refused because of the caller. */
async function isRefused(answer: Response): Promise<boolean> {
  const text = await answer.text();
  return answer.status === 401 || (answer.status === 403 && /"code":"(missing_scope|unauthorized)"/.test(text));
}

/** Everything that a caller of another account must not change. */
async function stateOfAcme(): Promise<string> {
  const state = async (table: string, where: string) => {
    const [row] = await service.sql<{ rows: string }>(
      `select coalesce(jsonb_agg(to_jsonb(t) - 'last_used_at' order by to_jsonb(t)::text), '[]')::text as rows from ${table} t where ${where}`,
    );
    return `${table}: ${row?.rows}`;
  };
  const own = [
    'charges',
    'payments',
    'refunds',
    'orders',
    'customers',
    'instalment_plans',
    'mandates',
    'mandate_collections',
    'plans',
    'subscriptions',
    'wallets',
    'webhooks',
    'api_keys',
    'people',
    'payouts',
  ];
  const all = [
    'link_requests',
    'unmatched_receipts',
    'payout_pauses',
    'top_ups',
    'statement_imports',
    'boleto_files',
    'boleto_return_entries',
  ];
  const states = [...own.map(table => state(table, `account_id = 'acme'`)), ...all.map(table => state(table, 'true'))];
  return (await Promise.all([...states, state('accounts', 'true'), state('chain_senders', 'true')])).join('\n');
}

test('every route of the service has an access line, and every line a route', () => {
  const lines = guarded.map(({ name }) => name);
  const found = service.routes.filter(({ access }) => access !== 'public' && access !== 'session');
  const names = found.filter(({ method }) => method !== 'HEAD').map(route => nameOf(route as Route));
  assert.deepEqual([...new Set(names)].sort(), lines.sort());
});

test('a scope applies to a caller of one account if an operation about one account needs it', () => {
  const asked = new Set(guarded.filter(({ reach }) => reach === 'account').map(({ scope }) => scope));
  assert.deepEqual(SCOPES.filter(scope => !asked.has(scope)).sort(), [...SCOPES_OF_ALL_ACCOUNTS].sort());
});

/** A refusal is cheap, so every caller tries it. An allowed request is carried out, so only this many callers send it. */
const ALLOWED_CALLERS = scaled(20);

test('a caller is refused exactly what its scopes or its reach do not allow', async () => {
  const wrong: string[] = [];
  const allowed = new Map<string, number>();
  for (const caller of callers.filter(({ accountId }) => accountId !== 'other')) {
    for (const route of routes().filter(route => isFor(caller, route))) {
      const isAllowed = caller.scopes.includes(route.access) && (caller.reachesAll || !isAboutAll(route));
      const name = `${route.method} ${route.url}`;
      const before = allowed.get(name) ?? 0;
      if (isAllowed && before >= ALLOWED_CALLERS) continue;
      if (isAllowed) allowed.set(name, before + 1);
      const answer = await askHarmlessly(caller, route);
      if ((await isRefused(answer)) === isAllowed) {
        wrong.push(`${caller.name}: ${name} ${answer.status}`);
      }
      assert.ok(answer.status < 500 || answer.status === 503, `${caller.name}: ${route.url} ${answer.status}`);
    }
  }
  assert.deepEqual(wrong, []);
});

test('a caller of another account learns nothing of acme or of all accounts, and changes nothing of theirs', async () => {
  const wrong: string[] = [];
  const before = await stateOfAcme();
  const bound = callers.filter(({ accountId, reachesAll }) => accountId === 'other' && !reachesAll);
  assert.equal(bound.length, 3);
  for (const caller of bound) {
    for (const route of routes().filter(route => isFor(caller, route))) {
      const answer = await askForAcmes(caller, route);
      const text = await answer.text();
      const name = `${caller.name}: ${route.method} ${route.url} ${answer.status}`;
      // A refused form is shown again with its input.
      const values = isForm(route) ? [] : ['acme', 'order-of-acme', ...Object.values(acme.things), ...OF_ALL];
      const leaked = values.filter(word => text.includes(word));
      if (leaked.length > 0) wrong.push(`${name} reveals ${leaked}`);
      const isNamed = route.url.includes(':');
      if (isNamed && ![403, 404].includes(answer.status)) wrong.push(name);
    }
  }
  assert.deepEqual(wrong, []);
  assert.equal(await stateOfAcme(), before);
});

describe('a caller of one account', () => {
  const of = (name: string): Caller => {
    const found = callers.find(caller => caller.name === name);
    assert.ok(found, name);
    return found;
  };
  const change = async (caller: Caller, method: string, path: string, body?: unknown) => {
    const json = { 'content-type': 'application/json' };
    const answer = await fetchAs(caller, path, {
      method,
      ...(body !== undefined && { headers: json, body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, json: text === '' ? undefined : JSON.parse(text) };
  };

  for (const name of ['owner of acme', 'a key of acme']) {
    test(`${name} creates no key of another account, and no key that reaches beyond acme`, async () => {
      const make = (more: object) =>
        change(of(name), 'POST', '/keys', { accountId: 'acme', scopes: ['charges:read'], ...more });
      assert.equal((await make({ accountId: 'other' })).status, 404);
      assert.equal((await make({ reach: 'all_accounts' })).status, 403);
      for (const scope of ['statements:write', 'accounts:write', 'payouts:write', 'metrics:read']) {
        assert.equal((await make({ scopes: [scope] })).status, 403, scope);
      }
      const made = await make({ scopes: ['payments:write', 'payouts:read', 'keys:write'] });
      assert.equal(made.status, 201);
      assert.equal(made.json.reach, 'account');
      const child: Caller = { ...of(name), headers: { authorization: `Bearer ${made.json.key}` } };
      assert.equal((await change(child, 'GET', '/payouts')).status, 200);
      assert.equal((await change(child, 'GET', '/payouts/pauses')).status, 403);
      const dismissed = await change(child, 'POST', '/payments/unmatched/dismiss', { reference: '20261210001' });
      assert.equal(dismissed.status, 403);
      const grandchild = await change(child, 'POST', '/keys', { accountId: 'acme', scopes: ['payouts:read'] });
      assert.equal(grandchild.json.reach, 'account');
    });

    test(`${name} revokes no key that reaches all accounts`, async () => {
      const key = await service.makeKey('acme', ['metrics:read']);
      assert.equal((await change(of(name), 'DELETE', `/keys/${key.id}`)).status, 403);
      const shop = await service.makeKey('acme', ['charges:read']);
      assert.equal((await change(of(name), 'DELETE', `/keys/${shop.id}`)).status, 200);
    });

    test(`${name} invites only people of acme`, async () => {
      const invite = (accountId: string) =>
        change(of(name), 'POST', '/people', { name: 'Ana', role: 'owner', accountId });
      assert.equal((await invite('other')).status, 404);
      const invited = await invite('acme');
      assert.equal(invited.status, 201);
      assert.equal(invited.json.accountId, 'acme');
      const unnamed = await change(of(name), 'POST', '/people', { name: 'Ana', role: 'owner' });
      assert.equal(unnamed.json.accountId, 'acme');
    });
  }

  test('reports no money to a charge of another: not by a statement, a return file, or by hand', async () => {
    const { status, json } = await service.post(
      '/charges',
      chargeOf('other'),
      bearerOf('a key of other that reaches all accounts'),
    );
    assert.equal(status, 201, JSON.stringify(json));
    await service.runJobs();
    const [method] = await service.sql<{ reference: string }>(
      `select reference from charge_methods where charge_id = $1 and method = 'pix'`,
      [json.id],
    );
    const csv = `Data;Descrição;Valor\n16/11/2026;PIX ${method?.reference};159,90\n`;
    for (const name of ['operator of acme', 'owner of acme', 'a key of acme']) {
      const file = { method: 'POST', body: csv, headers: { 'content-type': 'text/csv' } };
      assert.equal((await fetchAs(of(name), '/statements', file)).status, 403, name);
      const ret = { method: 'POST', body: 'x', headers: { 'content-type': 'application/octet-stream' } };
      assert.equal((await fetchAs(of(name), '/boletos/returns', ret)).status, 403, name);
      const payment = { amountCents: 15_990, reference: 'E9999999920261116130000000000042' };
      assert.equal((await change(of(name), 'POST', `/charges/${json.id}/payments`, payment)).status, 404, name);
    }
    const key = bearerOf('a key of other that reaches all accounts');
    assert.deepEqual((await service.get(`/charges/${json.id}`, key)).json.payments, []);
  });

  const bearerOf = (name: string) => of(name).headers as Record<string, string>;
});

const chargeOf = (accountId: string) =>
  chargeBody({ accountId, customer: CUSTOMER, methods: ['pix'], externalId: `of ${accountId}` });

test('a person of all accounts creates keys of any account, and chooses whether they reach beyond it', async () => {
  const owner = callers.find(({ name }) => name === 'owner of all accounts')!;
  const make = async (body: object) => {
    const answer = await fetchAs(owner, '/keys', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ accountId: 'other', ...body }),
    });
    return { status: answer.status, json: (await answer.json()) as { reach?: string; errors?: { path: string }[] } };
  };
  assert.equal((await make({ scopes: ['charges:read'] })).json.reach, 'account');
  assert.equal((await make({ scopes: ['payments:write'] })).json.reach, 'all_accounts');
  assert.equal((await make({ scopes: ['payments:write'], reach: 'account' })).json.reach, 'account');
  const useless = await make({ scopes: ['charges:read', 'metrics:read'], reach: 'account' });
  assert.equal(useless.status, 400);
  assert.deepEqual(
    useless.json.errors?.map(({ path }) => path),
    ['scopes[1]'],
  );
});
