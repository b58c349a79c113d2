// The verbs of a charge at a bank with a boleto API with what they need, outside any service: for a process that dies in the middle
// of one, and for a test that cuts one off.
import { openedAccounts } from '../../src/accounts/require.ts';
import { STRICT_CHARGE_RULES } from '../../src/charges/create/check.ts';
import { createCharge } from '../../src/charges/create/create.ts';
import { startChargeBatches } from '../../src/charges/create/create-batch.ts';
import { changeDueDay } from '../../src/charges/due-date/change-at-bank.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { lookAtRails } from '../../src/charges/receive/watch-rails.ts';
import { findByExternalId } from '../../src/charges/store/charges.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import type { AgreementEntry } from '../../src/rails/agreement-entry.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { liveRails } from '../../src/rails/live-rails.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import { silentLog } from './log.ts';
import type { Steps } from './steps.ts';

/** `due`: asks the bank for the new due day of the named charge, as its job does. */
export type BoletoVerb = 'create' | 'look' | 'due';

export type BoletoNode = {
  /** Runs the verb at a moment. A charge that it creates gets the name. */
  run(verb: BoletoVerb, externalId: string, given: Given): Promise<void>;
  close(): Promise<void>;
};

export type Banks = { readonly rails: readonly BacenEntry[]; readonly boletos: readonly AgreementEntry[] };
type Given = { readonly now: string; readonly banks: Banks; readonly steps: Steps };

/** Longer than even a slow machine needs, so that the caller always waits for the bank. */
const BANK_WAIT_MS = 600_000;

const address = { street: 'Rua das Flores', city: 'São Paulo', state: 'SP', postalCode: '01001-000' };

export async function openBoletoNode(databaseUrl: string): Promise<BoletoNode> {
  const real = openDatabase({ connection: { connectionString: databaseUrl }, log: silentLog, maxConnections: 4 });
  const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
  const links = await openLinks(real, () => 'http://localhost:3000');

  async function run(verb: BoletoVerb, externalId: string, { now, banks, steps }: Given): Promise<void> {
    const clock = testClock(now);
    const { rails, stop } = liveRails(banks, { clock, log: silentLog });
    const base = {
      db: steps.database(real),
      queue,
      links,
      chargeFollowers: CHARGE_FOLLOWERS,
      disputeDays: 11,
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
    const verbs: Record<BoletoVerb, () => Promise<unknown>> = {
      create: () =>
        createCharge(deps, {
          accountId: 'acme',
          externalId,
          amountCents: 15_990n,
          currency: 'BRL',
          methods: ['boleto'],
          customer: { name: 'Maria da Silva', document: '52998224725', type: 'individual', address },
          dueAt: new Date('2026-12-11T02:59:59Z'),
        }),
      look: () => lookAtRails(deps),
      due: async () => {
        const first = await findByExternalId(real, 'acme', externalId);
        await changeDueDay(deps, { accountId: 'acme', chargeId: first!.id });
      },
    };
    steps.answers();
    try {
      await verbs[verb]();
    } finally {
      stop();
    }
  }

  return {
    run,
    close: async () => {
      await queue.stop();
      await real.close();
    },
  };
}
