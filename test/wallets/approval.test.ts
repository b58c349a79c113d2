// Approval of wallets by a second key, and blocks by an operator, through HTTP and the command line.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Wallet } from 'ethers';
import { walletsCommand } from '../../src/cli/wallets.ts';
import { StartError } from '../../src/lib/errors.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { runCommand } from '../harness/commands.ts';
import { orderDriver } from '../harness/orders.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { enter, type LoggedIn, logIn, SAME_ORIGIN } from '../harness/people.ts';
import { type Service, startService } from '../harness/service.ts';

const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

/** A live service, in which each wallet is created with a key. */
let live: Service;
/** A sandbox that accepts orders to approved wallets only. */
let sandbox: Service;
before(async () => {
  live = await startService({ mode: 'live', rails: sandboxRails });
  sandbox = await startService({ env: { TRILHO_WALLET_APPROVAL: 'on' } });
});
after(async () => {
  await live.stop();
  await sandbox.stop();
});

const newAddress = () => Wallet.createRandom().address;
const bearer = (key: { text: string }) => ({ authorization: `Bearer ${key.text}` });

async function make(service: Service, address = newAddress(), headers: Record<string, string> = {}) {
  const body = { accountId: 'acme', name: 'Treasury', network: 'polygon', address };
  return service.post('/wallets', body, headers);
}
async function made(service: Service, headers: Record<string, string> = {}): Promise<string> {
  const { status, json, text } = await make(service, newAddress(), headers);
  assert.equal(status, 201, text);
  return json.id;
}
const approve = (service: Service, id: string, headers: Record<string, string> = {}) =>
  service.post(`/wallets/${id}/approve`, {}, headers);
const trilho = (service: Service, ...args: string[]) =>
  runCommand(
    walletsCommand,
    { DATABASE_URL: service.databaseUrl, TRILHO_MODE: service === live ? 'live' : 'sandbox' },
    args,
  );
const actorsOf = (service: Service, id: string, action: string) =>
  service.sql<{ actor: string }>(
    `select actor from audit_inbox where object_id = $1 and action = $2
     union all select actor from audit_log where object_id = $1 and action = $2`,
    [id, action],
  );

test('the key that created a wallet cannot approve it; another one does, once, and the audit log names it', async () => {
  const [maker, second] = [await live.makeKey('acme'), await live.makeKey('acme')];
  const id = await made(live, bearer(maker));
  const refused = await approve(live, id, bearer(maker));
  assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  assert.equal('approvedAt' in (await live.get(`/wallets/${id}`)).json, false);
  const approved = await approve(live, id, bearer(second));
  assert.deepEqual([approved.status, approved.json.approvedAt], [200, live.clock.now().toISOString()]);
  live.clock.advanceMs(60_000);
  for (const key of [second, maker]) assert.deepEqual((await approve(live, id, bearer(key))).json, approved.json);
  const [row] = await live.sql('select created_by, approved_by from wallets where id = $1', [id]);
  assert.deepEqual(row, { created_by: `key:${maker.id}`, approved_by: `key:${second.id}` });
  assert.equal((await actorsOf(live, id, 'POST /wallets/:id/approve'))[0]?.actor, `key:${second.id}`);
});

test('a person approves wallets of others, never their own', async () => {
  const [maker, other] = [await logIn(live, 'owner', 'acme'), await logIn(live, 'owner', 'acme')];
  const post = (who: LoggedIn, path: string, body: unknown) =>
    fetch(live.url + path, {
      method: 'POST',
      headers: { ...SAME_ORIGIN, cookie: who.cookie, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const body = { accountId: 'acme', name: 'By a person', network: 'polygon', address: newAddress() };
  const { id } = (await (await post(maker, '/wallets', body)).json()) as { id: string };
  assert.equal((await post(maker, `/wallets/${id}/approve`, {})).status, 409);
  assert.equal((await post(other, `/wallets/${id}/approve`, {})).status, 200);
});

test('the creator of a wallet can approve it neither with another own key nor as a person they invited', async () => {
  const maker = await logIn(live, 'owner', 'acme');
  const asMaker = { ...SAME_ORIGIN, cookie: maker.cookie };
  const id = await made(live, asMaker);
  const minted = await live.post('/keys', { accountId: 'acme', scopes: ['wallets:approve'] }, asMaker);
  const invited = await live.post('/people', { name: 'Another me', role: 'owner', accountId: 'acme' }, asMaker);
  const cookie = await enter(live, new URL(invited.json.link.url).pathname);
  await addPasskey(live, cookie);
  for (const headers of [bearer({ text: minted.json.key }), { ...SAME_ORIGIN, cookie }]) {
    const refused = await approve(live, id, headers);
    assert.deepEqual([refused.status, refused.json.code], [409, 'second_key_needed']);
  }
  const other = await logIn(live, 'owner', 'acme');
  assert.equal((await approve(live, id, { ...SAME_ORIGIN, cookie: other.cookie })).status, 200);
});

test('a wallet that another key requests again keeps its creator', async () => {
  const [maker, second] = [await live.makeKey('acme'), await live.makeKey('acme')];
  const address = newAddress();
  const first = await make(live, address, bearer(maker));
  const again = await make(live, address, bearer(second));
  assert.equal(again.text, first.text);
  assert.equal((await approve(live, first.json.id, bearer(maker))).status, 409);
});

test('approving needs its own scope, which all does not include, and the account of the wallet', async () => {
  const id = await made(live);
  const without = await live.makeKey('acme', ['wallets:read', 'wallets:write']);
  const refused = await approve(live, id, bearer(without));
  assert.deepEqual([refused.status, refused.json.code], [403, 'missing_scope']);
  assert.match(refused.json.detail, /wallets:approve/);
  assert.equal((await approve(live, id, bearer(await live.makeKey('other')))).status, 404);
});

test('of two simultaneous keys one approves, and both get the same answer', async () => {
  const id = await made(live);
  const keys = [await live.makeKey('acme'), await live.makeKey('acme')];
  const answers = await Promise.all(keys.map(key => approve(live, id, bearer(key))));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  );
  assert.equal(answers[0]?.text, answers[1]?.text);
});

test('an operator approves any wallet by the command line, and is named in the audit log', async () => {
  const id = await made(live);
  assert.equal((await trilho(live, 'approve', id.toUpperCase())).code, 0);
  const { approvedAt } = (await live.get(`/wallets/${id}`)).json;
  assert.ok(approvedAt);
  assert.equal((await trilho(live, 'approve', id)).code, 0, 'again changes nothing');
  assert.equal((await live.get(`/wallets/${id}`)).json.approvedAt, approvedAt);
  assert.equal((await actorsOf(live, id, 'trilho wallets approve'))[0]?.actor, 'operator');
});

test('if approval is required, orders refuse a wallet without it', async () => {
  const id = await made(sandbox);
  const { order } = orderDriver(sandbox);
  const refused = await order({ walletId: id });
  assert.deepEqual([refused.status, refused.json.code], [422, 'order_refused']);
  assert.deepEqual(
    refused.json.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
    ['walletId not_approved'],
  );
  assert.match(refused.json.detail, /approve/);
  // A sandbox has no keys, so any caller may approve.
  assert.equal((await approve(sandbox, id)).status, 200);
  const taken = await order({ walletId: id });
  assert.equal(taken.status, 201, taken.text);
});

test('everything that is missing for a wallet is named at once', async () => {
  const strict = await startService({
    walletWait: 'PT1H',
    env: { TRILHO_WALLET_APPROVAL: 'on', TRILHO_WALLET_PROOF: 'proven' },
  });
  try {
    const refused = await orderDriver(strict).order({ walletId: await made(strict) });
    assert.deepEqual(
      refused.json.errors.map(({ code }: { code: string }) => code),
      ['not_usable_yet', 'not_approved', 'not_proven'],
    );
  } finally {
    await strict.stop();
  }
});

test('a blocked address is refused to orders and to new wallets of any account and network, until it is unblocked', async () => {
  const address = newAddress();
  const { id } = (await make(sandbox, address)).json;
  await approve(sandbox, id);
  const { order } = orderDriver(sandbox);
  const body = { accountId: 'other', name: 'Mine', network: 'base', address };
  assert.equal((await trilho(sandbox, 'block', id)).code, 0);
  const refusals = [await order({ walletId: id }), await sandbox.post('/wallets', body)];
  for (const { status, json } of refusals) assert.deepEqual([status, json.code], [422, 'wallet_blocked']);
  // Removing the wallet is no way round the block.
  await sandbox.send(`/wallets/${id}`, { method: 'DELETE' });
  assert.equal((await make(sandbox, address)).json.code, 'wallet_blocked');
  assert.equal((await trilho(sandbox, 'unblock', id)).code, 0);
  assert.equal((await sandbox.post('/wallets', body)).status, 201);
  assert.deepEqual(
    [
      ...(await actorsOf(sandbox, id, 'trilho wallets block')),
      ...(await actorsOf(sandbox, id, 'trilho wallets unblock')),
    ],
    [{ actor: 'operator' }, { actor: 'operator' }],
  );
});

test('the command lists wallets with their details', async () => {
  const id = await made(sandbox);
  await sandbox.post(`/wallets/${id}/declaration`, { holderName: 'Joaquina', statement: 'Mine.' });
  await approve(sandbox, id);
  await trilho(sandbox, 'block', id);
  const { said } = await trilho(sandbox, 'list', '--account', 'acme');
  const line = said.split('\n').find(text => text.startsWith(id));
  assert.match(line ?? '', /acme {2}polygon {2}0x\w{40} {2}by sandbox {2}declared, approved, BLOCKED {2}Treasury$/);
  assert.ok(!said.includes('Joaquina'));
  assert.equal((await trilho(sandbox, 'list', '--account', 'nobody')).said, '');
});

test('the command refuses unknown arguments in one sentence', async () => {
  const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho(sandbox, 'allow'), refusal(/"allow" is not known/));
  await assert.rejects(trilho(sandbox, 'approve'), refusal(/<wallet id> is missing/));
  await assert.rejects(trilho(sandbox, 'approve', 'x'), refusal(/must be a UUID, not "x"/));
  for (const verb of ['approve', 'block', 'unblock'])
    await assert.rejects(trilho(sandbox, verb, UNKNOWN_ID), refusal(/There is no wallet 019a/));
});
