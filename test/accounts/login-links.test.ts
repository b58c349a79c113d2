// Login links for other people: if there is a second owner, one requests and the other approves.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { keysCommand } from '../../src/cli/keys.ts';
import { peopleCommand } from '../../src/cli/people.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { runCommand } from '../harness/commands.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { enter, invite, type LoggedIn, logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails });
});
after(() => service.stop());

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
type Headers = Record<string, string>;
const by = ({ cookie }: LoggedIn): Headers => ({ ...SAME_ORIGIN, cookie });
const ask = (id: string, headers: Headers) => service.post(`/people/${id}/login-link`, undefined, headers);
const approve = (id: string, headers: Headers) => service.post(`/people/${id}/login-link/approve`, undefined, headers);
const refuse = (id: string, headers: Headers) => service.post(`/people/${id}/login-link/refuse`, undefined, headers);

/** Each in its own account, so that owners of other tests do not count. */
let accounts = 0;
async function newAccount(): Promise<string> {
  // Logging in is limited by the minute.
  service.clock.advanceMs(MINUTE_MS);
  const account = `account-${++accounts}`;
  await service.makeKey(account);
  return account;
}

async function pageOf({ cookie }: LoggedIn, path = ''): Promise<string> {
  return (await fetch(`${service.url}/dashboard${path}`, { headers: { cookie, accept: 'text/html' } })).text();
}

async function personOf(id: string, who: LoggedIn) {
  const { people } = (await service.get('/people', by(who))).json as { people: Record<string, unknown>[] };
  return people.find(person => person['id'] === id);
}

const codeOf = ({ status, json }: Answer) => [status, json.code];

test('one owner requests the link of another person, a second one approves it and is the only one to see it', async () => {
  const account = await newAccount();
  const [asker, second] = [await logIn(service, 'owner', account), await logIn(service, 'owner', account)];
  const [person, operator] = [await logIn(service, 'support', account), await logIn(service, 'operator', account)];
  const asked = await ask(person.id, by(asker));
  const now = service.clock.now();
  const expiresAt = new Date(now.getTime() + DAY_MS).toISOString();
  assert.deepEqual([asked.status, asked.json], [201, { waitsForApproval: true, expiresAt }]);
  const listed = await personOf(person.id, second);
  assert.deepEqual(listed?.['linkRequest'], {
    askedBy: `person:${asker.id}`,
    askedAt: now.toISOString(),
    expiresAt,
  });
  assert.equal(listed?.['linkExpiresAt'], undefined);

  const NEED = /Login links to approve/;
  assert.match(await pageOf(second), NEED);
  for (const other of [asker, person, operator]) assert.doesNotMatch(await pageOf(other), NEED);
  const approving = `/people/${person.id}/link/approve`;
  assert.ok((await pageOf(second, '/people')).includes(approving));
  assert.ok(!(await pageOf(asker, '/people')).includes(approving), 'no link leads to a refusal');

  assert.deepEqual(codeOf(await approve(person.id, by(operator))), [403, 'missing_scope']);
  assert.deepEqual(codeOf(await approve(person.id, by(asker))), [409, 'second_key_needed']);
  const key = await service.makeKey(account);
  assert.deepEqual(codeOf(await approve(person.id, { authorization: `Bearer ${key.text}` })), [
    403,
    'fresh_login_needed',
  ]);
  const approved = await approve(person.id, by(second));
  assert.equal(approved.status, 201, approved.text);
  assert.equal(approved.json.expiresAt, new Date(now.getTime() + 15 * MINUTE_MS).toISOString());
  assert.deepEqual(codeOf(await approve(person.id, by(second))), [409, 'wrong_state']);
  assert.doesNotMatch(await pageOf(second), NEED);

  const cookie = await enter(service, new URL(approved.json.url).pathname);
  const notices = await pageOf({ id: person.id, cookie }, '/me');
  assert.equal(notices.match(/A login link for you was created/g)?.length, 2, 'who asked, and who approved');
  const letInBy = (await personOf(person.id, second))?.['letInBy'] as string[];
  for (const owner of [asker, second]) assert.ok(letInBy.includes(`person:${owner.id}`));
  const lines = await service.sql<{ actor: string; action: string }>(
    `select actor, action from (select * from audit_inbox) l where object_id = $1 and action like '%login-link%' order by at, action`,
    [person.id],
  );
  assert.deepEqual(lines, [
    { actor: `person:${asker.id}`, action: 'POST /people/:id/login-link' },
    { actor: `person:${second.id}`, action: 'POST /people/:id/login-link/approve' },
  ]);
});

test('an approval needs a passkey of the last five minutes', async () => {
  const account = await newAccount();
  const [asker, second] = [await logIn(service, 'owner', account), await logIn(service, 'owner', account)];
  const { id } = await invite(service, 'viewer', account);
  await ask(id, by(asker));
  service.clock.advanceMs(5 * MINUTE_MS);
  assert.deepEqual(codeOf(await approve(id, by(second))), [403, 'fresh_login_needed']);
  assert.equal((await approve(id, by(await logIn(service, 'owner', account)))).status, 201);
});

test('a request is refused, withdrawn, or expires after a day, and a new one replaces it', async () => {
  const account = await newAccount();
  const [asker, second] = [await logIn(service, 'owner', account), await logIn(service, 'owner', account)];
  const { id } = await invite(service, 'viewer', account);
  for (const owner of [second, asker]) {
    await ask(id, by(asker));
    const refused = await refuse(id, by(owner));
    assert.deepEqual([refused.status, refused.json.linkRequest], [200, undefined], refused.text);
    assert.deepEqual(codeOf(await approve(id, by(second))), [409, 'wrong_state']);
    assert.deepEqual(codeOf(await refuse(id, by(second))), [409, 'wrong_state']);
  }
  await ask(id, by(second));
  await ask(id, by(asker));
  const newest = (await personOf(id, second))?.['linkRequest'] as Record<string, unknown> | undefined;
  assert.equal(newest?.['askedBy'], `person:${asker.id}`);
  service.clock.advanceMs(DAY_MS);
  const fresh = await logIn(service, 'owner', account);
  assert.equal((await personOf(id, fresh))?.['linkRequest'], undefined);
  assert.deepEqual(codeOf(await approve(id, by(fresh))), [409, 'wrong_state']);
});

test('without a second independent owner with a passkey for the account the link is created at once', async () => {
  const account = await newAccount();
  const [asker, person] = [await logIn(service, 'owner', account), await logIn(service, 'owner', account)];
  const elsewhere = await newAccount();
  await logIn(service, 'owner', elsewhere);
  await logIn(service, 'operator', account);
  await invite(service, 'owner', account);
  const removed = await logIn(service, 'owner', account);
  await service.send(`/people/${removed.id}`, { method: 'DELETE', headers: by(asker) });
  service.clock.advanceMs(MINUTE_MS);
  const invited = await service.post('/people', { name: 'Second persona', role: 'owner' }, by(asker));
  assert.equal(invited.status, 201, invited.text);
  const { pathname, origin } = new URL(invited.json.link.url);
  await addPasskey(service, await enter(service, pathname), origin);
  const made = await ask(person.id, by(asker));
  assert.deepEqual([made.status, made.json.waitsForApproval], [201, false], made.text);
  assert.match(made.json.url, /\/dashboard\/enter\//);
  const own = await ask(asker.id, by(asker));
  assert.equal(own.json.waitsForApproval, false, 'their own');
});

test('a key requests as its creator; the command line creates a link at once, which ends the request', async () => {
  const account = await newAccount();
  const [asker, second] = [await logIn(service, 'owner', account), await logIn(service, 'owner', account)];
  const { id } = await invite(service, 'viewer', account);
  const key = await service.makeKey(account);
  await service.sql('update api_keys set created_by = $2 where id = $1', [key.id, `person:${asker.id}`]);
  const asked = await ask(id, { authorization: `Bearer ${key.text}` });
  assert.equal(asked.json.waitsForApproval, true);
  assert.deepEqual(codeOf(await approve(id, by(asker))), [409, 'second_key_needed']);
  const env = { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'live' };
  const { said } = await runCommand(peopleCommand, env, ['login', id]);
  assert.match(said, /\/dashboard\/enter\//);
  assert.deepEqual(codeOf(await approve(id, by(second))), [409, 'wrong_state']);
  await ask(id, { authorization: `Bearer ${key.text}` });
  assert.equal((await runCommand(keysCommand, env, ['revoke', key.id])).code, 0);
  assert.deepEqual(codeOf(await approve(id, by(second))), [409, 'wrong_state'], 'a revoked key asks for nothing');
  const open = (await personOf(id, second))?.['linkExpiresAt'];
  assert.ok(open, 'that of the command line stays');
});

test('on the dashboard: requested, approved with the link on the page, refused', async () => {
  const account = await newAccount();
  const [asker, second] = [await logIn(service, 'owner', account), await logIn(service, 'owner', account)];
  const { id } = await invite(service, 'viewer', account);
  const send = async (who: LoggedIn, path: string) => {
    const headers = { ...by(who), accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await fetch(`${service.url}/dashboard/people/${id}${path}`, {
      method: 'POST',
      body: '',
      headers,
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text() };
  };
  assert.match(await pageOf(asker, `/people/${id}/link`), /Another owner must approve it/);
  const asked = await send(asker, '/link');
  assert.equal(asked.status, 200);
  assert.match(asked.text, /waits for an approval/);
  assert.doesNotMatch(asked.text, /dashboard\/enter/);
  const refused = await send(asker, '/link/approve');
  assert.equal(refused.status, 409);
  assert.match(refused.text, /cannot approve it/);
  assert.match(await pageOf(second, `/people/${id}/link/approve`), /A owner/);
  const approved = await send(second, '/link/approve');
  assert.match(approved.text, /dashboard\/enter\//);
  await send(second, '/link');
  assert.match(await pageOf(asker), /Login links to approve/);
  assert.equal((await send(asker, '/link/refuse')).status, 303);
  assert.doesNotMatch(await pageOf(asker), /Login links to approve/);
});
