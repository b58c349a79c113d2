// People: how they log in, what their roles may do, when their sessions end, and what a foreign page cannot do.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { ROLE_SCOPES, ROLES, type Role } from '../../src/accounts/roles.ts';
import { SCOPES } from '../../src/accounts/scopes.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { chargeBody } from '../harness/bodies.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { cookieOf, enter, invite, type LoggedIn, logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails, env: { TRILHO_TRUST_PROXY: '127.0.0.1' } });
});
after(() => service.stop());

const HOUR_MS = 3_600_000;
const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
const CUSTOMER = { name: 'Maria da Silva', document: '529.982.247-25', address };

function as({ cookie }: Pick<LoggedIn, 'cookie'>, path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(service.url + path, { redirect: 'manual', ...init, headers: { cookie, ...init.headers } });
}

function change(who: LoggedIn, path: string, body: unknown, headers: Record<string, string> = SAME_ORIGIN) {
  const init = {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...headers },
  };
  return as(who, path, init);
}

const codeOf = async (answer: Response) => ((await answer.json()) as { code: string }).code;
/** Logging in is limited by the minute. */
const aMinute = () => service.clock.advanceMs(60_000);

describe('a link', () => {
  test('logs in once, also if it is opened several times at once', async () => {
    aMinute();
    const { path } = await invite(service, 'viewer');
    const open = () => fetch(service.url + path, { method: 'POST', headers: SAME_ORIGIN, redirect: 'manual' });
    const statuses = (await Promise.all([open(), open(), open()])).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [303, 404, 404]);
  });

  test('is not used up by a preview', async () => {
    aMinute();
    const { path } = await invite(service, 'viewer');
    for (let look = 0; look < 3; look++) {
      const page = await fetch(service.url + path);
      assert.equal(page.status, 200);
      assert.match(await page.text(), /logs you in once, as <strong>viewer/);
      assert.equal(page.headers.get('set-cookie'), null);
    }
    const entered = await fetch(service.url + path, { method: 'POST', headers: SAME_ORIGIN, redirect: 'manual' });
    assert.equal(entered.status, 303);
  });

  test('is valid for a day, and a newer one replaces it', async () => {
    aMinute();
    const late = await invite(service, 'viewer');
    service.clock.advanceMs(24 * HOUR_MS);
    assert.equal((await fetch(service.url + late.path)).status, 404);
    const first = await invite(service, 'viewer', 'acme');
    const second = await service.post(`/people/${first.id}/login-link`, undefined);
    assert.equal(second.status, 201, second.text);
    assert.equal((await fetch(service.url + first.path)).status, 404);
    assert.equal((await fetch(service.url + new URL(second.json.url).pathname)).status, 200);
  });

  test('on a foreign page logs no one in', async () => {
    aMinute();
    const { path } = await invite(service, 'viewer');
    const open = (headers: Record<string, string>) => fetch(service.url + path, { method: 'POST', headers });
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }, {}]) {
      assert.equal((await open(headers as Record<string, string>)).status, 403, JSON.stringify(headers));
    }
    assert.equal((await fetch(service.url + path)).status, 200);
  });

  test('can be guessed only ten times a minute from an address', async () => {
    aMinute();
    const guess = () =>
      fetch(`${service.url}/dashboard/enter/${'x'.repeat(43)}`, { method: 'POST', headers: SAME_ORIGIN });
    for (let attempt = 0; attempt < 10; attempt++) assert.equal((await guess()).status, 404);
    assert.equal((await guess()).status, 429);
    aMinute();
    assert.equal((await guess()).status, 404);
  });
});

test('addresses of one network of IPv6 share the limit of login attempts', async () => {
  aMinute();
  const guess = (address: string) =>
    fetch(`${service.url}/dashboard/enter/${'x'.repeat(43)}`, {
      method: 'POST',
      headers: { ...SAME_ORIGIN, 'x-forwarded-for': address },
    });
  for (let host = 1; host <= 10; host++) assert.equal((await guess(`2001:db8:0:1::${host}`)).status, 404);
  assert.equal((await guess('2001:db8:0:1:ffff::1')).status, 429);
  assert.equal((await guess('2001:db8:0:2::1')).status, 404);
});

describe('a session', () => {
  test('is a cookie of only this host, which scripts cannot read', async () => {
    aMinute();
    const { path } = await invite(service, 'viewer');
    const entered = await fetch(service.url + path, { method: 'POST', headers: SAME_ORIGIN, redirect: 'manual' });
    const cookie = entered.headers.get('set-cookie') ?? '';
    assert.match(cookie, /^__Host-trilho=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=604800$/);
    const rows = await service.sql<{ row: string }>('select row_to_json(s)::text as row from sessions s');
    assert.ok(rows.length > 0);
    for (const { row } of rows) assert.equal(row.includes(cookieOf(entered).split('=')[1]!), false);
  });

  test('ends after twelve hours without use, and after seven days anyway', async () => {
    aMinute();
    const idle = await logIn(service, 'viewer');
    assert.equal((await as(idle, '/charges')).status, 200);
    service.clock.advanceMs(12 * HOUR_MS);
    assert.equal((await as(idle, '/charges')).status, 401);
    const busy = await logIn(service, 'viewer');
    const used = async () => {
      const [row] = await service.sql<{ at: Date }>('select last_used_at as at from sessions where person_id = $1', [
        busy.id,
      ]);
      return row?.at.getTime();
    };
    for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
      service.clock.advanceMs(11 * HOUR_MS);
      assert.equal((await as(busy, '/charges')).status, 200, `${hours} hours`);
      for (let look = 0; look < 500 && (await used()) !== service.clock.now().getTime(); look++);
    }
    service.clock.advanceMs(11 * HOUR_MS);
    assert.equal((await as(busy, '/charges')).status, 401);
  });

  test('is kept alive by a person, not by an open page or its stream', async () => {
    aMinute();
    const person = await logIn(service, 'viewer', 'acme');
    const stream = await as(person, '/events/stream');
    const page = await as(person, '/dashboard/charges', { headers: { 'x-trilho-refresh': '1' } });
    assert.deepEqual([stream.status, page.status], [200, 200]);
    service.clock.advanceMs(11 * HOUR_MS);
    const again = await as(person, '/events/stream');
    assert.equal((await as(person, '/dashboard/charges', { headers: { 'x-trilho-refresh': '1' } })).status, 200);
    service.clock.advanceMs(HOUR_MS);
    assert.equal((await as(person, '/charges')).status, 401);
    await Promise.all([stream.text(), again.text()]);
  });

  test('ends when its person is removed, with their streams', async () => {
    aMinute();
    const person = await logIn(service, 'viewer', 'acme');
    const stream = await as(person, '/events/stream');
    assert.equal(stream.status, 200);
    const removed = await service.send(`/people/${person.id}`, { method: 'DELETE' });
    assert.equal(removed.status, 200, removed.text);
    assert.equal((await as(person, '/charges')).status, 401);
    await stream.text();
  });

  test('ends by logging out', async () => {
    aMinute();
    const person = await logIn(service, 'viewer');
    const out = await as(person, '/dashboard/logout', { method: 'POST', headers: SAME_ORIGIN });
    assert.equal(out.status, 303);
    assert.match(out.headers.get('set-cookie') ?? '', /Max-Age=0/);
    assert.equal((await as(person, '/charges')).status, 401);
  });

  test('does not let a page of another site change anything', async () => {
    aMinute();
    const person = await logIn(service, 'operator', 'acme');
    const body = chargeBody({ customer: CUSTOMER, externalId: 'by a session' });
    const foreign: Record<string, string>[] = [
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      {},
    ];
    for (const headers of foreign) {
      const refused = await change(person, '/charges', body, headers);
      assert.equal(refused.status, 403, JSON.stringify(headers));
      assert.equal(await codeOf(refused), 'cross_site_request');
    }
    assert.equal((await service.get('/charges?externalId=by%20a%20session')).json.total, 0);
    const { port } = new URL(service.url);
    for (const headers of [SAME_ORIGIN, { origin: `http://localhost:${port}` }] as Record<string, string>[]) {
      assert.equal((await change(person, '/charges', body, headers)).status, 201, JSON.stringify(headers));
    }
  });

  test('a key takes precedence over a cookie', async () => {
    aMinute();
    const viewer = await logIn(service, 'viewer', 'acme');
    const key = await service.makeKey('acme', ['charges:read']);
    const answer = await as(viewer, '/webhooks', { headers: { authorization: `Bearer ${key.text}` } });
    assert.equal(answer.status, 403);
  });
});

describe('a role', () => {
  test('is a set of scopes, each including the one before', () => {
    assert.deepEqual(ROLE_SCOPES.owner, SCOPES);
    ROLES.slice(1).forEach((role, index) => {
      const before = ROLE_SCOPES[ROLES[index]!];
      assert.ok(
        before.every(scope => ROLE_SCOPES[role].includes(scope)),
        role,
      );
    });
    assert.ok(ROLE_SCOPES.viewer.every(scope => scope.endsWith(':read')));
  });

  test('lets a viewer look and not act, a support person cancel, an operator record payments', async () => {
    aMinute();
    const charge = await service.post('/charges', chargeBody({ customer: CUSTOMER, externalId: 'roles' }));
    const { id } = charge.json;
    const statusOf = async (role: Role, path: string, body: unknown) =>
      (await change(await logIn(service, role, 'acme'), path, body)).status;
    const payment = { amountCents: 15_990, reference: 'E9999999920261116130000000000009' };
    assert.equal(await statusOf('viewer', `/charges/${id}/cancel`, {}), 403);
    assert.equal(await statusOf('support', `/charges/${id}/payments`, payment), 403);
    await service.runJobs();
    assert.equal(await statusOf('operator', `/charges/${id}/payments`, payment), 201);
    aMinute();
    const other = await service.post('/charges', chargeBody({ customer: CUSTOMER, externalId: 'roles 2' }));
    assert.equal(await statusOf('support', `/charges/${other.json.id}/cancel`, {}), 200);
    const [line] = await service.sql<{ actor: string }>(
      `select actor from audit_inbox where action = 'POST /charges/:id/cancel' and object_id = $1`,
      [other.json.id],
    );
    assert.match(line?.actor ?? '', /^person:[0-9a-f-]{36}$/);
  });

  test('support has a limit of refunds per charge', async () => {
    aMinute();
    const body = chargeBody({ customer: CUSTOMER, externalId: 'dear', amountCents: 80_000, methods: ['pix'] });
    const { id } = (await service.post('/charges', body)).json;
    await service.runJobs();
    const paid = { amountCents: 80_000, reference: 'E9999999920261116130000000000010' };
    assert.equal((await service.post(`/charges/${id}/payments`, paid)).status, 201);
    const support = await logIn(service, 'support', 'acme');
    const refund = (amountCents: number) => change(support, `/charges/${id}/refunds`, { amountCents });
    assert.equal((await refund(30_000)).status, 201);
    const above = await refund(20_001);
    assert.equal(above.status, 403);
    assert.equal(await codeOf(above), 'refund_above_limit');
    assert.equal((await refund(20_000)).status, 201);
  });

  test('works for one account if it has one, else for all', async () => {
    aMinute();
    const other = await service.makeKey('another');
    const own = await logIn(service, 'viewer', 'acme');
    const all = await logIn(service, 'viewer');
    const made = await service.post(
      '/charges',
      chargeBody({ accountId: 'another', customer: CUSTOMER, externalId: 'foreign' }),
      { authorization: `Bearer ${other.text}` },
    );
    assert.equal(made.status, 201, made.text);
    assert.equal((await as(own, `/charges/${made.json.id}`)).status, 404);
    assert.equal((await as(own, '/charges?accountId=another')).status, 404);
    assert.equal((await as(all, `/charges/${made.json.id}`)).status, 200);
    const listed = (await (await as(all, '/charges?accountId=another')).json()) as { total: number };
    assert.equal(listed.total, 1);
  });
});

describe('a person', () => {
  const pageOf = async (who: Pick<LoggedIn, 'cookie'>, path = '/dashboard/me') => (await as(who, path)).text();

  test('sees their other sessions, ends one or all of them, and keeps this one', async () => {
    aMinute();
    const { id, path } = await invite(service, 'viewer', 'acme');
    const first = { id, cookie: await enter(service, path) };
    const again = async () => {
      const { url } = (await service.post(`/people/${id}/login-link`, undefined)).json;
      return { id, cookie: await enter(service, new URL(url).pathname) };
    };
    const [second, third, fourth] = [await again(), await again(), await again()];
    const end = (body: Record<string, string>) =>
      as(first, '/dashboard/me/sessions/end', {
        method: 'POST',
        headers: SAME_ORIGIN,
        body: new URLSearchParams(body),
      });
    const statuses = async () =>
      Promise.all([first, second, third, fourth].map(async who => (await as(who, '/charges')).status));
    const named = [...(await pageOf(first)).matchAll(/name="id" value="([0-9a-f]{64})"/g)].map(([, name = '']) => name);
    assert.equal(named.length, 3);
    const stranger = await logIn(service, 'viewer', 'acme');
    const foreign = { method: 'POST', headers: SAME_ORIGIN, body: new URLSearchParams({ id: named[0] ?? '' }) };
    assert.equal((await as(stranger, '/dashboard/me/sessions/end', foreign)).status, 303);
    assert.deepEqual(await statuses(), [200, 200, 200, 200]);
    assert.equal((await end({ id: named[0] ?? '' })).status, 303);
    assert.equal((await statuses()).filter(status => status === 401).length, 1);
    assert.equal((await end({})).status, 303);
    assert.deepEqual(await statuses(), [200, 401, 401, 401]);
  });

  test('is shown a new link, passkey and key on every page, until they confirm it', async () => {
    aMinute();
    const owner = await logIn(service, 'owner', 'acme');
    const seen = () => as(owner, '/dashboard/me/notices/seen', { method: 'POST', headers: SAME_ORIGIN });
    const NEWS = /key or role of yours is new/;
    assert.match(await pageOf(owner, '/dashboard/charges'), NEWS);
    assert.match(await pageOf(owner), /A passkey was added/);
    await seen();
    assert.doesNotMatch(await pageOf(owner, '/dashboard/charges'), NEWS);
    service.clock.advanceMs(1_000);
    await change(owner, '/keys', { accountId: 'acme', scopes: ['charges:read'] });
    assert.match(await pageOf(owner), /An API key was created/);
    await service.post(`/people/${owner.id}/login-link`, undefined);
    assert.match(await pageOf(owner, '/dashboard/charges'), NEWS);
    assert.match(await pageOf(owner), /A login link for you was created/);
  });

  test('gets another role at once, also in open sessions, by a person with as many scopes', async () => {
    aMinute();
    const [owner, person] = [await logIn(service, 'owner', 'acme'), await logIn(service, 'operator', 'acme')];
    const give = (who: LoggedIn, id: string, role: Role) =>
      as(who, `/people/${id}`, {
        method: 'PATCH',
        body: JSON.stringify({ role }),
        headers: { ...SAME_ORIGIN, 'content-type': 'application/json' },
      });
    assert.equal((await as(person, '/keys')).status, 200);
    assert.equal((await give(person, person.id, 'owner')).status, 403);
    const changed = await give(owner, person.id, 'viewer');
    assert.equal(((await changed.json()) as { role: string }).role, 'viewer');
    assert.equal((await as(person, '/keys')).status, 403);
    assert.match(await pageOf(person), /Your role was changed/);
    const all = await logIn(service, 'owner');
    assert.equal((await give(owner, all.id, 'viewer')).status, 404);
  });
});

describe('an act that outlives a session', () => {
  test('needs a passkey, also of an owner who has just logged in by a link', async () => {
    aMinute();
    const { id, path } = await invite(service, 'owner', 'acme');
    const owner = { id, cookie: await enter(service, path) };
    const newKey = () => change(owner, '/keys', { accountId: 'acme', scopes: ['charges:read'] });
    const newName = () =>
      as(owner, '/accounts/acme/settings', {
        method: 'PATCH',
        body: JSON.stringify({ displayName: 'Acme' }),
        headers: { ...SAME_ORIGIN, 'content-type': 'application/json' },
      });
    for (const refused of [await newKey(), await newName()]) {
      assert.equal(refused.status, 403);
      assert.equal(await codeOf(refused), 'fresh_login_needed');
    }
    const passkey = await addPasskey(service, owner.cookie);
    assert.deepEqual([(await newKey()).status, (await newName()).status], [201, 200]);
    service.clock.advanceMs(5 * 60_000);
    assert.deepEqual([(await newKey()).status, (await newName()).status], [403, 403]);
    assert.equal((await passkey.confirm(owner.cookie)).status, 200);
    assert.deepEqual([(await newKey()).status, (await newName()).status], [201, 200]);
  });

  test('needs a login proof of the last five minutes', async () => {
    aMinute();
    const owner = await logIn(service, 'owner', 'acme');
    const newKey = () => change(owner, '/keys', { accountId: 'acme', scopes: ['charges:read'] });
    const made = await newKey();
    assert.equal(made.status, 201);
    const { id, key } = (await made.json()) as { id: string; key: string };
    assert.equal((await service.get('/charges', { authorization: `Bearer ${key}` })).status, 200);
    service.clock.advanceMs(5 * 60_000);
    const stale = await newKey();
    assert.equal(stale.status, 403);
    assert.equal(await codeOf(stale), 'fresh_login_needed');
    for (const [method, path] of [
      ['DELETE', `/keys/${id}`],
      ['POST', '/people'],
      ['POST', '/accounts'],
    ] as const) {
      assert.equal((await as(owner, path, { method, headers: SAME_ORIGIN })).status, 403, path);
    }
    assert.equal((await as(owner, '/keys')).status, 200);
  });

  test('a refund needs such a proof when a large amount of a charge is refunded with it', async () => {
    aMinute();
    const body = chargeBody({ customer: CUSTOMER, externalId: 'dearer', amountCents: 200_000, methods: ['pix'] });
    const { id } = (await service.post('/charges', body)).json;
    await service.runJobs();
    const paid = { amountCents: 200_000, reference: 'E9999999920261116130000000000011' };
    assert.equal((await service.post(`/charges/${id}/payments`, paid)).status, 201);
    const operator = await logIn(service, 'operator', 'acme');
    const refund = (who: LoggedIn, amountCents: number) => change(who, `/charges/${id}/refunds`, { amountCents });
    service.clock.advanceMs(5 * 60_000);
    assert.equal((await refund(operator, 60_000)).status, 201);
    assert.equal((await refund(operator, 40_000)).status, 201);
    const above = await refund(operator, 1);
    assert.equal(above.status, 403);
    assert.equal(await codeOf(above), 'fresh_login_needed');
    // The dashboard asks for the passkey, and then shows the form again with its input.
    const sent = await as(operator, `/dashboard/charges/${id}/refund`, {
      method: 'POST',
      body: new URLSearchParams({ once: 'one', amount: '500,00' }),
      headers: { ...SAME_ORIGIN, accept: 'text/html' },
    });
    const next = `/dashboard/charges/${id}/refund?amount=500%2C00`;
    assert.equal(sent.headers.get('location'), `/dashboard/confirm?next=${encodeURIComponent(next)}`);
    assert.match(await (await as(operator, next)).text(), /name="amount"[^>]* value="500,00"/);
    assert.equal((await service.get(`/charges/${id}`)).json.refunds.length, 2);
    assert.equal((await refund(await logIn(service, 'operator', 'acme'), 1)).status, 201);
    // A key is not a session that may be left open.
    assert.equal((await service.post(`/charges/${id}/refunds`, { amountCents: 1 })).status, 201);
  });

  test('a sender whose key was used elsewhere is resumed only with such a proof', async () => {
    aMinute();
    await service.sql(
      `insert into chain_senders (network, sender, next_nonce, halted_at) values ('polygon', '0xabc', 7, now())`,
    );
    const operator = await logIn(service, 'operator');
    const resume = () => change(operator, '/payouts/senders/resume', { network: 'polygon', sender: '0xabc' });
    service.clock.advanceMs(5 * 60_000);
    assert.equal(await codeOf(await resume()), 'fresh_login_needed');
    const asked = await as(operator, '/dashboard/payouts/senders/resume', {
      headers: { accept: 'text/html' },
      redirect: 'manual',
    });
    assert.match(asked.headers.get('location') ?? '', /^\/dashboard\/confirm\?next=/);
    const fresh = await logIn(service, 'operator');
    const resumed = await change(fresh, '/payouts/senders/resume', { network: 'polygon', sender: '0xabc' });
    assert.deepEqual(await resumed.json(), { senders: [] });
    const [line] = await service.sql<{ actor: string; object_id: string }>(
      `select actor, object_id from audit_inbox where action = 'POST /payouts/senders/resume'`,
    );
    assert.deepEqual(line, { actor: `person:${fresh.id}`, object_id: '0xabc' });
  });

  test('grants no one more than the granting person has', async () => {
    aMinute();
    const key = await service.makeKey('acme', ['keys:write', 'people:write', 'charges:read']);
    const headers = { authorization: `Bearer ${key.text}` };
    const more = { accountId: 'acme', scopes: ['charges:read', 'charges:write'] };
    assert.equal((await service.post('/keys', more, headers)).status, 403);
    assert.equal((await service.post('/keys', { ...more, scopes: ['charges:read'] }, headers)).status, 201);
    assert.equal((await service.post('/people', { name: 'X', role: 'viewer' }, headers)).status, 403);
    const owner = await invite(service, 'owner', 'acme');
    assert.equal((await service.post(`/people/${owner.id}/login-link`, undefined, headers)).status, 403);
  });

  test('the last owner cannot be removed', async () => {
    await service.sql(`delete from person_links; delete from sessions; delete from recovery_codes; delete from passkeys;
      delete from passkey_challenges; delete from person_notices; delete from people`);
    const { id } = await invite(service, 'owner');
    const staff = await service.makeKey('acme');
    const headers = { authorization: `Bearer ${staff.text}` };
    // A key of acme does not see people of all accounts.
    assert.equal((await service.send(`/people/${id}`, { method: 'DELETE', headers })).status, 404);
    aMinute();
    const second = await logIn(service, 'owner');
    const remove = (who: string) => as(second, `/people/${who}`, { method: 'DELETE', headers: SAME_ORIGIN });
    assert.equal((await remove(id)).status, 200);
    const last = await remove(second.id);
    assert.equal(last.status, 409);
    assert.equal(await codeOf(last), 'wrong_state');
  });
});

describe('a recovery code', () => {
  test('logs in once, in capitals and without its dashes too', async () => {
    aMinute();
    const person = await logIn(service, 'operator');
    const page = await as(person, '/dashboard/me/recovery-codes', { method: 'POST', headers: SAME_ORIGIN });
    const codes = [...(await page.text()).matchAll(/<code>([\da-z-]+)<\/code>/g)].map(([, code = '']) => code);
    assert.equal(codes.length, 10);
    assert.equal(new Set(codes).size, 10);
    const recover = (code: string) =>
      fetch(`${service.url}/dashboard/recover`, {
        method: 'POST',
        body: new URLSearchParams({ code }),
        headers: SAME_ORIGIN,
        redirect: 'manual',
      });
    const entered = await recover(codes[0]!.toUpperCase().replaceAll('-', ' '));
    assert.equal(entered.status, 303);
    assert.equal((await as({ cookie: cookieOf(entered) }, '/charges')).status, 200);
    assert.equal((await recover(codes[0]!)).status, 401);
    assert.equal((await recover('no code')).status, 401);
    // A new set replaces the previous one.
    await as(person, '/dashboard/me/recovery-codes', { method: 'POST', headers: SAME_ORIGIN });
    assert.equal((await recover(codes[1]!)).status, 401);
  });
});

test('a person who is not logged in is sent to the login, and back afterwards', async () => {
  const page = await fetch(`${service.url}/dashboard/me`, { headers: { accept: 'text/html' }, redirect: 'manual' });
  assert.equal(page.status, 303);
  assert.equal(page.headers.get('location'), '/dashboard/login?next=%2Fdashboard%2Fme');
  const login = await fetch(`${service.url}/dashboard/login?next=https://evil.example`);
  assert.match(await login.text(), /data-next="\/dashboard"/);
});

test('a sandbox needs no login', async t => {
  const sandbox = await startService();
  t.after(() => sandbox.stop());
  const login = await fetch(`${sandbox.url}/dashboard/login`, { redirect: 'manual' });
  assert.equal(login.headers.get('location'), '/dashboard');
  assert.equal((await sandbox.get('/people')).status, 200);
});
