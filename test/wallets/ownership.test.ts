// Ownership of a wallet through HTTP: a challenge that its key signs, or a recorded declaration. ethers and tronweb sign.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Wallet } from 'ethers';
import { TronWeb } from 'tronweb';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { recordingLog } from '../harness/log.ts';
import { orderDriver } from '../harness/orders.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const { log, lines } = recordingLog();
let service: Service;
before(async () => {
  service = await startService({ log });
});
after(() => service.stop());

const tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:1' });
const HOUR_MS = 3_600_000;
const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

let accounts = 0;
type Holder = { readonly id: string; readonly address: string; sign(text: string): Promise<string> };

/** A wallet of a new key, in an account of its own. */
async function holder(network: 'polygon' | 'tron' = 'polygon', at: Service = service): Promise<Holder> {
  const key = Wallet.createRandom();
  const secret = key.privateKey.slice(2);
  const address = network === 'tron' ? String(TronWeb.address.fromPrivateKey(secret)) : key.address;
  const accountId = at === service ? `account ${++accounts}` : 'acme';
  const made = await at.post('/wallets', { accountId, name: 'Mine', network, address });
  assert.equal(made.status, 201, made.text);
  const sign = async (text: string) =>
    network === 'tron' ? tronWeb.trx.signMessageV2(text, secret) : key.signMessage(text);
  return { id: made.json.id, address, sign };
}
const challenge = async ({ id }: { id: string }, at = service): Promise<string> => {
  const asked = await at.post(`/wallets/${id}/challenge`, {});
  assert.equal(asked.status, 201, asked.text);
  return asked.json.message;
};
const prove = ({ id }: { id: string }, signature: string, at = service) =>
  at.post(`/wallets/${id}/proof`, { signature });
const read = async ({ id }: { id: string }) => (await service.get(`/wallets/${id}`)).json;
const codes = ({ json }: Answer) =>
  json.errors?.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`);

for (const network of ['polygon', 'tron'] as const) {
  test(`a wallet on ${network} is proven by a signature of its challenge`, async () => {
    const wallet = await holder(network);
    assert.equal((await read(wallet)).ownership, 'none');
    const asked = await service.post(`/wallets/${wallet.id}/challenge`, {});
    const { message, expiresAt } = asked.json;
    assert.equal(Date.parse(expiresAt) - service.clock.now().getTime(), 24 * HOUR_MS);
    for (const part of ['Trilho', `"account ${accounts}"`, wallet.id, network, wallet.address, expiresAt])
      assert.ok(message.includes(part), part);
    service.clock.advanceMs(HOUR_MS);
    const signature = await wallet.sign(message);
    const proven = await prove(wallet, signature);
    assert.equal(proven.status, 200, proven.text);
    assert.deepEqual([proven.json.ownership, proven.json.ownershipAt], ['proven', service.clock.now().toISOString()]);
    assert.deepEqual(await read(wallet), proven.json);
    const kept = await service.sql('select message, signature, proven_by from wallet_proofs where wallet_id = $1', [
      wallet.id,
    ]);
    assert.deepEqual(kept, [{ message, signature, proven_by: 'sandbox' }]);
  });
}

test('a challenge counts once; the same signature again changes nothing', async () => {
  const wallet = await holder();
  const signature = await wallet.sign(await challenge(wallet));
  const first = await prove(wallet, signature);
  service.clock.advanceMs(HOUR_MS);
  for (const spelling of [signature, signature.slice(2), signature.toUpperCase().replace('0X', '0x')])
    assert.deepEqual((await prove(wallet, spelling)).json, first.json);
  const other = await prove(wallet, await wallet.sign('another text'));
  assert.deepEqual([other.status, other.json.code], [409, 'wrong_state']);
  // A new challenge is a new proof.
  const again = await prove(wallet, await wallet.sign(await challenge(wallet)));
  assert.equal(again.json.ownershipAt, service.clock.now().toISOString());
});

test('of ten equal proofs at once one is recorded and all are answered', async () => {
  const wallet = await holder();
  const signature = await wallet.sign(await challenge(wallet));
  const answers = await Promise.all(Array.from({ length: 10 }, () => prove(wallet, signature)));
  for (const { status, json } of answers) assert.deepEqual([status, json.ownership], [200, 'proven']);
  const kept = await service.sql('select id from wallet_proofs where wallet_id = $1', [wallet.id]);
  assert.equal(kept.length, 1);
});

test('a signature by another key, of another text or for another wallet is refused, and the challenge stays open', async () => {
  const [wallet, other] = [await holder(), await holder()];
  const message = await challenge(wallet);
  const foreign = [
    await other.sign(message),
    await wallet.sign(`${message} `),
    await wallet.sign(await challenge(other)),
  ];
  for (const signature of foreign) {
    const refused = await prove(wallet, signature);
    assert.deepEqual([refused.status, codes(refused)], [400, ['signature other_signer']]);
  }
  assert.equal((await read(wallet)).ownership, 'none');
  assert.equal((await prove(wallet, await wallet.sign(message))).status, 200);
});

test('a replaced challenge is not accepted any more', async () => {
  const wallet = await holder();
  const [first, second] = [await challenge(wallet), await challenge(wallet)];
  assert.notEqual(first, second);
  assert.equal((await prove(wallet, await wallet.sign(first))).status, 400);
  assert.equal((await prove(wallet, await wallet.sign(second))).status, 200);
});

test('a challenge expires after a day', async () => {
  const wallet = await holder();
  const signature = await wallet.sign(await challenge(wallet));
  service.clock.advanceMs(24 * HOUR_MS);
  const late = await prove(wallet, signature);
  assert.deepEqual([late.status, late.json.code], [409, 'wrong_state']);
  assert.match(late.json.detail, /expired/);
  assert.equal((await prove(wallet, await wallet.sign(await challenge(wallet)))).status, 200);
});

test('an invalid signature is a fault of its field, and without a challenge there is nothing to prove', async () => {
  const wallet = await holder();
  for (const signature of ['', '0x', `0x${'0'.repeat(128)}`, 'g'.repeat(130), 5])
    assert.equal((await service.post(`/wallets/${wallet.id}/proof`, { signature })).status, 400, String(signature));
  const unasked = await prove(wallet, await wallet.sign('anything'));
  assert.deepEqual([unasked.status, unasked.json.code], [409, 'wrong_state']);
});

test('the answer for a contract says that it cannot sign; it may be declared', async () => {
  // The simulated networks have code at every address with this end.
  const address = `0x${'1234567890'.repeat(3)}123456c0de`;
  const made = await service.post('/wallets', { accountId: 'safe', name: 'Safe', network: 'polygon', address });
  const refused = await service.post(`/wallets/${made.json.id}/challenge`, {});
  assert.deepEqual([refused.status, refused.json.code], [409, 'wrong_state']);
  assert.match(refused.json.detail, /contract.*declaration/);
  const declared = await service.post(`/wallets/${made.json.id}/declaration`, DECLARATION);
  assert.deepEqual([declared.status, declared.json.ownership], [200, 'declared']);
});

const DECLARATION = {
  holderName: 'Joaquina Pereira',
  holderDocument: '529.982.247-25',
  statement: 'The wallet is mine alone.',
};

test('a declaration is recorded once with its time and its sender, and its contents are never shown', async () => {
  const wallet = await holder();
  const declare = (changes: object = {}) =>
    service.post(`/wallets/${wallet.id}/declaration`, { ...DECLARATION, ...changes });
  const first = await declare();
  const at = service.clock.now();
  assert.deepEqual([first.status, first.json.ownership, first.json.ownershipAt], [200, 'declared', at.toISOString()]);
  service.clock.advanceMs(HOUR_MS);
  assert.deepEqual((await declare()).json, first.json, 'a repeat changes nothing');
  const changed = await declare({ statement: 'It belongs to my company.', holderDocument: undefined });
  assert.equal(changed.json.ownershipAt, service.clock.now().toISOString());
  const kept = await service.sql(
    'select holder_name, holder_document, statement, declared_at, declared_by from wallet_declarations where wallet_id = $1 order by declared_at',
    [wallet.id],
  );
  assert.deepEqual(kept, [
    {
      holder_name: DECLARATION.holderName,
      holder_document: '52998224725',
      statement: DECLARATION.statement,
      declared_at: at,
      declared_by: 'sandbox',
    },
    {
      holder_name: DECLARATION.holderName,
      holder_document: null,
      statement: 'It belongs to my company.',
      declared_at: service.clock.now(),
      declared_by: 'sandbox',
    },
  ]);
  const shown = [
    first,
    changed,
    await service.get(`/wallets/${wallet.id}`),
    await service.get('/wallets?pageSize=100'),
  ];
  const output = [...shown.map(({ text }) => text), ...lines].join('\n');
  for (const secret of ['Joaquina', '52998224725', '529.982', 'mine alone'])
    assert.ok(!output.includes(secret), secret);
});

test('a document with wrong digits is refused and not echoed; every fault is named', async () => {
  const wallet = await holder();
  for (const holderDocument of ['529.982.247-26', '123.', 'AB.123']) {
    const refused = await service.post(`/wallets/${wallet.id}/declaration`, { ...DECLARATION, holderDocument });
    assert.deepEqual([refused.status, codes(refused)], [400, ['holderDocument not_a_document']]);
    assert.ok(!refused.text.includes(holderDocument));
  }
  const both = await service.post(`/wallets/${wallet.id}/declaration`, { holderDocument: '1', statement: ' ' });
  assert.deepEqual(codes(both).toSorted(), ['holderDocument not_a_document', 'holderName required', 'statement blank']);
  const company = await service.post(`/wallets/${wallet.id}/declaration`, {
    ...DECLARATION,
    holderDocument: '11.222.333/0001-81',
  });
  assert.equal(company.status, 200, company.text);
});

test('a proof takes precedence over a declaration, in either order', async () => {
  const wallet = await holder();
  const proven = await prove(wallet, await wallet.sign(await challenge(wallet)));
  service.clock.advanceMs(HOUR_MS);
  const declared = await service.post(`/wallets/${wallet.id}/declaration`, DECLARATION);
  assert.deepEqual(declared.json, proven.json);
});

test('an unknown or removed wallet is not found', async () => {
  const wallet = await holder();
  const message = await challenge(wallet);
  await service.send(`/wallets/${wallet.id}`, { method: 'DELETE' });
  for (const id of [UNKNOWN_ID, wallet.id]) {
    assert.equal((await service.post(`/wallets/${id}/challenge`, {})).status, 404);
    assert.equal((await prove({ id }, await wallet.sign(message))).status, 404);
    assert.equal((await service.post(`/wallets/${id}/declaration`, DECLARATION)).status, 404);
    assert.equal((await service.post(`/wallets/${id}/approve`, {})).status, 404);
  }
});

test('in live the audit log names the key of each act, and a refused one has no line', async () => {
  const live = await startService({ mode: 'live', rails: sandboxRails });
  try {
    const wallet = await holder('polygon', live);
    const proven = await prove(wallet, await wallet.sign(await challenge(wallet, live)), live);
    assert.equal(proven.status, 200);
    await live.post(`/wallets/${wallet.id}/declaration`, DECLARATION);
    await prove(wallet, `0x${'1'.repeat(130)}`, live);
    const written = await live.sql<{ actor: string; action: string }>(
      `select actor, action, at from audit_inbox where object_id = $1
       union all select actor, action, at from audit_log where object_id = $1`,
      [wallet.id],
    );
    assert.deepEqual(written.map(({ action }) => action).toSorted(), [
      'POST /wallets',
      'POST /wallets/:id/challenge',
      'POST /wallets/:id/declaration',
      'POST /wallets/:id/proof',
    ]);
    const [row] = await live.sql<{ created_by: string }>('select created_by from wallets where id = $1', [wallet.id]);
    for (const { actor } of written) assert.equal(actor, row?.created_by);
    assert.match(row?.created_by ?? '', /^key:\w{12}$/);
  } finally {
    await live.stop();
  }
});

/** An order to a new wallet of this holder, at a service with a policy. */
async function ordersAt(
  policy: string,
  work: (strict: Service, wallet: Holder, order: () => Promise<Answer>) => Promise<void>,
) {
  const strict = await startService({ env: { TRILHO_WALLET_PROOF: policy } });
  try {
    const wallet = await holder('polygon', strict);
    const driver = orderDriver(strict);
    await work(strict, wallet, () => driver.order({ walletId: wallet.id }));
  } finally {
    await strict.stop();
  }
}

test('if a proof is required, the refusal of an order to a wallet without one names the next step', () =>
  ordersAt('proven', async (strict, wallet, order) => {
    await strict.post(`/wallets/${wallet.id}/declaration`, DECLARATION);
    const refused = await order();
    assert.deepEqual(
      [refused.status, refused.json.code, codes(refused)],
      [422, 'order_refused', ['walletId not_proven']],
    );
    assert.match(refused.json.detail, /challenge.*proof/);
    assert.deepEqual(await strict.sql('select id from orders'), []);
    await prove(wallet, await wallet.sign(await challenge(wallet, strict)), strict);
    const taken = await order();
    assert.equal(taken.status, 201, taken.text);
  }));

test('if a declaration is required, a declaration or a proof allows orders', () =>
  ordersAt('declared', async (strict, wallet, order) => {
    const refused = await order();
    assert.deepEqual([refused.status, codes(refused)], [422, ['walletId not_declared']]);
    await strict.post(`/wallets/${wallet.id}/declaration`, DECLARATION);
    assert.equal((await order()).status, 201);
    const proven = await holder('polygon', strict);
    await prove(proven, await proven.sign(await challenge(proven, strict)), strict);
    assert.equal((await orderDriver(strict).order({ walletId: proven.id })).status, 201);
  }));
