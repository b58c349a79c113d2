// One verb of a charge at a bank with a boleto API in a process of its own that is killed after a given number of steps. The bank is
// another process and goes on: what it was sent, it has.
import { openedAccounts } from '../../src/accounts/require.ts';
import { STRICT_CHARGE_RULES } from '../../src/charges/check.ts';
import { createCharge } from '../../src/charges/create.ts';
import { startChargeBatches } from '../../src/charges/create-batch.ts';
import { startDecisionBatches } from '../../src/charges/decide.ts';
import { openLinks } from '../../src/charges/links.ts';
import { startPaymentBatches } from '../../src/charges/pay.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { lookAtRails } from '../../src/charges/watch-rails.ts';
import type { BoletoSettings } from '../../src/config/boleto-settings.ts';
import type { RailSettings } from '../../src/config/rail-settings.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import type { CrashOrder } from './crash.ts';
import { ALL_JOBS } from './jobs.ts';
import { silentLog } from './log.ts';
import { dieAfter } from './steps.ts';

export type BoletoCrash = CrashOrder & {
  readonly rails: readonly RailSettings[];
  readonly boletos: readonly BoletoSettings[];
};

/** Longer than any machine takes, so that the caller always waits for the bank. */
const BANK_WAIT_MS = 600_000;

const order: BoletoCrash = JSON.parse(process.argv[2]!);
const steps = dieAfter(order.step);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 4 });
const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
const clock = testClock(order.now);
const { rails, stop } = liveRails(order, { clock, log: silentLog });
const base = {
  db: steps.database(real),
  queue,
  links: await openLinks(real, () => 'http://localhost:3000'),
  rails,
  rates: configuredRates({}, 'test'),
  clock,
  accounts: openedAccounts,
  chargeRules: STRICT_CHARGE_RULES,
  bankWaitMs: BANK_WAIT_MS,
  log: silentLog,
} as const;
const deps = {
  ...base,
  chargeBatches: startChargeBatches(base),
  decisionBatches: startDecisionBatches(base),
  paymentBatches: startPaymentBatches(base),
};

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };

const VERBS: Record<string, () => Promise<unknown>> = {
  create: () =>
    createCharge(deps, {
      accountId: 'acme',
      externalId: `crash-${order.step}`,
      amountCents: 15_990n,
      currency: 'BRL',
      methods: ['boleto'],
      customer: { name: 'Maria da Silva', document: '52998224725', type: 'individual', address },
      dueAt: new Date('2026-12-11T02:59:59Z'),
    }),
  look: () => lookAtRails(deps),
};

steps.answers();
await VERBS[order.verb]!();
stop();
await queue.stop();
await real.close();
