// The verbs of an order's life with what they need, outside any service: for a process that dies in the middle of one, and
// for a test that takes one step and no further.
import type { Chain, Chains } from '../../src/chains/chain.ts';
import { sandboxChains } from '../../src/chains/sandbox.ts';
import { recordPayment } from '../../src/charges/pay.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { readConfig } from '../../src/config.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { tablePrices } from '../../src/prices/table.ts';
import { sandboxRails } from '../../src/rails/sandbox.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { attachCharge } from '../../src/transactions/attach.ts';
import { cancelOrder } from '../../src/transactions/cancel.ts';
import { chainOf } from '../../src/transactions/claim.ts';
import { followOrder } from '../../src/transactions/follow.ts';
import { fulfillOrder } from '../../src/transactions/fulfill.ts';
import { createOrder, type OrderDeps } from '../../src/transactions/order.ts';
import { transferOf } from '../../src/transactions/payout.ts';
import { repriceOrder } from '../../src/transactions/reprice.ts';
import { retryOrder } from '../../src/transactions/retry.ts';
import { findPayout, insertAttempt } from '../../src/transactions/store-payouts.ts';
import { sandboxChainMemory } from '../../src/transactions/store-sandbox-chain.ts';
import { sweepOrders } from '../../src/transactions/sweep.ts';
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

const WORDS = ['nextNonce', 'sign', 'broadcast', 'look'] as const satisfies readonly (keyof Chain)[];

export type Office = {
  readonly deps: Omit<OrderDeps, 'clock'> & { readonly clock: TestClock };
  /** The database, uncounted. */
  readonly db: Database;
  close(): Promise<void>;
};

/** What the verbs need, at a moment of its own; the chain's memory is the database, so it outlives the process. */
export async function openOffice(databaseUrl: string, now: string, steps?: Steps): Promise<Office> {
  const db = openDatabase({ connection: { connectionString: databaseUrl }, log: silentLog, maxConnections: 3 });
  const queue = await startQueue({ db, log: silentLog });
  const clock = testClock(now);
  const { feePercent, settlement, prices, rates, mode } = readConfig({ TRILHO_MODE: 'sandbox' });
  const chains = sandboxChains({ clock, memory: sandboxChainMemory(db) });
  const watched = Object.entries(chains).map(([network, chain]) => [network, steps?.partner(chain, WORDS) ?? chain]);
  return {
    db,
    deps: {
      db: steps?.database(db) ?? db,
      queue,
      clock,
      mode,
      feePercent,
      settlement,
      rails: sandboxRails,
      rates: configuredRates(rates, 'sandbox'),
      prices: tablePrices({ reais: prices.table, rates }),
      chains: Object.fromEntries(watched) as Chains,
    },
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
  | 'fulfill'
  | 'reprice'
  | 'retry'
  | 'cancel'
  | 'sweep'
  | 'send then save';

type Verb = (deps: Office['deps'], victim: Victim) => Promise<unknown>;

/** An order that is being made has a wallet instead of an id, and is called by it. */
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
    await recordPayment(deps, {
      chargeId,
      method: 'pix',
      paidAt: deps.clock.now(),
      source: 'test',
      reference: `paid ${chargeId}`,
    });
    await followOrder(deps, { accountId: ACCOUNT, transactionId });
  },
  follow: (deps, { transactionId }) => followOrder(deps, { accountId: ACCOUNT, transactionId }),
  fulfill: (deps, { transactionId }) => fulfillOrder(deps, { accountId: ACCOUNT, transactionId }),
  reprice: (deps, { transactionId }) => repriceOrder(deps, transactionId),
  retry: (deps, { transactionId }) => retryOrder(deps, transactionId),
  cancel: (deps, { transactionId }) => cancelOrder(deps, transactionId),
  sweep: deps => sweepOrders(deps, deps.clock.now()),
  'send then save': sendThenSave,
};

/** How crypto is NOT sent: in whichever slot is free, and written down afterwards. The control that must pay twice. */
async function sendThenSave({ db, chains, clock }: Office['deps'], { transactionId }: Victim): Promise<void> {
  const payout = await findPayout(db, { id: transactionId, accountId: ACCOUNT });
  if (!payout || payout.attempts.length > 0) return;
  const chain = chainOf(chains, payout.network);
  const transfer = transferOf(payout);
  const nonce = (await chain.nextNonce())!;
  const attempt = { ...(await chain.sign({ ...transfer, slot: { ...transfer.slot, nonce } }, 1)), number: 1 };
  await chain.broadcast(attempt);
  await db.transaction(tx => insertAttempt(tx, payout, attempt, clock.now()));
}
