// Pauses of payouts: no order takes a slot, those with one continue, and every node obeys at once.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { ledgerCommand } from '../../src/cli/ledger.ts';
import { payoutsCommand } from '../../src/cli/payouts.ts';
import { StartError } from '../../src/lib/errors.ts';
import { runCommand } from '../harness/commands.ts';
import { type OrderDriver, orderDriver } from '../harness/orders.ts';
import { type PayoutService, startPayoutService } from '../harness/payout-service.ts';
import { type Answer, type Service, startService } from '../harness/service.ts';

let sandbox: PayoutService;
let service: Service;
let orders: OrderDriver;
/** Runs once during the check of funds: after the line was read and before the sender is locked. */
let whileAsked: (() => Promise<unknown>) | undefined;
before(async () => {
  sandbox = await startPayoutService(chain => ({
    ...chain,
    window: 2,
    funds: async (...asked) => {
      const run = whileAsked;
      whileAsked = undefined;
      await run?.();
      return chain.funds(...asked);
    },
  }));
  ({ service, orders } = sandbox);
});
after(async () => {
  const wrong = await sandbox.differences();
  await sandbox.stop();
  assert.deepEqual(wrong, []);
});

const pause = (body: object) => service.post('/payouts/pause', body);
const resume = (body: object) => service.post('/payouts/resume', body);
const trilho = (...args: string[]) =>
  runCommand(payoutsCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, args);

async function assertPaused(order: Answer, message: string): Promise<void> {
  const { status, holdReason, lastError, waitingSince } = await orders.read(order);
  assert.deepEqual([status, holdReason, lastError], ['pending_fulfillment', 'payouts_paused', message]);
  assert.ok(waitingSince);
  assert.deepEqual(await sandbox.payouts(order), []);
}
async function assertFulfilled(order: Answer): Promise<void> {
  const { status, holdReason, lastError } = await orders.read(order);
  assert.deepEqual([status, holdReason, lastError], ['fulfilled', undefined, undefined]);
  assert.equal((await sandbox.payouts(order)).length, 1);
}

test('a paused network takes no slots and finishes open ones; others continue; after the pause the line is served', async () => {
  await orders.fault('polygon', { fault: 'stalled' });
  const begun = await sandbox.paid();
  const paused = await pause({ network: 'polygon', reason: 'key rotation' });
  assert.equal(paused.status, 200, paused.text);
  assert.deepEqual(
    paused.json.pauses.map(({ id: _, ...rest }: { id: string }) => rest),
    [
      {
        network: 'polygon',
        reason: 'key rotation',
        pausedAt: paused.json.pauses[0].pausedAt,
        pausedBy: 'sandbox',
      },
    ],
  );
  const waits = await sandbox.paid();
  const elsewhere = await sandbox.paid({ network: 'arbitrum' });
  await orders.fault('polygon', { fault: 'none' });
  await orders.advance('PT2H');
  await assertFulfilled(begun);
  await assertFulfilled(elsewhere);
  await assertPaused(waits, 'Payouts on polygon are paused: key rotation.');
  assert.deepEqual((await resume({ network: 'polygon' })).json, { pauses: [] });
  await orders.advance('PT30M');
  await assertFulfilled(waits);
  assert.equal(await orders.events(waits), 'pending_payment pending_fulfillment held resumed fulfilling fulfilled');
});

test('a paused asset does not delay others, and its order can be refunded in the meantime', async () => {
  await pause({ symbol: 'usdt', network: 'bsc' });
  const waits = await sandbox.paid({ network: 'bsc' });
  await sandbox.paid({ network: 'bsc' });
  const leaves = await sandbox.paid({ network: 'bsc' });
  const other = await sandbox.paid({ network: 'bsc', symbol: 'usdc' });
  assert.equal((await service.post(`/charges/${leaves.json.charge.id}/refunds`, {})).status, 201);
  await orders.advance('PT30M');
  await assertFulfilled(other);
  await assertPaused(waits, 'Payouts of usdt on bsc are paused.');
  assert.equal((await orders.read(leaves)).endedAs, 'refunded');
  await resume({ symbol: 'usdt', network: 'bsc' });
  await orders.advance('PT30M');
  await assertFulfilled(waits);
});

test('each scope is paused and resumed on its own; a repeat changes nothing; pauses outlive the node', async () => {
  const first = await pause({ reason: 'night' });
  assert.deepEqual((await pause({ reason: 'another' })).json, first.json);
  await pause({ symbol: 'usdc' });
  const order = await sandbox.paid({ network: 'base', symbol: 'usdc' });
  await assertPaused(order, 'All payouts are paused: night.');
  const second = await startService({ beside: service });
  const scopes = (await second.get('/payouts/pauses')).json.pauses.map((one: { symbol?: string }) => one.symbol);
  await second.stop();
  assert.deepEqual(scopes, [undefined, 'usdc']);
  const left = (await resume({})).json.pauses;
  assert.deepEqual(
    left.map((one: { symbol?: string }) => one.symbol),
    ['usdc'],
  );
  await orders.advance('PT30M');
  assert.equal((await orders.read(order)).holdReason, 'payouts_paused');
  await resume({ symbol: 'usdc' });
  await orders.advance('PT30M');
  await assertFulfilled(order);
});

test('a pause that comes while an order is about to take a slot is obeyed', async () => {
  const order = await orders.order({ network: 'base', symbol: 'usdc' });
  whileAsked = () => pause({ network: 'base' });
  await orders.pay(order);
  await service.runJobs();
  assert.equal(whileAsked, undefined);
  await assertPaused(order, 'Payouts on base are paused.');
  await resume({ network: 'base' });
  await orders.advance('PT30M');
  await assertFulfilled(order);
});

test('a node that was not notified of the pause obeys it', async () => {
  const second = await startService({ beside: service });
  try {
    await pause({ network: 'tron' });
    const there = orderDriver(second, 'other');
    const order = await there.order({ network: 'tron' });
    await there.pay(order);
    await second.runJobs();
    await assertPaused(order, 'Payouts on tron are paused.');
    await resume({ network: 'tron' });
    await there.advance('PT30M');
    await assertFulfilled(order);
  } finally {
    await second.stop();
  }
});

test('a pause is confirmed only when earlier claims have ended', async () => {
  await sandbox.paid({ network: 'ethereum' });
  const claim = new pg.Client({ connectionString: service.databaseUrl });
  await claim.connect();
  let isAnswered = false;
  try {
    await claim.query('begin');
    await claim.query(`select from chain_senders where network = 'ethereum' for update`);
    const answer = pause({ network: 'ethereum' }).then(paused => {
      isAnswered = true;
      return paused;
    });
    const waits = `select from pg_locks l join pg_stat_activity a using (pid)
                    where not l.granted and a.query like '%chain_senders%' and a.datname = current_database()`;
    while ((await service.sql(waits)).length === 0) assert.ok(!isAnswered, 'it waits for the claim');
    assert.ok(!isAnswered);
    // A claim that begins now sees the pause already.
    assert.equal((await service.sql('select from payout_pauses')).length, 1);
    await claim.query('commit');
    assert.equal((await answer).status, 200);
  } finally {
    await claim.end();
    await resume({ network: 'ethereum' });
  }
});

test('the command pauses and resumes as the operator, and refuses unknown arguments', async () => {
  const { said } = await trilho('pause', '--network', 'polygon', '--asset', 'usdc', '--reason', 'drill');
  assert.match(said, /^Payouts of usdc on polygon are paused: drill\. Since 20/);
  const [{ id, pausedBy }] = (await service.get('/payouts/pauses')).json.pauses;
  assert.equal(pausedBy, 'operator');
  const refusal = (pattern: RegExp) => (error: unknown) => error instanceof StartError && pattern.test(error.message);
  await assert.rejects(trilho('resume'), refusal(/^All payouts are not paused as such\. Payouts of usdc on polygon/));
  await assert.rejects(
    trilho('pause', '--network', 'solana'),
    refusal(/--network must be one of ethereum, .*"solana"/),
  );
  await assert.rejects(trilho('pause', '--network', 'polygon', '--asset', 'trx'), refusal(/must be one that has trx/));
  assert.equal(
    (await trilho('resume', '--network', 'polygon', '--asset', 'usdc')).said,
    'Payouts of usdc on polygon go on.',
  );
  const lines = await service.sql<{ actor: string; action: string }>(
    `select actor, action from (select * from audit_inbox union all
       select id, at, actor, action, object_id, request_id, status from audit_log) lines
      where object_id = $1 order by at, action`,
    [id],
  );
  assert.deepEqual(
    lines.map(({ actor, action }) => `${actor} ${action}`),
    ['operator trilho payouts pause', 'operator trilho payouts resume'],
  );
});

test('the pause of a restore ends once the books were compared with the chains, or when an operator overrides that', async () => {
  const restored = async () => {
    await pause({});
    await service.sql(
      `insert into restores (id, as_of, restored_at, pause_id)
       select gen_random_uuid(), '2026-11-16T11:00:00Z', '2026-11-16T11:30:00Z', id from payout_pauses`,
    );
  };
  await restored();
  const refused = await resume({});
  assert.equal(refused.status, 409);
  assert.match(refused.json.detail, /restored as of 2026-11-16T11:00:00\.000Z: .* Run trilho ledger check --chains/);
  await assert.rejects(trilho('resume'), /Run trilho ledger check --chains/);
  const ledger = () =>
    runCommand(ledgerCommand, { DATABASE_URL: service.databaseUrl, TRILHO_MODE: 'sandbox' }, ['check', '--chains']);
  assert.match((await ledger()).said, /The books agree with the chains/);
  assert.deepEqual((await resume({})).json.pauses, []);

  await restored();
  await assert.rejects(trilho('resume', '--unchecked', ' '), /--unchecked must have/);
  await trilho('resume', '--unchecked', 'looked at the explorer');
  assert.deepEqual((await service.get('/payouts/pauses')).json.pauses, []);
  const notes = await service.sql('select note from restores where compared_at is not null order by note');
  assert.deepEqual(notes, [{ note: 'looked at the explorer' }, { note: null }]);
});

test('an unknown asset and network is refused', async () => {
  const refused = await pause({ network: 'polygon', symbol: 'trx' });
  assert.deepEqual([refused.status, refused.json.errors[0].path], [400, 'network']);
});

test('in live pausing needs its own scope, which all does not include', async () => {
  const live = await startService({ mode: 'live' });
  try {
    const key = await live.makeKey('acme', ['transactions:write', 'transfers:write', 'payouts:read']);
    const headers = { authorization: `Bearer ${key.text}` };
    const refused = await live.post('/payouts/pause', {}, headers);
    assert.deepEqual([refused.status, refused.json.code], [403, 'missing_scope']);
    assert.equal((await live.post('/payouts/pause', {})).status, 200);
    assert.match((await live.get('/payouts/pauses', headers)).json.pauses[0].pausedBy, /^key:/);
  } finally {
    await live.stop();
  }
});
