// One verb of a charge's life in a process of its own that is killed after a given number of steps.
import { cancelCharge } from '../../src/charges/cancel.ts';
import { createCharge } from '../../src/charges/create.ts';
import { chargeBatches } from '../../src/charges/create-batch.ts';
import { issueMethod } from '../../src/charges/issue.ts';
import { issueBatches } from '../../src/charges/issue-batch.ts';
import { recordPayment } from '../../src/charges/pay.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { reconcileCharge } from '../../src/charges/reconcile.ts';
import { askRefund, carryOutRefund } from '../../src/charges/refund.ts';
import { sweepCharges } from '../../src/charges/sweep.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import type { Method } from '../../src/rails/rail.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { sharedClock } from '../../src/storage/shared-clock.ts';
import { testClock } from './clock.ts';
import type { CrashOrder } from './crash.ts';
import { fileBank } from './file-bank.ts';
import { silentLog } from './log.ts';
import { dieAfter } from './steps.ts';

export type ChargeCrash = CrashOrder & {
  readonly bankFile: string;
  readonly chargeId: string;
  readonly refundId?: string;
};

const WORDS = ['submit', 'lookup', 'cancel', 'refund', 'lookupRefund', 'reconcile'] as const;

const order: ChargeCrash = JSON.parse(process.argv[2]!);
const steps = dieAfter(order.step);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
const queue = await startQueue({ db: real, log: silentLog });
const clock = sharedClock(real, testClock(order.now));
const bank = fileBank(order.bankFile);
const rails = { pix: steps.partner(bank.pix, WORDS), boleto: steps.partner(bank.boleto, WORDS) };
const db = steps.database(real);
const mode = 'sandbox';
const batches = chargeBatches({ db, queue, clock, mode, log: silentLog });
const issues = issueBatches({ db, queue, rails, clock, batches });
const deps = {
  db,
  queue,
  batches,
  issues,
  rails,
  rates: configuredRates({}, 'test'),
  clock,
  mode,
} as const;
const { chargeId, refundId = '' } = order;
const job = (method: Method) => ({ accountId: 'acme', chargeId, method });

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
  issue: () => issueMethod(deps, job('pix')),
  pay: () =>
    recordPayment(deps, {
      chargeId,
      method: 'pix',
      paidAt: clock.now(),
      source: 'test',
      reference: `paid ${chargeId}`,
    }),
  cancel: () => cancelCharge(deps, chargeId),
  refund: () => askRefund(deps, { chargeId, amount: 1_000n, idempotencyKey: 'once' }),
  'carry out refund': () => carryOutRefund(deps, { accountId: 'acme', chargeId, refundId }),
  reconcile: () => reconcileCharge(deps, { accountId: 'acme', chargeId }),
  sweep: () => sweepCharges(deps, clock.now()),
};

await VERBS[order.verb]!();
await queue.stop();
await real.close();
