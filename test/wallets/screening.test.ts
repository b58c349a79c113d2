// Screening through HTTP: a list that changes while the service runs, and an external service.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { Wallet } from 'ethers';
import { walletsCommand } from '../../src/cli/wallets.ts';
import { StartError } from '../../src/lib/errors.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import type { WalletGateDeps } from '../../src/wallets/gate.ts';
import { walletMayBePaid } from '../../src/wallets/gate.ts';
import { openScreening } from '../../src/wallets/screening.ts';
import { runCommand } from '../harness/commands.ts';
import { recordingLog } from '../harness/log.ts';
import { CHARGE_PART } from '../harness/orders.ts';
import { type Receiver, startReceiver } from '../harness/receiver.ts';
import { type Service, startService } from '../harness/service.ts';

const SECRET = 'hunter2-of-screening';
const LISTED = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const folder = mkdtempSync(path.join(tmpdir(), 'trilho-screening-'));
const file = path.join(folder, 'blocked.csv');
const { log, lines } = recordingLog();

const afters: (() => Promise<unknown>)[] = [];
let service: Service;
let db: Database;
let hook: Receiver;
let gate: WalletGateDeps;
let env: Record<string, string>;
before(async () => {
  put();
  hook = await startReceiver({ after: step => void afters.push(async () => step()) });
  env = { TRILHO_SCREENING_FILE: file, TRILHO_SCREENING_URL: hook.url, TRILHO_SCREENING_SECRET: SECRET };
  service = await startService({ env, log });
  db = openDatabase({ connection: { connectionString: service.databaseUrl }, log });
  const settings = { file, hook: { url: hook.url, secret: SECRET } };
  const { clock } = service;
  const walletPolicy = { proof: 'off', approval: false } as const;
  gate = {
    db,
    clock,
    log,
    walletPolicy,
    approvalRules: [],
    screening: await openScreening({ db, clock, log }, settings),
  };
});
after(async () => {
  await db.close();
  await service.stop();
  for (const step of afters) await step();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  put();
  says({ result: 'clear' });
});

/** Replaces the list as an operator should: at once, by a rename. */
function put(...addresses: string[]): string {
  const text = ['# date: 2026-11-01', LISTED, ...addresses, ''].join('\n');
  writeFileSync(`${file}.new`, text);
  renameSync(`${file}.new`, file);
  return createHash('sha256').update(text).digest('hex');
}
const answering =
  (body: unknown, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
const says = (body: unknown, status = 200) => hook.behave(answering(body, status));

const newAddress = () => Wallet.createRandom().address;
const make = (address: string, network = 'polygon') =>
  service.post('/wallets', { accountId: 'acme', name: address, network, address });
async function made(address = newAddress()): Promise<string> {
  const { status, json, text } = await make(address);
  assert.equal(status, 201, text);
  return json.id;
}
/** Without the driver, which would create a wallet of its own first. */
const order = (walletId: string) =>
  service.post('/crypto/transactions', {
    accountId: 'acme',
    walletId,
    symbol: 'usdt',
    network: 'polygon',
    currency: 'BRL',
    cost: 541,
    settlementSchedule: 'D0',
    charge: CHARGE_PART,
  });
const recordsOf = (address: string) =>
  service.sql(
    `select source, result, list_digest as digest, to_char(list_date, 'YYYY-MM-DD') as date, words
       from address_screenings where address = $1 order by source desc, result`,
    [address],
  );
/** All that a caller may learn of a hit. */
function assertBlocked({ status, json, text }: { status: number; json: { code: string }; text: string }): void {
  assert.deepEqual([status, json.code], [422, 'wallet_blocked'], text);
  assert.doesNotMatch(text, /list|screen|sanction|2026-11-01|terror/i);
}

test('a listed address gets no wallet, on any EVM network, and the list that decided is recorded', async () => {
  for (const address of [LISTED, LISTED.toLowerCase()]) assertBlocked(await make(address));
  assertBlocked(await make(LISTED, 'base'));
  assert.deepEqual(await service.sql('select from wallets where address = $1', [LISTED]), []);
  const digest = put();
  const rows = await recordsOf(LISTED);
  assert.deepEqual(rows, [
    { source: 'list', result: 'hit', digest, date: '2026-11-01', words: null },
    { source: 'list', result: 'hit', digest, date: '2026-11-01', words: null },
  ]);
  assert.ok(!lines.join('\n').includes(LISTED));
});

test('an address that is listed later is refused for orders without a restart, and accepted again once it is removed', async () => {
  const address = newAddress();
  const id = await made(address);
  const digest = put(address);
  assertBlocked(await order(id));
  assert.deepEqual(await walletMayBePaid(gate, id), {
    kind: 'refused',
    reason: 'blocked',
    message: 'The address of the wallet is blocked.',
  });
  assert.ok((await recordsOf(address)).some(row => row['digest'] === digest && row['result'] === 'hit'));
  put();
  const taken = await order(id);
  assert.equal(taken.status, 201, taken.text);
});

test('while the list cannot be read its last entries apply, orders are accepted and payouts wait', async () => {
  const [listed, clear] = [newAddress(), newAddress()];
  const [listedId, clearId] = [await made(listed), await made(clear)];
  const digest = put(listed);
  assertBlocked(await order(listedId));
  await walletMayBePaid(gate, clearId);
  for (const breakIt of [() => writeFileSync(file, '# date: soon\n'), () => rmSync(file)]) {
    breakIt();
    assertBlocked(await order(listedId));
    assert.equal((await order(clearId)).status, 201);
    assert.deepEqual(await walletMayBePaid(gate, clearId), {
      kind: 'unknown',
      message: 'Screening by list has no answer now.',
    });
  }
  put(listed);
  assert.deepEqual(await walletMayBePaid(gate, clearId), { kind: 'payable', list: { digest, date: '2026-11-01' } });
});

test('the service is asked about a new wallet and before a payout, with the secret, and not about an order', async () => {
  const address = newAddress();
  const before = hook.received.length;
  const id = await made(address);
  const [asked] = hook.received.slice(before);
  assert.deepEqual([asked?.path, asked?.json], ['/hook', { network: 'polygon', address }]);
  assert.equal(asked?.headers.authorization, `Bearer ${SECRET}`);
  await order(id);
  assert.equal(hook.received.length, before + 1);
  assert.equal((await walletMayBePaid(gate, id)).kind, 'payable');
  assert.equal(hook.received.length, before + 2);
  assert.ok(!lines.join('\n').includes(SECRET));
});

test('a hit of the service refuses a new wallet, and orders to one that it had cleared', async () => {
  says({ result: 'hit', words: 'terror financing' });
  const address = newAddress();
  assertBlocked(await make(address));
  const [row] = await recordsOf(address).then(rows => rows.filter(({ source }) => source === 'hook'));
  assert.deepEqual([row?.['result'], row?.['digest'], row?.['words']], ['hit', '', 'terror financing']);
  says({ result: 'clear' });
  const id = await made();
  says({ result: 'hit' });
  assert.equal((await order(id)).status, 201, 'an order does not ask');
  service.clock.advanceMs(1_000);
  assert.equal((await walletMayBePaid(gate, id)).kind, 'refused');
  assertBlocked(await order(id));
  // An address that was cleared again counts as clear.
  says({ result: 'clear' });
  service.clock.advanceMs(1_000);
  assert.equal((await walletMayBePaid(gate, id)).kind, 'payable');
  assert.equal((await order(id)).status, 201);
});

test('any unclear answer is unknown: wallets are created, payouts wait, and the answer is not logged', async () => {
  const id = await made();
  const others: [string, Parameters<Receiver['behave']>[0]][] = [
    ['unknown', answering({ result: 'unknown' })],
    ['another word', answering({ result: 'fine' })],
    ['no object', answering('clear')],
    ['no JSON', response => void response.writeHead(200).end('{"result":"clear"')],
    ['an error', answering({ result: 'clear' }, 500)],
    [
      'a redirect',
      (response, { path: asked }) =>
        asked.endsWith('/elsewhere')
          ? void response.writeHead(200).end('{"result":"clear"}')
          : void response.writeHead(307, { location: `${hook.url}/elsewhere` }).end(),
    ],
    ['too long', answering({ result: 'clear', words: 'x'.repeat(20_000) })],
    ['a lost connection', response => void response.destroy()],
  ];
  for (const [name, manner] of others) {
    hook.behave(manner);
    assert.deepEqual(
      await walletMayBePaid(gate, id),
      { kind: 'unknown', message: 'Screening by hook has no answer now.' },
      name,
    );
    assert.ok(await made(), name);
  }
  assert.ok(!lines.join('\n').includes(SECRET));
});

test('an address on the list is not sent to the service', async () => {
  const before = hook.received.length;
  assertBlocked(await make(LISTED));
  assert.equal(hook.received.length, before);
});

test('a wallet that was removed, lacks a proof or does not exist is checked before a payout', async () => {
  const id = await made();
  await service.send(`/wallets/${id}`, { method: 'DELETE' });
  assert.equal((await walletMayBePaid(gate, id)).kind, 'payable', 'orders to a removed wallet continue');
  const strict = { ...gate, walletPolicy: { proof: 'proven', approval: true } } as const;
  const refused = await walletMayBePaid(strict, id);
  assert.ok(refused.kind === 'refused' && refused.reason === 'not_approved', JSON.stringify(refused));
  const none = await walletMayBePaid(gate, '019a7f00-1c44-7a0b-8e5d-3f2b1a0c9d87');
  assert.ok(none.kind === 'refused' && none.reason === 'unknown_wallet');
});

test('the command prints which list and service are used, and their results', async () => {
  assertBlocked(await make(LISTED));
  const digest = put();
  const { said } = await runCommand(walletsCommand, { ...env, DATABASE_URL: service.databaseUrl }, ['screening']);
  assert.match(said, new RegExp(`^list {5}1 addresses, 2026-11-01, sha256 ${digest}$`, 'm'));
  assert.match(said, new RegExp(`^service {2}${new URL(hook.url).origin}$`, 'm'));
  assert.match(
    said,
    new RegExp(`^hit {2}polygon {2}${LISTED} {2}first \\S+Z {2}last \\S+Z {2}list of 2026-11-01 ${digest}$`, 'm'),
  );
  assert.ok(!said.includes(SECRET));
  const none = await runCommand(walletsCommand, { DATABASE_URL: service.databaseUrl }, ['screening']);
  assert.match(
    none.said,
    /^list {5}not configured; set TRILHO_SCREENING_FILE\nservice {2}not configured; set TRILHO_SCREENING_URL/,
  );
});

test('a list that cannot be read at the start stops it with a sentence that names the setting', async () => {
  const missing = path.join(folder, 'missing.csv');
  const empty = path.join(folder, 'empty.csv');
  writeFileSync(empty, '# nothing\n');
  for (const [given, message] of [
    [missing, /^TRILHO_SCREENING_FILE: the file cannot be read \(ENOENT\)\.$/],
    [empty, /^TRILHO_SCREENING_FILE: the file has no address of a supported network\.$/],
  ] as const) {
    await assert.rejects(
      startService({ beside: service, env: { TRILHO_SCREENING_FILE: given } }),
      (error: unknown) => error instanceof StartError && message.test(error.message),
    );
  }
});
