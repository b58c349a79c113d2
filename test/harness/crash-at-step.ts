// One verb of a charge's life in a process of its own that is killed after a given number of steps.
import { cancelCharge } from '../../src/charges/cancel.ts';
import { createCharge } from '../../src/charges/create.ts';
import { startChargeBatches } from '../../src/charges/create-batch.ts';
import { startDecisionBatches } from '../../src/charges/decide.ts';
import { issueCharges } from '../../src/charges/issue.ts';
import { openLinks } from '../../src/charges/links.ts';
import { recordPayment, startPaymentBatches } from '../../src/charges/pay.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { reconcileCharge } from '../../src/charges/reconcile.ts';
import { carryOutRefund, requestRefund } from '../../src/charges/refund.ts';
import { sweepCharges } from '../../src/charges/sweep.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import type { Method, Rail } from '../../src/rails/rail.ts';
import { sandboxAccounts } from '../../src/sandbox/accounts.ts';
import { SANDBOX_CHARGE_RULES } from '../../src/sandbox/rules.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import type { CrashOrder } from './crash.ts';
import { fileBank } from './file-bank.ts';
import { ALL_JOBS } from './jobs.ts';
import { silentLog } from './log.ts';
import { dieAfter } from './steps.ts';
import { watchOf } from './watch.ts';

export type ChargeCrash = CrashOrder & {
  readonly bankFile: string;
  readonly chargeId: string;
  readonly refundId?: string;
};

const CALLS = ['submit', 'lookup', 'cancel', 'refund', 'lookupRefund'] as const;

function counted<M extends Method>(rail: Rail<M>): Rail<M> {
  return { ...steps.partner(rail, CALLS), watch: steps.partner(watchOf(rail), ['receiptsOf']) };
}

const order: ChargeCrash = JSON.parse(process.argv[2]!);
const steps = dieAfter(order.step);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
const clock = testClock(order.now);
const bank = fileBank(order.bankFile);
const rails = { pix: counted(bank.pix), boleto: counted(bank.boleto) };
const base = {
  db: steps.database(real),
  queue,
  links: await openLinks(real, () => 'http://localhost:3000'),
  rails,
  rates: configuredRates({}, 'test'),
  clock,
  accounts: sandboxAccounts,
  chargeRules: SANDBOX_CHARGE_RULES,
  bankWaitMs: 3_000,
  log: silentLog,
} as const;
const deps = {
  ...base,
  chargeBatches: startChargeBatches(base),
  decisionBatches: startDecisionBatches(base),
  paymentBatches: startPaymentBatches(base),
};
const { chargeId, refundId = '' } = order;

const VERBS: Record<string, () => Promise<unknown>> = {
  create: () =>
    createCharge(deps, {
      accountId: 'acme',
      externalId: `crash-${order.step}`,
      amountCents: 15_990n,
      currency: 'BRL',
      methods: ['boleto', 'pix'],
      customer: { name: 'Maria', document: '52998224725', type: 'individual' },
      dueAt: new Date('2026-12-11T02:59:59Z'),
    }),
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

await VERBS[order.verb]!();
await queue.stop();
await real.close();
