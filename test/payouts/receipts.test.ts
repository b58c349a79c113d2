// Signed receipts of payouts: their contents, who may read them, and that anyone can verify them and no one can change them.
import assert from 'node:assert/strict';
import { createHash, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { receiptCommand } from '../../src/cli/receipt.ts';
import { StartError } from '../../src/lib/errors.ts';
import { keyIdOf, publicKeyFrom, receiptKeyOf } from '../../src/payouts/receipts/receipt-key.ts';
import { runCommand } from '../harness/commands.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { openDrill } from '../harness/payout-drill/drill.ts';
import { startPayoutService } from '../harness/payout-service.ts';
import { ownFolder, PROJECT, runToEnd } from '../harness/process.ts';
import { scaled } from '../harness/scale.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';
import { USDT } from '../harness/tron.ts';

const TRILHO = join(PROJECT, 'bin/trilho.js');
const UNKNOWN_ID = '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87';

let service: Service;
let orders: OrderDriver;
let final: Answer;
let folder: string;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'trilho-receipts-'));
  service = await startService();
  orders = orderDriver(service);
  final = await paid('polygon');
  await orders.advance('PT1H');
});
after(async () => {
  await service.stop();
  rmSync(folder, { recursive: true });
});

async function paid(network: string): Promise<Answer> {
  const order = await orders.order({ network });
  await orders.pay(order);
  await service.runJobs();
  return order;
}
const receiptOf = async (order: Answer, of = service) =>
  (await of.get(`/crypto/transactions/${order.json.transactionId}/receipt`)).json;

type Document = { receipt: Record<string, unknown>; signature: Record<string, string> };

/** Implemented here, so that the code under test does not verify itself. The fields of a receipt are plain ASCII. */
function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`).join(',')}}`;
}

function fileOf(text: string): string {
  const path = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.json`);
  writeFileSync(path, text);
  return path;
}
/** Without a database: a receipt is verified by itself. */
const verifying = (text: string, ...more: string[]) =>
  runCommand(receiptCommand, { DATABASE_URL: 'postgres://127.0.0.1:1/none' }, ['verify', fileOf(text), ...more]);

test('a final payout has a receipt, the same for its order and its payout at any time', async () => {
  const payout = (await service.get(`/payouts/${final.json.transactionId}`)).json;
  const document: Document = await receiptOf(final);
  const { receipt, signature } = document;
  const { transactionId, accountId, quantity, sender, destination, hash, block, networkFee } = payout;
  assert.deepEqual(receipt, {
    type: 'trilho.payout_receipt.1',
    mode: 'sandbox',
    payoutId: payout.id,
    transactionId,
    accountId,
    network: 'polygon',
    isTest: true,
    symbol: 'usdt',
    token: '0xc2132D05D31c914a87C6611C10748AEb04B58e8F',
    quantity,
    sender,
    destination,
    hash,
    block,
    networkFee,
    sentAt: payout.createdAt,
    finalAt: payout.updatedAt,
  });
  assert.equal(quantity, '100');
  await orders.advance('P1D');
  assert.deepEqual((await service.get(`/payouts/${payout.id}/receipt`)).json, document);
  const { keys } = (await service.get('/receipts/keys')).json;
  assert.deepEqual(
    keys.map(({ id, publicKey }: Record<string, string>) => ({ id, publicKey })),
    [{ id: signature['keyId'], publicKey: signature['publicKey'] }],
  );
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: signature['publicKey'] ?? '' },
    format: 'jwk',
  });
  const value = Buffer.from(signature['value'] ?? '', 'base64url');
  assert.ok(verify(null, Buffer.from(canonical(receipt)), key, value));
});

test('it has the time at which the transfer was first given to a node, not that of its slot', async () => {
  let isSigning = false;
  const slow = await startPayoutService(chain => ({
    ...chain,
    sign: async (...asked) => (isSigning ? chain.sign(...asked) : { kind: 'unknown' }),
  }));
  try {
    const order = await slow.paid();
    const { createdAt } = (await slow.service.get(`/payouts/${order.json.transactionId}`)).json;
    await slow.orders.advance('PT7M');
    isSigning = true;
    await slow.orders.advance('PT1H');
    const [attempt] = await slow.service.sql<{ created_at: Date }>('select created_at from payout_attempts');
    const sentAt: string = (await receiptOf(order, slow.service)).receipt.sentAt;
    assert.equal(sentAt, attempt?.created_at.toISOString());
    assert.ok(new Date(sentAt).getTime() >= new Date(createdAt).getTime() + 7 * 60_000);
  } finally {
    await slow.stop();
  }
});

for (const name of (['tron', 'evm'] as const).slice(0, scaled(2))) {
  test(`on ${name} it names the chain and the contract that were used`, async () => {
    const drill = await openDrill(name, 7, 1);
    try {
      const [order] = await drill.pay(1);
      await drill.runJobs();
      await drill.rest();
      const { receipt } = (await drill.service.get(`/crypto/transactions/${order?.id}/receipt`)).json;
      const { spec } = drill.world;
      // The node of Tron has the genesis block of the main network.
      const place = { chainId: receipt.chainId, token: receipt.token.toLowerCase(), isTest: receipt.isTest };
      assert.deepEqual(
        place,
        spec.kind === 'evm'
          ? { chainId: spec.chainId, token: spec.token, isTest: true }
          : { chainId: undefined, token: USDT.toLowerCase(), isTest: false },
      );
    } finally {
      await drill.close();
    }
  });
}

test('it can be verified with wrong settings, and one of a test network in live is marked', async t => {
  const directory = await ownFolder(t);
  const document: Document = await receiptOf(final);
  const env = { PORT: 'x', TRILHO_MODE: 'neither' };
  const run = (text: string) =>
    runToEnd({ folder: directory, env, command: [process.execPath, TRILHO, 'receipt', 'verify', fileOf(text)] });
  const { code, stdout, stderr } = await run(JSON.stringify(document));
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /^Valid: /m);
  const { privateKey } = generateKeyPairSync('ed25519');
  const { id: keyId, publicKey } = receiptKeyOf(privateKey);
  const receipt = { ...document.receipt, mode: 'live' };
  const value = sign(null, Buffer.from(canonical(receipt)), privateKey).toString('base64url');
  const live = await run(JSON.stringify({ receipt, signature: { algorithm: 'Ed25519', keyId, publicKey, value } }));
  assert.match(live.stdout, /^It is from a test network: its tokens are worth nothing\.$/m);
});

test('the id of a key is its thumbprint (RFC 8037, A.3)', () => {
  const key = publicKeyFrom('11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo');
  assert.ok(key);
  assert.equal(keyIdOf(key), 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
});

test('a payout that is not final, failed or does not exist has no receipt', async () => {
  const done = await paid('ethereum');
  const open = await service.get(`/crypto/transactions/${done.json.transactionId}/receipt`);
  assert.equal(open.status, 409);
  assert.match(open.json.detail, /not final yet/);
  await orders.fault('base', { fault: 'reverting' });
  const reverted = await orders.order({ network: 'base', symbol: 'usdc' });
  const early = await service.get(`/crypto/transactions/${reverted.json.transactionId}/receipt`);
  assert.deepEqual([early.status, early.json.detail], [409, 'This order has no payout yet.']);
  await orders.pay(reverted);
  await service.runJobs();
  await orders.advance('PT2H');
  await orders.fault('base', { fault: 'none' });
  const failed = await service.get(`/payouts/${reverted.json.transactionId}/receipt`);
  assert.deepEqual([failed.status, failed.json.detail], [409, 'This payout is reverted and has no receipt.']);
  for (const path of [`/payouts/${UNKNOWN_ID}/receipt`, `/crypto/transactions/${UNKNOWN_ID}/receipt`]) {
    assert.equal((await service.get(path)).status, 404, path);
  }
});

test('the command prints the same receipt and verifies it without a database', async () => {
  const env = { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' };
  const { said } = await runCommand(receiptCommand, env, ['get', final.json.transactionId]);
  const document = await receiptOf(final);
  assert.deepEqual(JSON.parse(said), document);
  for (const text of [said, JSON.stringify(document)]) {
    const { code, said: message } = await verifying(text);
    assert.equal(code, 0, message);
    assert.match(message, /^quantity {2}100$/m);
    assert.match(message, /^block\.number {2}\d+$/m);
    assert.match(message, /^Valid: .*Compare that with the keys at \/receipts\/keys/m);
    assert.match(message, /^It is from a sandbox: no real money moved\.$/m);
  }
  assert.equal((await verifying(said, '--key', document.signature.keyId)).code, 0);
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(runCommand(receiptCommand, env, ['get', UNKNOWN_ID]), refused(/There is no payout of 019a7f00/));
  await assert.rejects(runCommand(receiptCommand, env, ['get', 'x']), refused(/must be a UUID, not "x"/));
  await assert.rejects(runCommand(receiptCommand, env, ['verify', join(folder, 'none')]), refused(/\(ENOENT\)\.$/));
  await assert.rejects(verifying(said, '--key', 'short'), refused(/--key must be the id of a key/));
  // One id in 64 begins with a hyphen. This one differs from any key's.
  assert.equal((await verifying(said, '--key', `-A${document.signature.keyId.slice(3)}A`)).code, 1);
});

/** Every text and number of a document, by its path. */
function leaves(value: object, path: readonly string[] = []): string[][] {
  return Object.entries(value).flatMap(([name, field]) =>
    typeof field === 'object' && field !== null ? leaves(field, [...path, name]) : [[...path, name]],
  );
}

function changedAt(document: Document, path: readonly string[]): Document {
  const copy = structuredClone(document);
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<object>((at, name) => Reflect.get(at, name), copy);
  const value: unknown = Reflect.get(holder, last);
  Reflect.set(holder, last, typeof value === 'number' ? value + 1 : `${String(value)}1`);
  return copy;
}

test('a receipt that was changed anywhere is not valid', async () => {
  const document: Document = await receiptOf(final);
  const paths = leaves(document);
  assert.equal(paths.length, 23);
  for (const path of paths) {
    const { code, said } = await verifying(JSON.stringify(changedAt(document, path)));
    assert.deepEqual([code, said.startsWith('NOT VALID: ')], [1, true], `${path.join('.')} ${said}`);
  }
  const { said } = await verifying(JSON.stringify(changedAt(document, ['receipt', 'quantity'])));
  assert.equal(said, 'NOT VALID: it was changed after it was signed.');
  const { transactionId: _, ...fewer } = document.receipt;
  const whole = JSON.stringify(document);
  const others: [string, RegExp][] = [
    [JSON.stringify({ ...document, receipt: fewer }), /changed after/],
    [JSON.stringify({ ...document, receipt: { ...document.receipt, more: 'x' } }), /changed after/],
    [JSON.stringify({ ...document, note: 'paid twice' }), /other fields/],
    [whole.replace('"quantity":"100"', '"quantity":"900","quantity":"100"'), /a field twice/],
    [JSON.stringify({ receipt: document.receipt }), /other fields/],
    [JSON.stringify({ ...document, receipt: { ...document.receipt, block: 0.5 } }), /a number/],
    [JSON.stringify(document.receipt), /not the receipt/],
    ['[]', /not a JSON object/],
    ['', /not a JSON object/],
  ];
  for (const [text, message] of others) {
    const answer = await verifying(text);
    assert.equal(answer.code, 1, text);
    assert.match(answer.said, message, text);
  }
});

test('the refusal of a receipt before its payout is final is not taken for a receipt, and its reason is shown', async () => {
  const detail = 'This payout is not final yet; it has a receipt once no block can undo it.';
  const { code, said } = await verifying(JSON.stringify({ type: '/problems/wrong_state', status: 409, detail }));
  assert.deepEqual([code, said], [1, `NO RECEIPT: the service answered: ${detail}`]);
});

test('a receipt that another key signed is reported as such, and refused with --key', async () => {
  const document: Document = await receiptOf(final);
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const receipt = { ...document.receipt, quantity: '900' };
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const signature = {
    algorithm: 'Ed25519',
    keyId: keyIdOf(publicKey),
    publicKey: x,
    value: sign(null, Buffer.from(canonical(receipt)), privateKey).toString('base64url'),
  };
  const forged = JSON.stringify({ receipt, signature });
  assert.match((await verifying(forged)).said, new RegExp(signature.keyId));
  const { code, said } = await verifying(forged, '--key', document.signature['keyId'] ?? '');
  assert.deepEqual([code, said], [1, `NOT VALID: it is signed by another key, ${signature.keyId}.`]);
});

test('all nodes sign with one key; a key file replaces it, and both keys stay published', async () => {
  const { signature } = await receiptOf(final);
  const keyFile = join(folder, 'key.pem');
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  writeFileSync(keyFile, privateKey.export({ format: 'pem', type: 'pkcs8' }));
  const beside = await startService({ beside: service });
  const withFile = await startService({
    beside: service,
    env: { TRILHO_PAYOUTS: JSON.stringify({ receipts: { keyFile } }) },
  });
  try {
    assert.equal((await receiptOf(final, beside)).signature.keyId, signature.keyId);
    const other = await receiptOf(final, withFile);
    assert.equal(other.signature.keyId, keyIdOf(publicKey));
    assert.equal((await verifying(JSON.stringify(other), '--key', keyIdOf(publicKey))).code, 0);
    const { keys } = (await service.get('/receipts/keys')).json;
    const ids = keys.map(({ id }: { id: string }) => id);
    assert.deepEqual(new Set(ids), new Set([signature.keyId, keyIdOf(publicKey)]));
    const [row] = await service.sql<{ count: number }>(
      'select count(*)::int as count from receipt_keys where private_key is not null',
    );
    assert.equal(row?.count, 1, 'the key of a file stays in the file');
  } finally {
    await beside.stop();
    await withFile.stop();
  }
});

test('nodes that start at the same time on a new database share one key', async () => {
  const first = await startService();
  try {
    await first.sql('delete from receipt_keys');
    const nodes = await Promise.all([1, 2, 3].map(() => startService({ beside: first })));
    const keys = await first.sql('select id from receipt_keys');
    assert.equal(keys.length, 1);
    for (const node of nodes) await node.stop();
  } finally {
    await first.stop();
  }
});

test('a start with an invalid key file is refused and names the setting', async () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
  const files: [string, RegExp][] = [
    [join(folder, 'missing.pem'), /^payouts\.receipts\.keyFile: the file cannot be read \(ENOENT\)\.$/],
    [fileOf('not a key'), /^payouts\.receipts\.keyFile: the file must hold a private key of Ed25519/],
    [
      fileOf(rsa.export({ format: 'pem', type: 'pkcs8' }).toString()),
      /^payouts\.receipts\.keyFile: the file must hold/,
    ],
  ];
  for (const [keyFile, message] of files) {
    const env = { TRILHO_PAYOUTS: JSON.stringify({ receipts: { keyFile } }) };
    await assert.rejects(
      startService({ beside: service, env }),
      (error: unknown) => error instanceof StartError && message.test(error.message),
    );
  }
});

test('an account can read receipts only of its own orders; the keys are public', async () => {
  const live = await startService({ mode: 'live' });
  try {
    const key = await live.makeKey('acme', ['transactions:read']);
    const headers = { authorization: `Bearer ${key.text}` };
    assert.equal((await live.get(`/crypto/transactions/${UNKNOWN_ID}/receipt`, headers)).status, 404);
    assert.equal((await live.get(`/payouts/${UNKNOWN_ID}/receipt`, headers)).status, 403);
    assert.equal((await fetch(`${live.url}/receipts/keys`)).status, 200);
  } finally {
    await live.stop();
  }
});
