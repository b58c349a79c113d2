// Top-ups: coin of one sender goes to another, once, under the policy of payouts, and is in the books.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Chain, Funds } from '../../src/chains/chain.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { ORDER_RECORDS } from '../../src/orders/payout-owner.ts';
import { compareSender } from '../../src/payouts/compare/chain.ts';
import { openLimits } from '../../src/payouts/policy/limits.ts';
import { sandboxSender } from '../../src/sandbox/chains/simulated-chain.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { runCommand } from '../harness/commands.ts';
import { silentLog } from '../harness/log.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import type { Answer, Service } from '../harness/service.ts';

const FROM = sandboxSender('polygon');
/** A former sender, for which the settings have only the address. */
const FORMER = '0x52908400098527886E0F7030069857D2E4169EE7';
const TO = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const env = {
  TRILHO_PAYOUTS: JSON.stringify({
    limits: [
      { symbol: 'pol', perPayout: '100', perDay: '150' },
      { symbol: 'eth', network: 'base', approvalAbove: '1' },
    ],
  }),
};

let funds: Funds | undefined;
let dies: keyof Chain | undefined;
let chain: Chain;
let sandbox: PayoutService;
let service: Service;
before(async () => {
  sandbox = await startPayoutService(
    simulated => {
      if (simulated.network !== 'polygon') return simulated;
      chain = {
        ...simulated,
        canSign: sender => sender !== FORMER,
        funds: async (...asked) => funds ?? (await simulated.funds(...asked)),
        sign: async (...asked) => survived('sign', await simulated.sign(...asked)),
        broadcast: async attempt => survived('broadcast', await simulated.broadcast(attempt)),
        lookup: async (...asked) => survived('lookup', await simulated.lookup(...asked)),
      };
      return chain;
    },
    network => (network === 'polygon' ? [sandboxSender(network), TO, FORMER] : [sandboxSender(network), TO]),
    env,
  );
  ({ service } = sandbox);
});
after(() => sandbox.stop());
beforeEach(() => {
  [funds, dies] = [undefined, undefined];
});

/** The step is done, and its process dies before it can write anything. */
function survived<T>(step: keyof Chain, result: T): T {
  if (dies !== step) return result;
  dies = undefined;
  throw new Error('killed');
}

const topUp = (changes: Record<string, unknown> = {}, headers: Record<string, string> = {}): Promise<Answer> =>
  service.post('/payouts/top-ups', { network: 'polygon', from: FROM, to: TO, quantity: '1', ...changes }, headers);
async function settle({ json }: Answer) {
  await sandbox.orders.advance('PT2H');
  return (await service.get(`/payouts/${json.payoutId}`)).json;
}
const aDayLater = () => sandbox.orders.advance('P1D');

test('coin goes from one sender to another as one payout, with ledger entries, a receipt and an audit line', async () => {
  const before = await sandbox.transfers('polygon');
  const made = await topUp({ quantity: '5', to: TO.toLowerCase() });
  assert.equal(made.status, 201, made.text);
  const { state, symbol, quantity, from, to } = made.json;
  assert.deepEqual([state, symbol, quantity, from, to], ['sent', 'pol', '5', FROM, TO]);
  const settled = await settle(made);
  assert.deepEqual(
    [settled.purpose, settled.accountId, settled.state, settled.symbol, settled.sender, settled.destination],
    ['top_up', 'operator', 'final', 'pol', FROM, TO],
  );
  assert.equal(await sandbox.transfers('polygon'), before + 1);
  const { entries } = (await service.get('/ledger/entries?accountId=operator')).json;
  const entry = entries.find(({ kind }: { kind: string }) => kind === 'top_up');
  assert.deepEqual(entry.lines, [
    { book: 'own_senders', currency: 'pol.polygon', amount: '5' },
    { book: 'crypto_paid', currency: 'pol.polygon', amount: '-5' },
  ]);
  assert.ok(entries.some(({ kind }: { kind: string }) => kind === 'network_fee'));
  assert.deepEqual(await sandbox.differences(), []);
  const { receipt } = (await service.get(`/payouts/${settled.id}/receipt`)).json;
  assert.deepEqual([receipt.quantity, receipt.symbol, receipt.destination], ['5', 'pol', TO]);
  const audited = await service.sql<{ action: string }>(
    `select action from audit_inbox where object_id = $1 union select action from audit_log where object_id = $1`,
    [made.json.id],
  );
  assert.deepEqual(audited, [{ action: 'POST /payouts/top-ups' }]);
  assert.equal((await service.get(`/payouts/top-ups/${made.json.id}`)).json.payoutId, settled.id);
});

test('the comparison with the chain recognises a top-up, which hides nothing that left', async () => {
  const db = openDatabase({
    connection: { connectionString: service.databaseUrl },
    log: silentLog,
    maxConnections: 2,
  });
  try {
    const [{ block } = { block: 0 }] = await service.sql<{ block: number }>(
      `select max(block_number)::int as block from payouts where is_top_up`,
    );
    const held = { units: 10n ** 18n, block };
    const balance = async (_: string, asset: string) => (asset === 'coin' ? held : { units: 0n, block: held.block });
    const watched = { ...chain, balance };
    await compareSender({ db, payoutOwner: ORDER_RECORDS }, watched, TO);
    const payout = await settle(await topUp({ quantity: '2' }));
    [held.units, held.block] = [3n * 10n ** 18n, payout.block.number];
    const right = await compareSender({ db, payoutOwner: ORDER_RECORDS }, watched, TO);
    assert.deepEqual([right.differences, right.notes.filter(note => note.includes('came in'))], [[], []]);
    const second = await settle(await topUp({ quantity: '2' }));
    [held.units, held.block] = [4n * 10n ** 18n, second.block.number];
    const { differences } = await compareSender({ db, payoutOwner: ORDER_RECORDS }, watched, TO);
    assert.equal(differences.length, 1);
    assert.match(differences[0]!, /^1 pol left between the blocks/);
  } finally {
    await db.close();
  }
});

test('two requests with one key, also at once, send once; another request under it is refused', async () => {
  await aDayLater();
  const before = await sandbox.transfers('polygon');
  const headers = { 'idempotency-key': 'monday' };
  const answers = await Promise.all([topUp({}, headers), topUp({}, headers), topUp({}, headers)]);
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [201]);
  assert.equal(new Set(answers.map(({ json }) => json.payoutId)).size, 1);
  assert.equal((await settle(answers[0]!)).state, 'final');
  const again = await topUp({}, headers);
  assert.deepEqual(
    [again.json.payoutId, again.headers.get('idempotent-replayed')],
    [answers[0]?.json.payoutId, 'true'],
  );
  assert.equal(await sandbox.transfers('polygon'), before + 1);
  const other = await topUp({ quantity: '2' }, headers);
  assert.deepEqual([other.status, other.json.code], [422, 'idempotency_key_reused']);
});

test('without a key a second one waits for the first, and only senders of the service are accepted', async () => {
  await sandbox.orders.fault('polygon', { fault: 'stalled' });
  const first = await topUp();
  const second = await topUp();
  assert.match(second.json.detail, new RegExp(`A top-up of ${TO} is on its way: ${first.json.payoutId}`));
  await sandbox.orders.fault('polygon', { fault: 'none' });
  assert.equal((await settle(first)).state, 'final');
  const stranger = '0xde709f2102306220921060314715629080e2fb77';
  for (const [changes, path] of [
    [{ to: stranger }, 'to'],
    [{ from: stranger }, 'from'],
    [{ to: FROM }, 'to'],
    [{ from: FORMER }, 'from'],
    [{ quantity: '0' }, 'quantity'],
    [{ quantity: '1e3' }, 'quantity'],
  ] as const) {
    const { status, json } = await topUp(changes);
    assert.deepEqual([status, json.errors[0].path], [400, path]);
  }
});

test('a pause, a block, a halt and the needs of others stop it, and nothing is written', async () => {
  await aDayLater();
  const count = async () => (await service.sql<{ n: number }>('select count(*)::int as n from top_ups'))[0]?.n;
  const before = await count();
  await service.post('/payouts/pause', { network: 'polygon' });
  assert.match((await topUp()).json.detail, /Payouts on polygon are paused/);
  await service.post('/payouts/resume', { network: 'polygon' });
  funds = { asset: 10n ** 18n, coin: 10n ** 18n, worstFee: 10n ** 16n };
  assert.match((await topUp()).json.detail, /The sender has 1 pol; after payouts and fees, 0\.\d+ pol can be spared/);
  funds = undefined;
  await service.sql(`update chain_senders set halted_at = now() where network = 'polygon' and sender = $1`, [FROM]);
  assert.match((await topUp()).json.detail, /halted/);
  await service.sql(`update chain_senders set halted_at = null where network = 'polygon'`);
  assert.equal(await count(), before);
});

test('limits of the coin apply: separate ones for 24 hours, and an approval above one payout, which then sends it', async () => {
  await aDayLater();
  await settle(await topUp({ quantity: '90' }));
  const over = await topUp({ quantity: '70' });
  assert.deepEqual([over.status, over.json.detail], [409, '150 pol may be topped up in 24 hours, and 90 pol was.']);
  await aDayLater();
  const waiting = await topUp({ quantity: '120' });
  assert.deepEqual([waiting.json.state, waiting.json.payoutId], ['approval_needed', undefined]);
  const { topUps } = (await service.get('/payouts/top-ups')).json;
  assert.deepEqual(
    topUps.map(({ id }: { id: string }) => id),
    [waiting.json.id],
  );
  const page = await fetch(`${service.url}/dashboard/payouts/top-ups`);
  assert.match(await page.text(), /120/);
  // A sandbox has one caller.
  const approved = await service.post(`/payouts/top-ups/${waiting.json.id}/approve`, {});
  assert.deepEqual([approved.status, approved.json.state], [200, 'sent'], approved.text);
  assert.equal((await settle(approved)).state, 'final');
  const late = await topUp({ network: 'base', from: sandboxSender('base'), quantity: '2' });
  await aDayLater();
  const lapsed = await service.post(`/payouts/top-ups/${late.json.id}/approve`, {});
  assert.deepEqual(
    [lapsed.status, (await service.get(`/payouts/top-ups/${late.json.id}`)).json.state],
    [409, 'lapsed'],
  );
  assert.throws(() => openLimits([{ symbol: 'pol', lowFunds: '1' }]), /lowFunds is for an asset that can be bought/);
  assert.throws(() => openLimits([{ symbol: 'bnb', network: 'tron' }]), /must be one that has bnb: bsc/);
});

for (const step of ['sign', 'broadcast', 'lookup'] as const) {
  test(`killed after ${step}, the top-up is sent once`, async () => {
    await aDayLater();
    const before = await sandbox.transfers('polygon');
    dies = step;
    const made = await topUp({ quantity: '7' });
    await service.runJobs();
    const settled = await settle(made);
    assert.equal(dies, undefined, 'the step was reached');
    assert.equal(settled.state, 'final');
    assert.equal(await sandbox.transfers('polygon'), before + 1);
    assert.deepEqual(await sandbox.differences(), []);
  });
}

test('with a pause after the slot was taken nothing is signed, and the top-up is given up', async () => {
  await aDayLater();
  const before = await sandbox.transfers('polygon');
  const made = await topUp();
  await service.post('/payouts/pause', { network: 'polygon' });
  assert.equal((await settle(made)).state, 'voided');
  await service.post('/payouts/resume', { network: 'polygon' });
  assert.equal(await sandbox.transfers('polygon'), before);
  assert.deepEqual(await sandbox.differences(), []);
});

test("the command's errors name its options", async () => {
  const settings = { ...env, DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' };
  const trilho = (...args: string[]) => runCommand(payoutsCommand, settings, ['top-up', ...args]);
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho('--network', 'polygon'), refused(/--from is missing/));
  await assert.rejects(
    trilho('--network', 'polygon', '--from', FROM, '--to', TO, '--amount', '0'),
    refused(/--to must be a sender of the service on polygon.*; --amount must be a decimal above zero/),
  );
});
