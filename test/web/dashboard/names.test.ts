// People see names instead of ids: accounts and wallets are chosen from lists, and the audit log names the object of a line.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { sandboxRails } from '../../../src/sandbox/rails.ts';
import { sealAudit } from '../../../src/storage/audit-chain.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { chargeBody } from '../../harness/bodies.ts';
import { textOf, view } from '../../harness/dashboard.ts';
import { silentLog } from '../../harness/log.ts';
import { logIn } from '../../harness/people.ts';
import { type Service, startService } from '../../harness/service.ts';

const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';

let service: Service;
const ids = { charge: '', wallet: '', key: '' };
before(async () => {
  service = await startService();
  const charge = chargeBody({ methods: ['pix'], accountId: 'acme', externalId: 'sale-77' });
  ids.charge = (await service.post('/charges', charge)).json.id;
  await service.post('/charges', chargeBody({ methods: ['pix'], accountId: 'beta' }));
  const wallet = { accountId: 'acme', name: 'Treasury', network: 'polygon', address: ADDRESS };
  ids.wallet = (await service.post('/wallets', wallet)).json.id;
  ids.key = (await service.post('/keys', { accountId: 'acme', name: 'shop', scopes: ['charges:read'] })).json.id;
  const settings = await service.send('/accounts/acme/settings', {
    method: 'PATCH',
    body: JSON.stringify({ displayName: 'Padaria do Zé' }),
    headers: { 'content-type': 'application/json' },
  });
  assert.equal(settings.status, 200, settings.text);
});
after(() => service.stop());

/** The audit log shows sealed lines. */
async function seal({ databaseUrl }: Service): Promise<void> {
  const db = openDatabase({ connection: { connectionString: databaseUrl }, log: silentLog });
  await sealAudit(db);
  await db.close();
}

/** The choices of a field or a filter, by their values. */
function choicesOf(page: string, name: string): string[] | undefined {
  const [, options] = new RegExp(`<select[^>]* name="${name}"[^>]*>(.*?)</select>`, 's').exec(page) ?? [];
  return options === undefined
    ? undefined
    : [...options.matchAll(/<option value="([^"]*)"/g)].map(([, value = '']) => value);
}

const FORMS = [
  '/charges/new',
  '/orders/new',
  '/orders/quote',
  '/wallets/new',
  '/webhooks/new',
  '/keys/new',
  '/people/invite',
];
const LISTS = ['/charges', '/orders', '/payouts', '/wallets', '/events', '/ledger'];

test('accounts are chosen from a list with their names, in every form and filter', async () => {
  for (const path of [...FORMS, ...LISTS]) {
    const page = await view(service, path);
    assert.deepEqual(choicesOf(page, 'accountId'), ['', 'acme', 'beta'], path);
    assert.match(page, /<option value="acme"[^>]*>Padaria do Zé \(acme\)<\/option>/, path);
  }
});

test('wallets are chosen from a list with their names', async () => {
  const page = await view(service, '/orders/new');
  assert.deepEqual(choicesOf(page, 'walletId'), ['', ids.wallet]);
  assert.match(page, /Treasury of acme on polygon, 0x529084…169EE7/);
});

test('an account or wallet in the address stays chosen, and an unknown one is shown', async () => {
  const page = await view(service, '/charges?accountId=gone');
  assert.match(page, /<option value="gone" selected>gone<\/option>/);
  assert.match(await view(service, '/charges?accountId=beta'), /<option value="beta" selected>/);
});

test('with hundreds of accounts one is typed, with suggestions', async t => {
  await service.sql(
    `insert into accounts (id, created_at) select 'many-' || lpad(n::text, 3, '0'), now() from generate_series(1, 300) n`,
  );
  t.after(() => service.sql(`delete from accounts where id like 'many-%'`));
  for (const path of ['/charges', '/charges/new']) {
    const page = await view(service, path);
    assert.equal(choicesOf(page, 'accountId'), undefined, path);
    assert.match(page, /<input[^>]* name="accountId"[^>]* list="/, path);
  }
  assert.match(await view(service, '/charges?accountId=acme'), /name="accountId"[^>]* value="acme"/);
});

test('the audit log names accounts, wallets, keys, customers and charges', async () => {
  const named = { accountId: 'acme', name: 'Zuleica', document: '529.982.247-25' };
  assert.equal((await service.post('/customers', named)).status, 201);
  await seal(service);
  const said = textOf(await view(service, '/audit'));
  for (const text of ['account Padaria do Zé', 'wallet Treasury', 'key shop', 'customer Zuleica', 'charge sale-77'])
    assert.ok(said.includes(text), `${text}: ${said}`);
  const page = await view(service, '/audit');
  assert.ok(page.includes(`<a href="/dashboard/charges/${ids.charge}" title="${ids.charge}">sale-77</a>`));
});

test('a person of one account does not choose an account, and sees only its wallets; the audit log names people', async t => {
  const live = await startService({ mode: 'live', rails: sandboxRails });
  t.after(() => live.stop());
  await live.sql(`insert into accounts (id, created_at) values ('beta', now())`);
  const wallet = { accountId: 'acme', name: 'Treasury', network: 'polygon', address: ADDRESS };
  const made = await live.post('/wallets', wallet);
  assert.equal(made.status, 201, made.text);
  const [beta, all] = [await logIn(live, 'owner', 'beta'), await logIn(live, 'owner')];
  const ask = async (cookie: string, path: string) => {
    const answer = await fetch(`${live.url}/dashboard${path}`, { headers: { accept: 'text/html', cookie } });
    assert.equal(answer.status, 200, path);
    return answer.text();
  };
  for (const path of [...FORMS, ...LISTS]) {
    const page = await ask(beta.cookie, path);
    assert.doesNotMatch(page, /name="accountId"/, path);
    assert.doesNotMatch(page, /acme|Treasury/, path);
  }
  assert.deepEqual(choicesOf(await ask(all.cookie, '/people/invite'), 'accountId'), ['', 'acme', 'beta']);
  await seal(live);
  assert.match(textOf(await ask(all.cookie, '/audit')), /person A owner/);
});
