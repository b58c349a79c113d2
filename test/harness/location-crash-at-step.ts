// Taking locations at a PSP, or making a charge that has one, in a process of its own that is killed after a given number of
// steps.

import { createCharge } from '../../src/charges/create/create.ts';
import { startChargeBatches } from '../../src/charges/create/create-batch.ts';
import { fillLocations } from '../../src/charges/create/fill-locations.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { sandboxAccounts } from '../../src/sandbox/accounts.ts';
import { sandboxRails } from '../../src/sandbox/rails.ts';
import { SANDBOX_CHARGE_RULES } from '../../src/sandbox/rules.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import type { CrashOrder } from './crash.ts';
import { silentLog } from './log.ts';
import { dieAfter } from './steps.ts';

export type LocationCrash = CrashOrder & { readonly rail: BacenEntry };

const order: LocationCrash = JSON.parse(process.argv[2]!);
const steps = dieAfter(order.step);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
const clock = testClock(order.now);
const rail = bacenRail(order.rail, { clock, log: silentLog });
const pix = { ...steps.partner(rail, ['submit', 'lookup']), locations: steps.partner(rail.locations!, ['take']) };
const base = {
  db: steps.database(real),
  queue,
  links: await openLinks(real, () => 'http://localhost:3000'),
  chargeFollowers: CHARGE_FOLLOWERS,
  rails: { ...sandboxRails, pix },
  rates: configuredRates({}, 'test'),
  clock,
  accounts: sandboxAccounts,
  chargeRules: SANDBOX_CHARGE_RULES,
  bankWaitMs: 3_000,
  log: silentLog,
} as const;
const deps = { ...base, chargeBatches: startChargeBatches(base), decisionBatches: startDecisionBatches(base) };

const VERBS: Record<string, () => Promise<unknown>> = {
  fill: () => fillLocations(deps),
  create: () =>
    createCharge(deps, {
      accountId: 'acme',
      externalId: `crash-${order.step}`,
      amountCents: 15_990n,
      currency: 'BRL',
      methods: ['pix'],
      customer: { name: 'Maria da Silva', document: '52998224725', type: 'individual' },
      dueAt: new Date('2026-12-11T02:59:59Z'),
    }),
};

await VERBS[order.verb]!();
rail.stop();
await queue.stop();
await real.close();
