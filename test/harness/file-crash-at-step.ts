// Creating a charge whose boleto goes by file, or the files to its bank, in a process of its own that is killed after a given number of
// steps. A further step is before a file is marked as offered, when it lies in its folder.

import { exchangeNow } from '../../src/charges/bank-files/exchange-files.ts';
import { instructRegistrations } from '../../src/charges/bank-files/instruct.ts';
import { offerFiles } from '../../src/charges/bank-files/offer-files.ts';
import { createCharge } from '../../src/charges/create/create.ts';
import { startChargeBatches } from '../../src/charges/create/create-batch.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { findCharges } from '../../src/charges/store/charges.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { sandboxAccounts } from '../../src/sandbox/accounts.ts';
import { SANDBOX_CHARGE_RULES } from '../../src/sandbox/rules.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import type { CrashOrder } from './crash.ts';
import { silentLog } from './log.ts';
import { dieAfter } from './steps.ts';

export type FileCrash = CrashOrder & {
  readonly agreement: AgreementEntry;
  readonly folder: string;
  readonly chargeIds: readonly string[];
};

const order: FileCrash = JSON.parse(process.argv[2]!);
const steps = dieAfter(order.step);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
const clock = testClock(order.now);
const { rails } = liveRails({ rails: [], boletos: [order.agreement] }, { clock, log: silentLog });
const counted = steps.database(real);
const before = steps.partner({ reach: async () => {} }, ['reach']);
const db: typeof real = {
  ...counted,
  query: async (text, values) => {
    if (/set offered_at/.test(text)) await before.reach();
    return counted.query(text, values);
  },
};
const links = await openLinks(real, () => 'http://localhost:3000');
const base = {
  ...{ db, queue, links, rails, clock, log: silentLog, bankWaitMs: 0, disputeDays: 11 },
  chargeFollowers: CHARGE_FOLLOWERS,
  rates: configuredRates({}, 'test'),
  accounts: sandboxAccounts,
  chargeRules: SANDBOX_CHARGE_RULES,
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
  instruct: async () => instructRegistrations(deps, await findCharges(real, [...order.chargeIds])),
  write: () => offerFiles(deps, order.agreement.name, order.folder),
  exchange: () => exchangeNow(deps, order.agreement.name),
};

await VERBS[order.verb]!();
await queue.stop();
await real.close();
