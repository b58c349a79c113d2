// Cold sweeps: a payout through the same engine, which keeps what others need, is sent once, and is in the books.
import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { Chain, Check, Funds } from '../../src/chains/chain.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { runCommand } from '../harness/commands.ts';
import type { OrderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

const COLD = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';
const env = {
  TRILHO_PAYOUTS: JSON.stringify({
    limits: [
      { symbol: 'usdt', network: 'polygon', ceiling: '500' },
      { symbol: 'usdt', network: 'bsc', perDay: '150' },
    ],
    coldAddresses: { polygon: COLD, ethereum: COLD.toLowerCase(), bsc: COLD, arbitrum: COLD },
  }),
};

/** Networks to which tests give a fault. */
const FAULTY = ['polygon', 'bsc', 'arbitrum'] as const;

/** Answers of polygon that replace those of the simulation. */
let funds: Funds | undefined;
let check: Check | undefined;
let dies: keyof Chain | undefined;
let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
before(async () => {
  sandbox = await startPayoutService(
    chain =>
      chain.network !== 'polygon'
        ? chain
        : {
            ...chain,
            funds: async (...asked) => funds ?? (await chain.funds(...asked)),
            check: async intent => check ?? (await chain.check(intent)),
            sign: async (...asked) => survived('sign', await chain.sign(...asked)),
            broadcast: async attempt => survived('broadcast', await chain.broadcast(attempt)),
            lookup: async (...asked) => survived('lookup', await chain.lookup(...asked)),
          },
    undefined,
    env,
  );
  ({ service, orders } = sandbox);
});
after(() => sandbox.stop());
beforeEach(async () => {
  [funds, check, dies] = [undefined, undefined, undefined];
  for (const network of FAULTY) await orders.fault(network, { fault: 'none' });
});

/** The step is done, and its process dies before it can write anything. */
function survived<T>(step: keyof Chain, result: T): T {
  if (dies !== step) return result;
  dies = undefined;
  throw new Error('killed');
}

const units = (usdt: number, coin = 10n ** 18n) => ({ asset: BigInt(usdt) * 1_000_000n, coin, worstFee: 10n ** 15n });
const sweep = (changes: Record<string, unknown> = {}): Promise<Answer> =>
  service.post('/payouts/sweep', { network: 'polygon', symbol: 'usdt', ...changes });
async function settle(id: string) {
  await orders.advance('PT2H');
  return (await service.get(`/payouts/${id}`)).json;
}

test('the amount above the ceiling goes to the cold address as one payout, with ledger entries and a receipt', async () => {
  funds = units(740);
  const before = await sandbox.transfers('polygon');
  const { status, json } = await sweep();
  assert.equal(status, 201);
  const { purpose, accountId, state, quantity, destination } = json;
  assert.deepEqual([purpose, accountId, state, quantity, destination], ['cold_sweep', 'operator', 'open', '240', COLD]);
  assert.equal(json.transactionId, undefined);
  const settled = await settle(json.id);
  assert.deepEqual([settled.state, settled.attempts.length], ['final', 1]);
  assert.equal(await sandbox.transfers('polygon'), before + 1);
  const [moved] = await service.sql<{ destination: string; units: string }>(
    'select destination, units::text as units from sandbox_chain_transactions where hash = $1',
    [settled.hash],
  );
  assert.deepEqual(moved, { destination: COLD, units: '240000000' });
  const { entries } = (await service.get('/ledger/entries?accountId=operator')).json;
  const lines = entries.flatMap(({ lines }: { lines: object[] }) => lines);
  assert.deepEqual(
    lines.filter(({ currency }: { currency: string }) => currency === 'usdt.polygon'),
    [
      { book: 'cold_wallet', currency: 'usdt.polygon', amount: '240' },
      { book: 'crypto_paid', currency: 'usdt.polygon', amount: '-240' },
    ],
  );
  assert.ok(lines.some(({ book }: { book: string }) => book === 'network_fee'));
  assert.deepEqual(await sandbox.differences(), []);
  const { receipt } = (await service.get(`/payouts/${json.id}/receipt`)).json;
  assert.deepEqual([receipt.quantity, receipt.destination, receipt.transactionId], ['240', COLD, undefined]);
  for (const text of [json.id, settled.hash]) {
    const search = await fetch(`${service.url}/dashboard/search?q=${text}`, { redirect: 'manual' });
    assert.equal(search.headers.get('location'), `/dashboard/payouts/${json.id}`, 'the search box leads to it');
  }
  const audited = await service.sql<{ action: string }>(
    `select action from audit_inbox where object_id = $1 union select action from audit_log where object_id = $1`,
    [json.id],
  );
  assert.deepEqual(audited, [{ action: 'POST /payouts/sweep' }]);
});

test('a sweep does not count for the daily limit of payouts to customers', async () => {
  const { json } = await sweep({ network: 'bsc', quantity: '120' });
  assert.equal((await settle(json.id)).state, 'final');
  // An order of the driver is 100 usdt.
  const order = await sandbox.paid({ network: 'bsc' });
  await orders.advance('PT1H');
  const { status, holdReason } = await orders.read(order);
  assert.deepEqual([status, holdReason], ['fulfilled', undefined]);
});

test('a missing ledger entry is found', async () => {
  funds = units(510);
  const { json } = await sweep();
  await settle(json.id);
  await service.sql('update payouts set units = units + 1 where id = $1', [json.id]);
  assert.equal((await sandbox.differences()).length, 1);
  await service.sql('update payouts set units = units - 1 where id = $1', [json.id]);
  assert.deepEqual(await sandbox.differences(), []);
});

test('the funds of open payouts and waiting orders stay, whatever amount is requested', async () => {
  await orders.fault('polygon', { fault: 'stalled' });
  await sandbox.paid();
  await service.post('/payouts/pause', { network: 'polygon' });
  const waiting = await sandbox.paid();
  funds = units(450);
  const refused = await sweep({ quantity: '250.000001' });
  assert.deepEqual(
    [refused.status, refused.json.detail],
    [409, 'The sender has 450 usdt; after payouts and fees, 250 usdt can be spared.'],
  );
  const { status, json } = await sweep({ quantity: 'all' });
  assert.deepEqual([status, json.quantity], [201, '250'], 'a pause does not stop it');
  await orders.fault('polygon', { fault: 'none' });
  assert.equal((await settle(json.id)).state, 'final');
  await service.post('/payouts/resume', { network: 'polygon' });
  await orders.advance('PT1H');
  assert.equal((await orders.read(waiting)).status, 'fulfilled');
});

test('a sweep of the coin keeps the fees', async () => {
  funds = units(740, 10n ** 15n - 1n);
  const poor = await sweep();
  assert.match(poor.json.detail, /nothing can be spared/);
  funds = undefined;
  const { status, json } = await service.post('/payouts/sweep', {
    network: 'ethereum',
    symbol: 'eth',
    quantity: 'all',
  });
  assert.equal(status, 201);
  assert.equal((await settle(json.id)).state, 'final');
});

test('bad requests are refused with the field, and nothing is written', async () => {
  const count = async () => (await service.sql<{ n: number }>('select count(*)::int as n from payouts'))[0]?.n;
  const before = await count();
  for (const quantity of ['0', '-1', '1.0000001', 'some', '1e3']) {
    const { status, json } = await sweep({ quantity });
    assert.deepEqual([status, json.errors[0].path], [400, 'quantity'], quantity);
  }
  const noCeiling = await service.post('/payouts/sweep', { network: 'bsc', symbol: 'usdt' });
  assert.deepEqual([noCeiling.status, noCeiling.json.errors[0].path], [400, 'quantity']);
  const noAsset = await service.post('/payouts/sweep', { network: 'base', symbol: 'usdt', quantity: '1' });
  assert.deepEqual([noAsset.status, noAsset.json.errors[0].path], [400, 'network']);
  const noAddress = await service.post('/payouts/sweep', { network: 'tron', symbol: 'usdt', quantity: '1' });
  assert.equal(noAddress.status, 503);
  assert.match(noAddress.json.detail, /payouts\.coldAddresses has no address on tron/);
  funds = units(400);
  assert.equal((await sweep()).status, 409, 'below the ceiling');
  funds = units(740);
  check = { kind: 'refused', reason: 'would_revert', message: 'the token is paused' };
  assert.equal((await sweep()).json.detail, 'the token is paused');
  check = { kind: 'unknown' };
  assert.equal((await sweep()).status, 503);
  assert.equal(await count(), before);
});

test('of many simultaneous sweeps one is accepted, also with several nodes; a second one waits for the first', async () => {
  funds = units(740);
  const nodes = [service, await startService({ beside: service, env })];
  try {
    await orders.fault('bsc', { fault: 'stalled' });
    const body = { network: 'bsc', symbol: 'usdc', quantity: '1' };
    const answers = await Promise.all([0, 1, 0, 1, 0].map(index => nodes[index]?.post('/payouts/sweep', body)));
    assert.deepEqual(answers.map(answer => answer?.status).toSorted(), [201, 409, 409, 409, 409]);
    const taken = answers.find(answer => answer?.status === 201)?.json;
    const second = await service.post('/payouts/sweep', body);
    assert.equal(second.json.detail, `A sweep of usdc on bsc is on its way: ${taken.id}.`);
    await orders.fault('bsc', { fault: 'none' });
    assert.equal((await settle(taken.id)).state, 'final');
    assert.equal((await service.post('/payouts/sweep', body)).status, 201);
  } finally {
    await nodes[1]?.stop();
  }
});

test('a sweep and the claims of orders never promise the same crypto', async () => {
  await service.post('/payouts/pause', { network: 'polygon' });
  const made = [await sandbox.paid(), await sandbox.paid()];
  funds = units(250);
  await service.post('/payouts/resume', { network: 'polygon' });
  const [answer] = await Promise.all([sweep({ quantity: 'all' }), service.runJobs(), service.runJobs()]);
  assert.equal(answer.status, 201, answer.text);
  await service.runJobs();
  const [open] = await service.sql<{ units: string }>(
    `select sum(units)::text as units from payouts
      where order_id = any($1) or id = $2`,
    [made.map(order => order.json.transactionId), answer.json.id],
  );
  assert.equal(open?.units, '250000000');
  await orders.advance('PT2H');
  await service.runJobs();
});

for (const step of ['sign', 'broadcast', 'lookup'] as const) {
  test(`killed after ${step}, the sweep is sent once`, async () => {
    funds = units(740);
    const before = await sandbox.transfers('polygon');
    dies = step;
    const { json } = await sweep({ quantity: '7' });
    await service.runJobs();
    const settled = await settle(json.id);
    assert.equal(dies, undefined, 'the step was reached');
    assert.equal(settled.state, 'final');
    assert.equal(await sandbox.transfers('polygon'), before + 1);
    assert.deepEqual(await sandbox.differences(), []);
  });
}

test('a sweep that no block includes is given up, and a halted sender sweeps nothing', async () => {
  await orders.fault('arbitrum', { fault: 'stalled' });
  const { json } = await service.post('/payouts/sweep', { network: 'arbitrum', symbol: 'usdc', quantity: '3' });
  await service.runJobs();
  const given = await service.post(`/payouts/${json.id}/void`, {});
  assert.equal(given.status, 200);
  assert.ok(given.json.voidRequestedAt);
  await orders.fault('arbitrum', { fault: 'none' });
  const settled = await settle(json.id);
  assert.ok(['voided', 'final'].includes(settled.state));
  assert.equal((await service.post(`/payouts/${json.id}/void`, {})).status, 409);
  await orders.fault('arbitrum', { fault: 'foreign_use' });
  const taken = await service.post('/payouts/sweep', { network: 'arbitrum', symbol: 'usdc', quantity: '3' });
  await settle(taken.json.id);
  const halted = await service.post('/payouts/sweep', { network: 'arbitrum', symbol: 'usdt', quantity: '3' });
  assert.match(halted.json.detail, /halted/);
  assert.deepEqual(await sandbox.differences(), []);
});

test('a sweep that a reorganisation undoes for good is reversed in the books', async () => {
  const { json } = await service.post('/payouts/sweep', { network: 'bsc', symbol: 'usdt', quantity: '9' });
  await service.runJobs();
  for (let look = 0; look < 20; look++) {
    if ((await service.get(`/payouts/${json.id}`)).json.state !== 'open') break;
    await orders.advance('PT1S');
  }
  assert.equal((await service.get(`/payouts/${json.id}`)).json.state, 'done');
  await orders.fault('bsc', { fault: 'reverting', reorganise: 100 });
  assert.equal((await settle(json.id)).state, 'reverted');
  const { entries } = (await service.get('/ledger/entries?accountId=operator')).json;
  const kinds = entries.map(({ kind }: { kind: string }) => kind);
  assert.ok(kinds.includes('cold_sweep_undone'));
  assert.deepEqual(await sandbox.differences(), []);
});

test('the command sweeps, and its errors name its options', async () => {
  const settings = { ...env, DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' };
  const trilho = (...args: string[]) => runCommand(payoutsCommand, settings, ['sweep', ...args]);
  const before = await sandbox.transfers('ethereum');
  const { said } = await trilho('--network', 'ethereum', '--asset', 'usdt', '--amount', '12.5');
  const [, id = ''] = /^12\.5 usdt go to 0x\w+ on ethereum\..* trilho payouts show (\S+)$/.exec(said) ?? [];
  assert.equal((await settle(id)).state, 'final');
  assert.equal(await sandbox.transfers('ethereum'), before + 1);
  const { said: listed } = await runCommand(payoutsCommand, settings, ['list', '--account', 'operator']);
  assert.match(listed, /12\.5 usdt {2}0x\w{40} {2}cold sweep {2}0x/);
  const refused = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho('--network', 'ethereum'), refused(/--asset is missing/));
  await assert.rejects(trilho('--network', 'base', '--asset', 'usdt'), refused(/--network /));
  await assert.rejects(trilho('--network', 'ethereum', '--asset', 'usdt'), refused(/--amount is needed/));
  await assert.rejects(
    trilho('--network', 'tron', '--asset', 'usdt', '--amount', '1'),
    refused(/coldAddresses has no/),
  );
});

test('a malformed cold address, or one of our own, is refused at the start', async () => {
  const [{ sender } = { sender: '' }] = await service.sql<{ sender: string }>(
    `select sender from chain_senders where network = 'polygon'`,
  );
  for (const address of ['0x1', sender, `0x${'0'.repeat(40)}`]) {
    const wrong = { TRILHO_PAYOUTS: JSON.stringify({ coldAddresses: { polygon: address } }) };
    await assert.rejects(
      startService({ beside: service, env: wrong }),
      (error: unknown) => error instanceof StartError && error.message.startsWith('payouts.coldAddresses.polygon '),
    );
  }
});
