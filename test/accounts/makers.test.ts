// What a key creates: nothing that outlives it or may do more than it, and the lists show who created what.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { scopesOf } from '../../src/accounts/people/person.ts';
import { keysCommand } from '../../src/cli/keys.ts';
import { peopleCommand } from '../../src/cli/people.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { runCommand } from '../harness/commands.ts';
import { type LoggedIn, logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Service, startService } from '../harness/service.ts';

let service: Service;
before(async () => {
  service = await startService({ mode: 'live', rails: sandboxRails });
});
after(() => service.stop());

type Key = { readonly id: string; readonly text: string };
const bearer = ({ text }: Key) => ({ authorization: `Bearer ${text}` });
const json = { 'content-type': 'application/json' };
const live = () => ({ DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'live' });

function patchRole(headers: Record<string, string>, id: string, role: string) {
  return service.send(`/people/${id}`, {
    method: 'PATCH',
    body: JSON.stringify({ role }),
    headers: { ...json, ...headers },
  });
}

async function pageOf({ cookie }: LoggedIn, path: string): Promise<string> {
  return (await fetch(`${service.url}/dashboard${path}`, { headers: { cookie, accept: 'text/html' } })).text();
}

async function keyThatEnds(): Promise<Key & { readonly ends: Date }> {
  const key = await service.makeKey('acme');
  const ends = new Date(service.clock.now().getTime() + 3_600_000);
  await service.sql('update api_keys set expires_at = $2 where id = $1', [key.id, ends]);
  return { ...key, ends };
}

test('a key that expires cannot invite a person, create a login link or give a role: a person would outlive it', async () => {
  const lasting = await service.makeKey('acme');
  const person = await service.post('/people', { name: 'Ana', role: 'viewer' }, bearer(lasting));
  assert.equal(person.status, 201, person.text);
  const key = await keyThatEnds();
  const child = await service.post('/keys', { accountId: 'acme', scopes: ['people:write'] }, bearer(key));
  assert.equal(child.json.expiresAt, key.ends.toISOString());
  const before = (await service.get('/people')).json;
  const { id } = person.json;
  for (const answer of [
    await service.post('/people', { name: 'Rui', role: 'viewer' }, bearer(key)),
    await service.post(`/people/${id}/login-link`, undefined, bearer(key)),
    await patchRole(bearer(key), id, 'support'),
  ]) {
    assert.deepEqual([answer.status, answer.json.code], [403, 'key_expires'], answer.text);
    assert.ok(answer.json.detail.includes(key.ends.toISOString()), answer.json.detail);
    assert.match(answer.json.detail, /outlive/);
  }
  assert.deepEqual((await service.get('/people')).json, before);
  assert.equal((await service.send(`/people/${id}`, { method: 'DELETE', headers: bearer(key) })).status, 200);
});

test('a key invites only with roles up to its own scopes, and only for its account, whatever its reach', async () => {
  const key = await service.makeKey('acme', ['people:read', 'people:write', 'charges:read']);
  const refused = await service.post('/people', { name: 'Ana', role: 'viewer' }, bearer(key));
  assert.deepEqual([refused.status, refused.json.code], [403, 'missing_scope']);
  const invited = await service.post('/people', { name: 'Ana', role: 'owner' }, bearer(await service.makeKey('acme')));
  assert.equal(invited.json.accountId, 'acme');
  assert.deepEqual((await patchRole(bearer(key), invited.json.id, 'viewer')).json.code, 'missing_scope');
  const link = await service.post(`/people/${invited.json.id}/login-link`, undefined, bearer(key));
  assert.equal(link.json.code, 'missing_scope');
});

test('lists show who created each key and invited each person, also once the key is revoked', async () => {
  const owner = await logIn(service, 'owner', 'acme');
  const asOwner = { ...SAME_ORIGIN, cookie: owner.cookie };
  const name = 'the key of Ana';
  const scopes = scopesOf({ role: 'owner', accountId: 'acme' });
  const key = await service.post('/keys', { accountId: 'acme', scopes, name }, asOwner);
  assert.deepEqual([key.status, key.json.createdBy], [201, `person:${owner.id}`], key.text);
  const byKey = bearer({ id: key.json.id, text: key.json.key });
  const child = await service.post('/keys', { accountId: 'acme', scopes: ['charges:read'] }, byKey);
  assert.equal(child.json.createdBy, `key:${key.json.id}`);
  const person = await service.post('/people', { name: 'Invited by a key', role: 'viewer' }, byKey);
  assert.equal(person.status, 201, person.text);
  const question = await pageOf(owner, `/keys/${key.json.id}/revoke`);
  assert.match(question, /Invited by a key/);
  assert.match(question, /stay/);

  const revoked = await runCommand(keysCommand, live(), ['revoke', key.json.id]);
  assert.ok(revoked.said.includes(person.json.id), revoked.said);
  const { people } = (await service.get('/people')).json as { people: { id: string; invitedBy: string }[] };
  assert.equal(people.find(({ id }) => id === person.json.id)?.invitedBy, `key:${key.json.id}`);
  const [keys, listed] = [await pageOf(owner, '/keys'), await pageOf(owner, '/people')];
  assert.ok(keys.includes('A owner') && keys.includes(name));
  assert.match(listed, new RegExp(`Invited by a key[^]*${name}`));
  const lines = (await runCommand(peopleCommand, live(), ['list'])).said.split('\n');
  assert.ok(lines.find(line => line.startsWith(person.json.id))?.includes(`invited by key:${key.json.id}`));
  const keyLines = (await runCommand(keysCommand, live(), ['list'])).said.split('\n');
  assert.ok(keyLines.find(line => line.includes(child.json.id))?.includes(`by key:${key.json.id}`));
});
