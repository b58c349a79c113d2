// The verbs of a charge's life with what they need, outside any service: for a process that dies in the middle of one, and for
// a test that cuts one off.

import { cancelInstalments } from '../../src/billing/instalments/cancel.ts';
import { createInstalments } from '../../src/billing/instalments/create.ts';
import { createSubscription } from '../../src/billing/subscriptions/create.ts';
import { subscriptionJobs } from '../../src/billing/subscriptions/follow.ts';
import { subscriptionSweep } from '../../src/billing/subscriptions/sweep.ts';
import { cancelSubscription, pauseSubscription } from '../../src/billing/subscriptions/verbs.ts';
import { cancelCharge } from '../../src/charges/cancel.ts';
import { createCharge } from '../../src/charges/create/create.ts';
import { startChargeBatches } from '../../src/charges/create/create-batch.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { issueCharges } from '../../src/charges/issue/issue.ts';
import { type Links, openLinks } from '../../src/charges/links/links.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { recordPayment, startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { reconcileCharge } from '../../src/charges/reconcile/reconcile.ts';
import { carryOutRefund, requestRefund } from '../../src/charges/refund/refund.ts';
import { sweepCharges } from '../../src/charges/sweep.ts';
import { readConfig } from '../../src/config/config.ts';
import { type Queue, startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import { openOrderTerms } from '../../src/quotes/order-terms.ts';
import type { Method } from '../../src/rails/methods/methods.ts';
import type { Rail } from '../../src/rails/rail.ts';
import { sandboxAccounts } from '../../src/sandbox/accounts.ts';
import { sandboxChains } from '../../src/sandbox/chains/simulated-chain.ts';
import { sandboxChainStore } from '../../src/sandbox/chains/store.ts';
import { tablePrices } from '../../src/sandbox/prices.ts';
import { SANDBOX_CHARGE_RULES } from '../../src/sandbox/rules.ts';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { openScreening, type Screening } from '../../src/wallets/screening.ts';
import { testClock } from './clock.ts';
import { fileBank } from './file-bank.ts';
import { silentLog } from './log.ts';
import type { Steps } from './steps.ts';
import { watchOf } from './watch.ts';

export type ChargeVictim = {
  readonly chargeId: string;
  readonly refundId?: string;
  readonly planId?: string;
  readonly customerId?: string;
  readonly subscriptionId?: string;
  readonly externalId?: string;
};

export type ChargeVerb =
  | 'create instalments'
  | 'cancel instalments'
  | 'subscribe'
  | 'charge cycles'
  | 'follow subscription'
  | 'pause subscription'
  | 'cancel subscription'
  | 'create'
  | 'issue'
  | 'pay'
  | 'cancel'
  | 'refund'
  | 'carry out refund'
  | 'reconcile'
  | 'sweep';

const CALLS = ['submit', 'lookup', 'cancel', 'refund', 'lookupRefund'] as const;

export type ChargeNode = {
  /** Runs the verb at a moment, with a bank that keeps its records in a file. */
  run(verb: ChargeVerb, victim: ChargeVictim, given: Given): Promise<unknown>;
  close(): Promise<void>;
};

type Given = { readonly bankFile: string; readonly now: string; readonly steps: Steps };

export async function openChargeNode(databaseUrl: string): Promise<ChargeNode> {
  const real = openDatabase({ connection: { connectionString: databaseUrl }, log: silentLog, maxConnections: 2 });
  const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
  const links = await openLinks(real, () => 'http://localhost:3000');
  const screening = await openScreening({ db: real, clock: testClock(STARTED), log: silentLog }, SETTINGS.screening);
  return {
    run: (verb, victim, given) => runVerb({ real, queue, links, screening }, verb, victim, given),
    close: async () => {
      await queue.stop();
      await real.close();
    },
  };
}

type Parts = {
  readonly real: Database;
  readonly queue: Queue;
  readonly links: Links;
  readonly screening: Screening;
};

const SETTINGS = readConfig({ TRILHO_MODE: 'sandbox' });
/** Nothing is screened by the time of day. */
const STARTED = '2026-11-16T12:00:00.000Z';

function runVerb(
  { real, queue, links, screening }: Parts,
  verb: ChargeVerb,
  victim: ChargeVictim,
  { bankFile, now, steps }: Given,
): Promise<unknown> {
  function counted<M extends Method>(rail: Rail<M>): Rail<M> {
    return { ...steps.partner(rail, CALLS), watch: steps.partner(watchOf(rail), ['receiptsOf']) };
  }
  const clock = testClock(now);
  const bank = fileBank(bankFile);
  const base = {
    db: steps.database(real),
    queue,
    links,
    chargeFollowers: CHARGE_FOLLOWERS,
    disputeDays: 11,
    rails: { pix: counted(bank.pix), boleto: counted(bank.boleto) },
    rates: configuredRates({}, 'test'),
    clock,
    accounts: sandboxAccounts,
    chargeRules: SANDBOX_CHARGE_RULES,
    bankWaitMs: 3_000,
    log: silentLog,
    ...{ screening, approvalRules: [], orderTerms: openOrderTerms([]) },
    ...{ feePercent: SETTINGS.feePercent, settlement: SETTINGS.settlement, walletPolicy: SETTINGS.walletPolicy },
    prices: tablePrices({ reais: SETTINGS.prices.table, rates: SETTINGS.rates }),
    chains: sandboxChains({ clock, store: sandboxChainStore(real) }),
  } as const;
  const deps = {
    ...base,
    chargeBatches: startChargeBatches(base),
    decisionBatches: startDecisionBatches(base),
    paymentBatches: startPaymentBatches(base),
  };
  const { chargeId, refundId = '', planId = '', customerId = '', subscriptionId = '', externalId } = victim;
  const verbs: Record<ChargeVerb, () => Promise<unknown>> = {
    create: () =>
      createCharge(deps, {
        accountId: 'acme',
        ...(externalId !== undefined && { externalId }),
        amountCents: 15_990n,
        currency: 'BRL',
        methods: ['boleto', 'pix'],
        customer: { name: 'Maria', document: '52998224725', type: 'individual' },
        dueAt: new Date('2026-12-11T02:59:59Z'),
      }),
    'create instalments': () =>
      createInstalments(base, {
        amountCents: 100_000n,
        division: { count: 3 },
        firstDueDay: '2026-12-31',
        terms: {
          accountId: 'acme',
          ...(externalId !== undefined && { externalId }),
          currency: 'BRL',
          methods: ['boleto', 'pix'],
          customer: { name: 'Maria', document: '52998224725', type: 'individual' },
        },
      }),
    'cancel instalments': () => cancelInstalments(base, planId),
    subscribe: () =>
      createSubscription(base, {
        ...{ accountId: 'acme', planId, customerId },
        ...(externalId !== undefined && { externalId }),
      }),
    'charge cycles': () => subscriptionSweep(base).upTo(clock.now()),
    'follow subscription': () => subscriptionJobs(base)[0]!.run({ accountId: 'acme', subscriptionId, chargeId }),
    'pause subscription': () => pauseSubscription(base, subscriptionId),
    'cancel subscription': () =>
      cancelSubscription(base, subscriptionId, { at: 'now', forgives: true, reason: 'requested' }),
    issue: () => issueCharges(deps, { charges: [{ accountId: 'acme', chargeId }] }),
    pay: () =>
      recordPayment(deps, {
        chargeId,
        method: 'pix',
        paidAt: clock.now(),
        source: 'bank',
        reference: `paid ${chargeId}`,
      }),
    cancel: () => cancelCharge(deps, chargeId),
    refund: () => requestRefund(deps, { chargeId, amount: 1_000n, idempotencyKey: 'once' }),
    'carry out refund': () => carryOutRefund(deps, { accountId: 'acme', chargeId, refundId }),
    reconcile: () => reconcileCharge(deps, { accountId: 'acme', chargeId }),
    sweep: () => sweepCharges(deps, clock.now()),
  };
  return verbs[verb]();
}
