// One scenario of a drill: a service on a database of its own, a chain of its own, and orders that are paid. A scenario injects
// its faults; then they end, time passes until nothing changes, and the chain is compared with the orders.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Chain } from '../../../src/chains/chain.ts';
import { coinOf } from '../../../src/chains/networks.ts';
import { resumeHaltedSender } from '../../../src/payouts/line/resume-sender.ts';
import type { LimitSettings } from '../../../src/payouts/payout-settings.ts';
import { blockPayee } from '../../../src/payouts/policy/block-payee.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { silentLog } from '../log.ts';
import { differences } from '../order-proof.ts';
import { openOrderNode } from '../order-verbs.ts';
import { orderDriver } from '../orders.ts';
import { type Random, randomOf } from '../random.ts';
import { type Service, startService } from '../service.ts';
import { openChainOf } from './chain-of.ts';
import { openEvmWorld } from './evm-world.ts';
import type { Program } from './program.ts';
import { openSimulatedWorld } from './simulated-world.ts';
import { openTopUps, type TopUps } from './top-ups.ts';
import { openTronWorld } from './tron-world.ts';
import type { Fault, World, WorldName } from './world.ts';

const START = '2026-11-16T12:00:00.000Z';
const PROGRAM = fileURLToPath(new URL('program.ts', import.meta.url));
/** Rounds until everything must be at rest, and how long each lasts: the pause between lookups grows while nothing changes. */
const REST_MS = [5_000, 5_000, 10_000, 30_000, 60_000, 60_000, 300_000, 600_000, 600_000, 3_600_000, 3_600_000];
const MAX_RESTS = 4;
/** The chain stands still while the clock of the service moves, so long times pass in steps of both. */
const MAX_STEP_MS = 3_600_000;

export type PaidOrder = { readonly id: string; readonly address: string };

export type Drill = {
  readonly world: World;
  readonly service: Service;
  readonly chain: Chain;
  readonly db: Database;
  readonly random: Random;
  /** Faults that were injected, by their names. */
  readonly injected: string[];
  /** What a scenario itself found wrong; each a sentence. */
  readonly seenWrong: string[];
  /** Makes and pays orders; no job has run yet. */
  pay(count: number): Promise<PaidOrder[]>;
  runJobs(): Promise<void>;
  /** Time passes and blocks are mined; then the service runs what is due. */
  pass(blocks: number, ms?: number): Promise<void>;
  begin(fault: Fault): Promise<boolean>;
  reorganise(depth: number): Promise<void>;
  /** Runs a program in a process; true when it was killed at that step. */
  run(program: Program['program'], step?: number): Promise<boolean>;
  /** Starts the program `work` in a process, and returns when it is at work. */
  work(): Promise<ChildProcess>;
  /** Pauses the network, or ends its pause. */
  pause(isPaused: boolean): Promise<void>;
  /** Blocks the payee of an order, or lifts the block. */
  block(order: PaidOrder, isBlocked: boolean): Promise<void>;
  countPayouts(): Promise<number>;
  /** Senders that have payouts. */
  countSenders(): Promise<number>;
  /** Another program moves a unit of the coin with the key of a sender. */
  useElsewhere(sender: string): Promise<void>;
  readonly topUps: TopUps;
  /** How many transfers are saved: of an order, or of all. */
  countTransfers(order?: PaidOrder): Promise<number>;
  act(order: PaidOrder, verb: 'retry' | 'void'): Promise<number>;
  /** What an operator does: retries held orders, and resumes a halted sender. */
  operate(): Promise<boolean>;
  mend(): Promise<void>;
  /** Lets time pass until nothing changes. */
  rest(): Promise<void>;
  judge(): Promise<Verdict>;
  close(): Promise<void>;
};

export type Verdict = {
  readonly orders: number;
  readonly fulfilled: number;
  readonly transfers: number;
  /** Each a sentence. */
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly wrong: readonly string[];
};

type OrderRow = {
  id: string;
  status: string;
  hold_reason: string | null;
  ended_as: string | null;
  waits: boolean;
  is_halted: boolean;
  state: string | null;
  units: string | null;
};

const ORDERS = `
  select o.id, o.status, o.hold_reason, o.ended_as, o.waits_since is not null as waits,
         exists (select from chain_senders where halted_at is not null) as is_halted, p.state, p.units::text as units
    from orders o
    left join lateral (
           select state, units from payouts where order_id = o.id
            order by state not in ('reverted', 'voided') desc, created_at desc, id desc limit 1) p on true`;

/** Of one asset on the network of the drill, in units of the asset. */
export type DrillOptions = {
  readonly perDay?: string;
  /** Senders that take slots. */
  readonly senders?: number;
};

/** The most that was sent within 24 hours. What was sent exactly 24 hours earlier no longer counts. */
const DAY_SUMS = `
  select coalesce(max(units), 0)::text as units
    from (select sum(units) over (order by created_at range between interval '23:59:59.999' preceding and current row) as units
            from payouts where state not in ('reverted', 'voided')) days`;

export async function openDrill(
  name: WorldName,
  seed: number,
  index: number,
  { perDay, senders = 1 }: DrillOptions = {},
): Promise<Drill> {
  const random = randomOf(seed, index);
  const newKey = () => Buffer.from(Uint8Array.from({ length: 32 }, () => 1 + random.below(250))).toString('hex');
  const keys = [newKey(), ...Array.from({ length: senders - 1 }, newKey)] as const;
  const limits: LimitSettings[] = perDay === undefined ? [] : [{ symbol: 'usdt', perDay }];
  const env = { TRILHO_PAYOUTS: JSON.stringify({ limits }) };
  const first = await startService({ now: START, env });
  const control = (change: Record<string, unknown>) => orderDriver(first).fault('polygon', change);
  const world =
    name === 'evm'
      ? await openEvmWorld(START, keys)
      : name === 'tron'
        ? await openTronWorld(START, keys, seed + index)
        : await openSimulatedWorld(START, { sql: (text, values) => first.sql(text, values), control });
  const db = openDatabase({ connection: { connectionString: first.databaseUrl }, log: silentLog, maxConnections: 4 });
  const clock = { now: world.now, refresh: async () => {} };
  const chain = await openChainOf(world.spec, { clock, db });
  const own =
    name === 'simulated'
      ? undefined
      : await startService({
          beside: first,
          chains: { [world.network]: chain },
          env,
        });
  const service = own ?? first;
  const driver = orderDriver(service);
  const topUps = openTopUps({ service, chain, db, random });
  const paid: PaidOrder[] = [];
  const [injected, seenWrong]: [string[], string[]] = [[], []];
  /** Hashes of the transactions that another program sent. */
  const foreign: string[] = [];
  const children = new Set<ChildProcess>();

  const start = (program: Program['program'], step?: number): ChildProcess => {
    const order: Program = {
      program,
      databaseUrl: first.databaseUrl,
      now: world.now().toISOString(),
      spec: world.spec,
      orders: paid.map(({ id }) => id),
      limits,
      ...(step !== undefined && { step }),
    };
    const child = spawn(process.execPath, [PROGRAM, JSON.stringify(order)], { stdio: ['ignore', 'pipe', 'pipe'] });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };

  const drill: Drill = {
    world,
    service,
    chain,
    db,
    random,
    injected,
    seenWrong,
    topUps,
    pay: async count => {
      for (let made = 0; made < count; made++) {
        const address = world.newAddress(random);
        const wallet = await service.post('/wallets', {
          accountId: 'acme',
          name: 'Payee',
          network: world.network,
          address,
        });
        assert.equal(wallet.status, 201, wallet.text);
        const cost = 100 + random.below(900);
        const order = await driver.order({ network: world.network, walletId: wallet.json.id, cost });
        assert.equal(order.status, 201, order.text);
        await driver.pay(order);
        paid.push({ id: order.json.transactionId, address: wallet.json.address });
      }
      return [...paid];
    },
    runJobs: async () => {
      await service.runJobs();
    },
    pass: async (blocks, ms = blocks * world.blockMs) => {
      const steps = Math.max(1, Math.ceil(ms / MAX_STEP_MS));
      // The sandbox moves its clock by whole seconds.
      const seconds = Math.ceil(ms / steps / 1_000);
      for (let step = 0; step < steps; step++) {
        const isEarly = step < blocks % steps;
        await world.pass(Math.floor(blocks / steps) + (isEarly ? 1 : 0), seconds * 1_000);
        if (seconds > 0) await driver.advance(`PT${seconds}S`);
        await service.runJobs();
      }
    },
    begin: async fault => {
      const isKnown = await world.begin(fault, random);
      if (isKnown) injected.push(fault);
      return isKnown;
    },
    reorganise: async depth => {
      await world.reorganise(depth);
      injected.push('reorganisation');
    },
    run: async (program, step) => {
      const child = start(program, step);
      let said = '';
      child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
      });
      const [code, signal] = await once(child, 'close');
      assert.ok(code === 0 || signal === 'SIGKILL', `${program} ended with ${code}: ${said}`);
      if (signal === 'SIGKILL') injected.push('kill');
      return signal === 'SIGKILL';
    },
    work: async () => {
      const child = start('work');
      assert.ok(child.stdout && child.stderr);
      child.stderr.resume();
      await Promise.race([once(child.stdout, 'data'), once(child, 'exit')]);
      return child;
    },
    pause: async isPaused => {
      const answer = await service.post(`/payouts/${isPaused ? 'pause' : 'resume'}`, { network: world.network });
      assert.equal(answer.status, 200, answer.text);
    },
    block: async ({ id }, isBlocked) => {
      const [wallet] = await db.query<{ id: string }>('select wallet_id as id from orders where id = $1', [id]);
      assert.ok(wallet);
      const node = await openOrderNode(first.databaseUrl, world.now().toISOString());
      try {
        await blockPayee(node.deps, wallet.id, { by: 'operator', isBlocked });
      } finally {
        await node.close();
      }
      injected.push('block');
    },
    countTransfers: async order => {
      const [row] = await db.query<{ count: number }>(
        `select count(*)::int as count from payout_attempts a join payouts p on p.id = a.payout_id
          where a.kind = 'transfer' and a.number = 1 and ($1::uuid is null or p.order_id = $1)`,
        [order?.id],
      );
      return row?.count ?? 0;
    },
    countPayouts: async () => {
      const [row] = await db.query<{ count: number }>('select count(*)::int as count from payouts');
      return row?.count ?? 0;
    },
    countSenders: async () => {
      const [row] = await db.query<{ count: number }>('select count(distinct sender)::int as count from payouts');
      return row?.count ?? 0;
    },
    useElsewhere: async sender => {
      // The nodes' next slot does not count transactions that are sent and in no block yet.
      for (let nonce: bigint | undefined; nonce === undefined; ) {
        nonce = await chain.nextNonce(sender);
        if (nonce === undefined) await world.pass(1, world.blockMs);
        else foreign.push(await moveElsewhere(sender, nonce));
      }
      injected.push('foreign use of the key');
      await world.pass(1, world.blockMs);
    },
    act: async ({ id }, verb) => {
      const { status } = await service.post(`/crypto/transactions/${id}/${verb}`, {});
      return status;
    },
    operate: async () => {
      const rows = await db.query<OrderRow>(`${ORDERS} where o.hold_reason is not null or o.waits_since is not null`);
      let hasActed = false;
      for (const { id, hold_reason: reason } of rows) {
        const order = paid.find(one => one.id === id);
        if (!order) continue;
        if (reason === 'slot_taken') hasActed = (await drill.act(order, 'void')) < 300 || hasActed;
        else if (reason !== null) hasActed = (await drill.act(order, 'retry')) < 300 || hasActed;
      }
      const node = await openOrderNode(first.databaseUrl, world.now().toISOString());
      const deps = { ...node.deps, chains: { [world.network]: chain } };
      for (const sender of chain.senders) {
        const passed = await resumeHaltedSender(deps, world.network, sender, foreign);
        hasActed = hasActed || passed !== undefined;
      }
      await node.close();
      return hasActed;
    },
    mend: () => world.mend(),
    rest: async () => {
      for (let rest = 0; rest < MAX_RESTS; rest++) {
        for (const ms of REST_MS) {
          await drill.pass(3, ms);
          if (await isAtRest()) return;
        }
      }
    },
    judge: () => judge(),
    close: async () => {
      for (const child of children) child.kill('SIGKILL');
      await own?.stop();
      await db.close();
      await first.stop();
      await world.stop();
    },
  };

  async function moveElsewhere(sender: string, nonce: bigint): Promise<string> {
    const slot = { network: world.network, sender, nonce };
    const { symbol } = coinOf(world.network);
    assert.ok(symbol === 'eth' || symbol === 'trx');
    const signed = await chain.sign({ slot, symbol, units: 1n, to: world.newAddress(random) }, []);
    assert.ok(signed.kind === 'signed');
    await chain.broadcast({ ...signed, number: 1, kind: 'transfer', signedAt: world.now() }, sender);
    return signed.hash;
  }

  const readOrders = () => db.query<OrderRow>(ORDERS);

  async function isAtRest(): Promise<boolean> {
    return (await topUps.isAtRest()) && (await readOrders()).every(isResting);
  }

  async function judge(): Promise<Verdict> {
    const [lost, doubled, wrong]: [string[], string[], string[]] = [[], [], []];
    const rows = await readOrders();
    let transfers = 0;
    for (const { id, address } of paid) {
      const row = rows.find(one => one.id === id);
      assert.ok(row);
      const { times, units } = await world.landed(address);
      transfers += times;
      const summary = `${id} ${row.status} ${row.hold_reason ?? ''} ${row.state ?? ''}: ${times} transfers of ${units}`;
      const isPaid = row.status === 'fulfilled' && row.hold_reason === null;
      const mayHaveLeft = row.hold_reason === 'transfer_mismatched';
      if (times > 1) doubled.push(summary);
      if (isPaid && times === 0) lost.push(summary);
      if (isPaid && times === 1 && units !== BigInt(row.units ?? 0)) wrong.push(summary);
      if (!isPaid && !mayHaveLeft && times > 0) wrong.push(summary);
      if (!isResting(row)) lost.push(`${summary}, and it does not come to rest`);
    }
    const ofTopUps = await topUps.judge();
    lost.push(...ofTopUps.lost);
    wrong.push(...ofTopUps.wrong);
    // On EVM networks logs are counted, and a coin leaves none.
    const ofCoin = world.name === 'tron' ? foreign.length + ofTopUps.moved : 0;
    const strays = (await world.outgoing()) - transfers - ofCoin;
    if (ofTopUps.moved > 0 && strays < 0) wrong.push(`${-strays} transfers are in the books and not on the chain`);
    // A token that keeps a part moves it in a transfer of its own.
    if (strays > 0 && !injected.includes('keeping token')) wrong.push(`${strays} transfers belong to no order`);
    wrong.push(...seenWrong, ...(await differences(db)));
    if (perDay !== undefined) {
      const [row] = await db.query<{ units: string }>(DAY_SUMS);
      const limit = BigInt(perDay) * 10n ** 6n;
      if (BigInt(row?.units ?? 0) > limit)
        wrong.push(`${row?.units} units left in 24 hours, and the limit is ${limit}`);
    }
    const fulfilled = rows.filter(({ status, hold_reason }) => status === 'fulfilled' && hold_reason === null).length;
    return { orders: paid.length, fulfilled, transfers, lost, doubled, wrong };
  }

  return drill;
}

/** Final, or waiting for a person. */
function isResting({ status, hold_reason, ended_as, waits, is_halted, state }: OrderRow): boolean {
  if (ended_as !== null || hold_reason === 'slot_taken') return true;
  if (status === 'fulfilled') return state === 'final';
  if (waits) return is_halted;
  return hold_reason !== null && state !== 'open' && state !== 'done';
}
