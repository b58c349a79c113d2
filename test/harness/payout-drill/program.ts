// What a process of a drill does until it is killed. `send`, `look` and `void` die after a given number of steps, `work` when
// a drill kills it. The last two are controls: ways to send that pay twice, which the drill must see.
import assert from 'node:assert/strict';
import { backOff } from '../../../src/lib/backoff.ts';
import { followOrder } from '../../../src/orders/follow.ts';
import { voidPayout } from '../../../src/orders/void.ts';
import { advancePayout } from '../../../src/payouts/engine/advance.ts';
import { claimWaiting } from '../../../src/payouts/line/claim.ts';
import { chainOf } from '../../../src/payouts/line/open.ts';
import { transferOf } from '../../../src/payouts/payout.ts';
import type { LimitSettings } from '../../../src/payouts/payout-settings.ts';
import { openLimits } from '../../../src/payouts/policy/limits.ts';
import { findPayoutOfOwner } from '../../../src/payouts/store/payouts.ts';
import { ACCOUNT, ORDER_VERBS, type OrderNode, openOrderNode } from '../order-verbs.ts';
import { dieAfter } from '../steps.ts';
import { type ChainSpec, openChainOf } from './chain-of.ts';

const MAX_ASKED = 30;
const PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

const PROGRAMS = ['send', 'look', 'void', 'work', 'open', 'send then save', 'a nonce for each try'] as const;

export type Program = {
  readonly program: (typeof PROGRAMS)[number];
  readonly databaseUrl: string;
  readonly now: string;
  readonly spec: ChainSpec;
  readonly orders: readonly string[];
  /** Killed after this many steps; never when absent. */
  readonly step?: number;
  /** What may leave in 24 hours, as settings have it. */
  readonly limits?: readonly LimitSettings[];
};

type Deps = OrderNode['deps'];

const NEVER = Number.MAX_SAFE_INTEGER;
const ROUND_MS = 6_000;
const WORK_ROUNDS = 200;

async function followAll(deps: Deps, orders: readonly string[]): Promise<void> {
  for (const orderId of orders) await followOrder(deps, { accountId: ACCOUNT, orderId });
}

async function claimAll(deps: Deps): Promise<void> {
  for (const chain of Object.values(deps.chains)) await claimWaiting(deps, chain.network);
}

async function lookAll(deps: Deps, orders: readonly string[]): Promise<void> {
  for (const orderId of orders) {
    const payout = await findPayoutOfOwner(deps.db, orderId, ACCOUNT);
    if (payout) await advancePayout(deps, { accountId: ACCOUNT, payoutId: payout.id });
  }
}

/** How crypto must NOT be sent: each try with the nonce that is free now, without asking whether an earlier one was used. */
async function tryWithFreeNonce({ db, chains, clock }: Deps, orderId: string): Promise<void> {
  const payout = await findPayoutOfOwner(db, orderId, ACCOUNT);
  if (!payout) return;
  const chain = chainOf(chains, payout.network);
  const transfer = transferOf(payout);
  const nonce = await patiently(() => chain.nextNonce(payout.sender));
  const { hash, raw } = await patiently(async () => {
    const signed = await chain.sign({ ...transfer, slot: { ...transfer.slot, nonce } }, []);
    return signed.kind === 'signed' ? signed : undefined;
  });
  await chain.broadcast({ number: 1, kind: 'transfer', hash, raw, signedAt: clock.now() });
}

/** A node on a busy machine may not answer in time. */
async function patiently<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= MAX_ASKED; attempt++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await backOff(attempt, PAUSE_MS, MAX_PAUSE_MS);
  }
  return assert.fail(`no answer after ${MAX_ASKED} questions`);
}

const RUN: Readonly<Record<Program['program'], (deps: Deps, orders: readonly string[]) => Promise<void>>> = {
  send: async (deps, orders) => {
    await followAll(deps, orders);
    await claimAll(deps);
    await lookAll(deps, orders);
  },
  look: async (deps, orders) => {
    await lookAll(deps, orders);
    await lookAll(deps, orders);
  },
  void: async (deps, orders) => {
    for (const orderId of orders) {
      // A payout whose transfer is in a block already is refused.
      await voidPayout(deps, orderId).catch(() => {});
    }
    await lookAll(deps, orders);
  },
  work: async (deps, orders) => {
    process.stdout.write('works\n');
    for (let round = 0; round < WORK_ROUNDS; round++) {
      await followAll(deps, orders);
      await claimAll(deps);
      await lookAll(deps, orders);
      deps.clock.advanceMs(ROUND_MS);
    }
  },
  open: async (deps, [transactionId = '', ...others]) => {
    await followAll(deps, [transactionId, ...others]);
    await ORDER_VERBS.open(deps, { transactionId, chargeId: '' });
  },
  'send then save': async (deps, orders) => {
    for (const transactionId of orders) await ORDER_VERBS['send then save'](deps, { transactionId, chargeId: '' });
  },
  'a nonce for each try': async (deps, orders) => {
    for (const orderId of orders) await tryWithFreeNonce(deps, orderId);
  },
};

if (import.meta.main) {
  const {
    program,
    databaseUrl,
    now,
    spec,
    orders,
    limits = [],
    step = NEVER,
  }: Program = JSON.parse(process.argv[2] ?? '');
  const node = await openOrderNode(databaseUrl, now, dieAfter(step), async deps => {
    const chain = await openChainOf(spec, deps);
    return { [chain.network]: chain };
  });
  await RUN[program]({ ...node.deps, payoutLimits: openLimits(limits) }, orders);
  await node.close();
}
