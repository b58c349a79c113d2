// The verbs of an order's life with what they need, outside any service: for a process that dies in the middle of one, and
// for a test that takes one step and no further.
import assert from 'node:assert/strict';
import type { Chain, Chains } from '../../src/chains/chain.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { recordPayment, startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { readConfig } from '../../src/config/config.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import type { Log } from '../../src/lib/log.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import { attachCharge } from '../../src/orders/attach.ts';
import { cancelOrder } from '../../src/orders/cancel.ts';
import { createOrder, type OrderDeps } from '../../src/orders/create.ts';
import { followOrder } from '../../src/orders/follow.ts';
import { ordersAsOwners } from '../../src/orders/payout-owner.ts';
import { repriceOrder } from '../../src/orders/reprice.ts';
import { retryOrder } from '../../src/orders/retry.ts';
import { findOrder } from '../../src/orders/store.ts';
import { sweepOrders } from '../../src/orders/sweep.ts';
import { voidPayout } from '../../src/orders/void.ts';
import { advancePayout } from '../../src/payouts/engine/advance.ts';
import { type ClaimDeps, claimWaiting } from '../../src/payouts/line/claim.ts';
import { chainOf } from '../../src/payouts/line/open.ts';
import { transferOf } from '../../src/payouts/payout.ts';
import { findPayoutOfOwner, insertAttempts } from '../../src/payouts/store/payouts.ts';
import { openOrderTerms } from '../../src/quotes/order-terms.ts';
import { sandboxAccounts } from '../../src/sandbox/accounts.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { SANDBOX_CHARGE_RULES } from '../../src/sandbox/rules.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { openScreening } from '../../src/wallets/screening.ts';
import { type TestClock, testClock } from './clock.ts';
import { silentLog } from './log.ts';
import type { Steps } from './steps.ts';

export type Victim = { readonly transactionId: string; readonly chargeId: string };

export const ACCOUNT = 'acme';

/** Who pays, as the API reads it from `CHARGE_PART` of harness/orders.ts. */
const PART = {
  customer: { name: 'Maria da Silva', document: '52998224725', type: 'individual' },
  methods: ['pix'],
} as const;

const CHAIN_CALLS = [
  'nextNonce',
  'check',
  'funds',
  'sign',
  'signVoid',
  'broadcast',
  'lookup',
] as const satisfies readonly (keyof Chain)[];

export type OrderNode = {
  readonly deps: Omit<OrderDeps, 'clock'> &
    Pick<ClaimDeps, 'payoutLimits' | 'payoutOwner'> & { readonly clock: TestClock; readonly log: Log };
  /** The database, whose statements are no steps. */
  readonly db: Database;
  /** The same with counted steps and a clock of its own, for a verb that is cut off. */
  depsAt(now: string, steps: Steps): Promise<OrderNode['deps']>;
  close(): Promise<void>;
};

type OpenChains = (deps: { readonly clock: TestClock; readonly db: Database }) => Promise<Chains> | Chains;

/** The chain is stored in the database, so it outlives the process. */
const openSandboxChains: OpenChains = ({ clock, db }) => sandboxChains({ clock, store: sandboxChainStore(db) });

/** The dependencies of the verbs, as on a node with a clock of its own. */
export async function openOrderNode(
  databaseUrl: string,
  now: string,
  steps?: Steps,
  openChains: OpenChains = openSandboxChains,
): Promise<OrderNode> {
  const db = openDatabase({ connection: { connectionString: databaseUrl }, log: silentLog, maxConnections: 3 });
  const queue = await startQueue({ db, log: silentLog, kinds: ALL_JOBS });
  const links = await openLinks(db, () => 'http://localhost:3000');
  const { feePercent, settlement, prices, rates, walletPolicy, screening } = readConfig({ TRILHO_MODE: 'sandbox' });

  async function depsAt(moment: string, counted?: Steps): Promise<OrderNode['deps']> {
    const clock = testClock(moment);
    const chains = await openChains({ clock, db });
    const watched = Object.entries(chains).map(([network, chain]) => [
      network,
      counted?.partner(chain, CHAIN_CALLS) ?? chain,
    ]);
    const deps = {
      db: counted?.database(db) ?? db,
      queue,
      links,
      chargeFollowers: CHARGE_FOLLOWERS,
      clock,
      log: silentLog,
      accounts: sandboxAccounts,
      chargeRules: SANDBOX_CHARGE_RULES,
      feePercent,
      orderTerms: openOrderTerms([]),
      settlement,
      rails: sandboxRails,
      rates: configuredRates(rates, 'sandbox'),
      prices: tablePrices({ reais: prices.table, rates }),
      chains: Object.fromEntries(watched) as Chains,
      decisionBatches: startDecisionBatches({
        db,
        queue,
        links,
        chargeFollowers: CHARGE_FOLLOWERS,
        rails: sandboxRails,
        clock,
      }),
      bankWaitMs: 0,
      payoutLimits: new Map(),
      approvalRules: [],
      walletPolicy,
      screening: await openScreening({ db, clock, log: silentLog }, screening),
    };
    return { ...deps, payoutOwner: ordersAsOwners(deps) };
  }

  return {
    db,
    deps: await depsAt(now, steps),
    depsAt,
    close: async () => {
      await queue.stop();
      await db.close();
    },
  };
}

export type OrderVerb =
  | 'create'
  | 'attach'
  | 'pay and follow'
  | 'follow'
  | 'claim'
  | 'open'
  | 'fulfill'
  | 'void'
  | 'reprice'
  | 'retry'
  | 'cancel'
  | 'sweep'
  | 'send then save';

type Verb = (deps: OrderNode['deps'], victim: Victim) => Promise<unknown>;

/** An order that is being created has no id yet and is found by its wallet. */
export const ORDER_VERBS: Readonly<Record<OrderVerb, Verb>> = {
  create: (deps, { transactionId: walletId }) =>
    createOrder(deps, {
      accountId: ACCOUNT,
      externalId: walletId,
      quote: { symbol: 'usdt', network: 'polygon', currency: 'BRL', wanted: { costCents: 54_100n } },
      walletId,
      settlementSchedule: 'D0',
      charge: PART,
    }),
  attach: (deps, { transactionId }) => attachCharge(deps, transactionId, PART),
  'pay and follow': async (deps, { transactionId, chargeId }) => {
    await recordPayment(
      { ...deps, paymentBatches: startPaymentBatches(deps) },
      {
        chargeId,
        method: 'pix',
        paidAt: deps.clock.now(),
        source: 'bank',
        reference: `paid ${chargeId}`,
      },
    );
    await followOrder(deps, { accountId: ACCOUNT, orderId: transactionId });
    await ORDER_VERBS.claim(deps, { transactionId, chargeId });
  },
  follow: (deps, { transactionId }) => followOrder(deps, { accountId: ACCOUNT, orderId: transactionId }),
  claim: async (deps, { transactionId }) => {
    const order = await findOrder(deps.db, transactionId);
    if (order) await claimWaiting(deps, order.network);
  },
  // Claims and stops, as a node that dies there.
  open: (deps, victim) => ORDER_VERBS.claim({ ...deps, chains: withoutSigner(deps.chains) }, victim),
  void: (deps, { transactionId }) => voidPayout(deps, transactionId),
  fulfill: async (deps, { transactionId }) => {
    const payout = await findPayoutOfOwner(deps.db, transactionId, ACCOUNT);
    if (payout) await advancePayout(deps, { accountId: ACCOUNT, payoutId: payout.id });
  },
  reprice: (deps, { transactionId }) => repriceOrder(deps, transactionId),
  retry: (deps, { transactionId }) => retryOrder(deps, transactionId),
  cancel: (deps, { transactionId }) => cancelOrder(deps, transactionId),
  sweep: deps => sweepOrders(deps, deps.clock.now()),
  'send then save': sendThenSave,
};

function withoutSigner(chains: Chains): Chains {
  const sign: Chain['sign'] = async () => ({ kind: 'unknown' });
  return Object.fromEntries(Object.entries(chains).map(([network, chain]) => [network, { ...chain, sign }]));
}

/** How crypto must NOT be sent: with any free nonce, and saved afterwards. The control that must pay twice. */
async function sendThenSave({ db, chains, clock }: OrderNode['deps'], { transactionId }: Victim): Promise<void> {
  const payout = await findPayoutOfOwner(db, transactionId, ACCOUNT);
  if (!payout || payout.attempts.length > 0) return;
  const chain = chainOf(chains, payout.network);
  const transfer = transferOf(payout);
  const nonce = (await chain.nextNonce(payout.sender))!;
  const signed = await chain.sign({ ...transfer, slot: { ...transfer.slot, nonce } }, []);
  assert(signed.kind === 'signed');
  const { hash, raw } = signed;
  const attempt = { number: 1, kind: 'transfer', hash, raw, signedAt: clock.now() } as const;
  await chain.broadcast(attempt);
  await db.transaction(tx => insertAttempts(tx, [{ payout, attempt }]));
}
