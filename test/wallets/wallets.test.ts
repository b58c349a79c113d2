// Wallets through HTTP: created once, checked strictly, listed, removed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { addressOf } from '../../src/chains/address.ts';
import { readConfig } from '../../src/config/config.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { type Service, startService } from '../harness/service.ts';

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const TRON_ADDRESS = 'TNPeeaaFB7K9cmo4uQpcU32zGK8G1NYqeL';
const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

let service: Service;
before(async () => {
  service = await startService();
});
after(() => service.stop());

let accounts = 0;
/** An account that no other test uses. */
const newAccount = () => `account ${++accounts}`;
const bodyOf = (changes: Record<string, unknown> = {}) => ({
  accountId: 'acme',
  name: 'Treasury',
  network: 'polygon',
  address: ADDRESS,
  ...changes,
});
const create = (changes: Record<string, unknown>) => service.post('/wallets', bodyOf(changes));
const remove = (id: string) => service.send(`/wallets/${id}`, { method: 'DELETE' });
/** Any address but the ones that are refused. */
const numbered = (number: number) => {
  const bytes = Buffer.alloc(20, 7);
  bytes.writeUInt32BE(number);
  return addressOf('evm', bytes);
};

test('a wallet is created, read and shown in the canonical spelling', async () => {
  const accountId = newAccount();
  const made = await create({ accountId, address: ADDRESS.toLowerCase() });
  assert.equal(made.status, 201, made.text);
  const { id } = made.json;
  assert.equal(made.headers.get('location'), `/wallets/${id}`);
  assert.equal(made.headers.get('idempotent-replayed'), null);
  const now = service.clock.now().toISOString();
  assert.deepEqual(made.json, {
    id,
    accountId,
    name: 'Treasury',
    network: 'polygon',
    address: ADDRESS,
    ownership: 'none',
    usableAt: now,
    createdAt: now,
  });
  const read = await service.get(`/wallets/${id.toUpperCase()}`);
  assert.deepEqual([read.status, read.json], [200, made.json]);
  const [account] = await service.sql('select id from accounts where id = $1', [accountId]);
  assert.ok(account, 'the sandbox opened the account');
});

test('the same wallet again is the first one, in any spelling of its address; another name is a conflict', async () => {
  const accountId = newAccount();
  const first = await create({ accountId });
  service.clock.advanceMs(60_000);
  for (const address of [ADDRESS, ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`]) {
    const again = await create({ accountId, address });
    assert.deepEqual([again.status, again.text], [201, first.text]);
    assert.equal(again.headers.get('idempotent-replayed'), 'true');
    assert.equal(again.headers.get('location'), first.headers.get('location'));
  }
  const other = await create({ accountId, name: 'Another' });
  assert.deepEqual([other.status, other.json.code, other.json.walletId], [409, 'wallet_exists', first.json.id]);
  // Another account or network is another wallet.
  const elsewhere = [await create({ accountId, network: 'base' }), await create({ accountId: newAccount() })];
  for (const { status, headers } of elsewhere)
    assert.deepEqual([status, headers.get('idempotent-replayed')], [201, null]);
});

test('of twenty equal simultaneous requests one creates the wallet and the others get it', async () => {
  for (let round = 0; round < 5; round++) {
    const accountId = newAccount();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ accountId })));
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    const [row] = await service.sql('select count(*)::int as count from wallets where account_id = $1', [accountId]);
    assert.equal(row!['count'], 1);
  }
});

test('of twenty simultaneous names one gets the address and the others its id', async () => {
  const accountId = newAccount();
  const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => create({ accountId, name: `name ${at}` })));
  const made = answers.filter(({ status }) => status === 201);
  assert.equal(made.length, 1);
  for (const { json, status } of answers) {
    if (status !== 201) assert.deepEqual([status, json.walletId], [409, made[0]!.json.id]);
  }
});

test('a removed wallet is not shown, stays in the table, and may be created again', async () => {
  const accountId = newAccount();
  const made = await create({ accountId });
  const { id } = made.json;
  const removed = await remove(id);
  assert.deepEqual([removed.status, removed.json], [200, made.json], 'as it was');
  for (const answer of [await service.get(`/wallets/${id}`), await remove(id)])
    assert.deepEqual([answer.status, answer.json.code], [404, 'not_found']);
  const list = await service.get(`/wallets?accountId=${encodeURIComponent(accountId)}`);
  assert.deepEqual(list.json, { wallets: [], total: 0, totalPages: 0, currentPage: 1, hasMore: false });
  const again = await create({ accountId, name: 'Renamed' });
  assert.equal(again.status, 201);
  assert.notEqual(again.json.id, id);
  const rows = await service.sql('select id from wallets where account_id = $1 and removed_at is not null', [
    accountId,
  ]);
  assert.deepEqual(rows, [{ id }]);
});

test('created and removed concurrently, an address has at most one wallet', async () => {
  const accountId = newAccount();
  for (let round = 0; round < 10; round++) {
    const { id } = (await create({ accountId })).json;
    const answers = await Promise.all([
      remove(id),
      remove(id),
      ...Array.from({ length: 8 }, () => create({ accountId })),
    ]);
    assert.deepEqual(
      answers
        .slice(0, 2)
        .map(({ status }) => status)
        .toSorted(),
      [200, 404],
    );
    for (const { status } of answers.slice(2)) assert.equal(status, 201);
  }
});

test('an unknown wallet is not found', async () => {
  for (const id of [UNKNOWN_ID, 'x', `${UNKNOWN_ID}0`, '%00']) {
    assert.equal((await service.get(`/wallets/${id}`)).status, 404, id);
    assert.equal((await remove(id)).status, 404, id);
  }
  const put = await service.send(`/wallets/${UNKNOWN_ID}`, { method: 'PUT' });
  assert.deepEqual([put.status, put.headers.get('allow')], [405, 'DELETE, GET, HEAD']);
});

test('each forbidden address is refused with its reason, and nothing is written', async () => {
  const accountId = newAccount();
  const refusals: [string, string, string][] = [
    ['polygon', 'acme.eth', 'not_an_address'],
    ['tron', ADDRESS, 'not_an_address'],
    ['polygon', ` ${ADDRESS}`, 'not_an_address'],
    ['polygon', ADDRESS.replace('5aA', '5AA'), 'wrong_checksum'],
    ['tron', TRON_ADDRESS.replace('TNP', 'TNQ'), 'wrong_checksum'],
    ['base', `0x${'0'.repeat(40)}`, 'zero_address'],
    ['bsc', '0x000000000000000000000000000000000000dEaD', 'burn_address'],
    ['tron', 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'token_contract'],
  ];
  for (const [network, address, code] of refusals) {
    const refused = await create({ accountId, network, address });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(
      refused.json.errors.map((fault: { path: string; code: string }) => [fault.path, fault.code]),
      [['address', code]],
    );
    assert.ok(!refused.text.includes(address.trim()), 'the address is not repeated');
  }
  assert.deepEqual(await service.sql('select from accounts where id = $1', [accountId]), []);
});

test('all faults are named at once', async () => {
  const refused = await service.post('/wallets', { network: 'tron', address: ADDRESS, name: ' ', color: 'red' });
  assert.equal(refused.status, 400);
  const faults = refused.json.errors.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);
  assert.deepEqual(faults.toSorted(), ['accountId required', 'address not_an_address', 'color unknown', 'name blank']);
  const unknown = await create({ network: 'solana' });
  assert.deepEqual(
    unknown.json.errors.map(({ path }: { path: string }) => path),
    ['network'],
  );
});

test('wallets are listed newest first, filtered and paged', async () => {
  const accountId = newAccount();
  const made: { id: string; network: string; createdAt: string }[] = [];
  for (let number = 0; number < 7; number++) {
    service.clock.advanceMs(1_000);
    const network = number % 2 === 0 ? 'polygon' : 'base';
    made.unshift((await create({ accountId, network, address: numbered(number) })).json);
  }
  const list = async (query: string) => {
    const answer = await service.get(`/wallets?accountId=${encodeURIComponent(accountId)}${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  };
  assert.deepEqual(await list(''), { wallets: made, total: 7, totalPages: 1, currentPage: 1, hasMore: false });
  const second = { wallets: made.slice(3, 6), total: 7, totalPages: 3, currentPage: 2, hasMore: true };
  assert.deepEqual(await list('&page=2&pageSize=3'), second);
  const past = { wallets: [], total: 7, totalPages: 3, currentPage: 4, hasMore: false };
  assert.deepEqual(await list('&page=4&pageSize=3'), past);
  const onBase = made.filter(({ network }) => network === 'base');
  assert.deepEqual((await list('&network=base')).wallets, onBase);
  const bounded = await list(`&from=${made[4]!.createdAt}&to=${made[2]!.createdAt}`);
  assert.deepEqual(bounded.wallets, made.slice(2, 5));
  await remove(made[0]!.id);
  assert.deepEqual((await list('')).wallets, made.slice(1));
  for (const query of ['page=0', 'network=solana', 'name=x', 'from=2026-01-02T00:00Z&to=2026-01-01T00:00Z'])
    assert.equal((await service.get(`/wallets?${query}`)).status, 400, query);
});

test('if wallets have to wait, usableAt says until when; a repeat does not wait again', async () => {
  const patient = await startService({ walletWait: 'PT24H' });
  try {
    const first = await patient.post('/wallets', bodyOf());
    assert.deepEqual(
      [first.json.createdAt, first.json.usableAt],
      ['2026-11-16T12:00:00.000Z', '2026-11-17T12:00:00.000Z'],
    );
    patient.clock.advanceMs(3_600_000);
    assert.equal((await patient.post('/wallets', bodyOf())).text, first.text);
    await patient.send(`/wallets/${first.json.id}`, { method: 'DELETE' });
    // Removing and creating it again does not avoid the wait.
    assert.equal((await patient.post('/wallets', bodyOf())).json.usableAt, '2026-11-17T13:00:00.000Z');
  } finally {
    await patient.stop();
  }
});

test('live creates wallets only for known accounts', async () => {
  const live = await startService({ mode: 'live', rails: sandboxRails });
  try {
    assert.equal((await live.post('/wallets', bodyOf())).status, 201);
    const unknown = await live.post('/wallets', bodyOf({ accountId: 'nobody' }));
    assert.deepEqual([unknown.status, unknown.json.code], [404, 'not_found']);
  } finally {
    await live.stop();
  }
});

test('a waiting time that cannot be read, or is longer than a year, stops the start', () => {
  for (const text of ['24h', 'PT', '-PT1H', 'P367D', 'P2Y'])
    assert.throws(() => readConfig({ TRILHO_WALLET_WAIT: text }), /TRILHO_WALLET_WAIT must be/, text);
  assert.deepEqual(readConfig({ TRILHO_WALLET_WAIT: 'P1Y' }).walletWait, { months: 12, ms: 0 });
});

test('an address with code on its network is accepted with a warning, if a node shows the code', async () => {
  const accountId = newAccount();
  // The simulated networks have code at every address with this end.
  const address = `0x${'1234567890'.repeat(3)}123456c0de`.toLowerCase();
  const made = await create({ accountId, address });
  assert.equal(made.status, 201, made.text);
  assert.deepEqual(
    made.json.warnings.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`),
    ['address is_contract'],
  );
  assert.deepEqual((await service.get(`/wallets/${made.json.id}`)).json, made.json);
  const listed = await service.get(`/wallets?accountId=${encodeURIComponent(accountId)}`);
  assert.deepEqual(listed.json.wallets, [made.json]);
  assert.equal('warnings' in (await create({ accountId, name: 'Other', address: ADDRESS })).json, false);

  await service.post('/sandbox/chains/polygon', { fault: 'rpc_timeout' });
  const unasked = await create({ accountId: newAccount(), address });
  assert.equal(unasked.status, 201, unasked.text);
  assert.equal('warnings' in unasked.json, false);
  await service.post('/sandbox/chains/polygon', { fault: 'none' });
});
