// The verbs of a charge at a PSP with what they need, outside any service: for a process that dies in the middle of one, and for a
// test that cuts one off.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { openedAccounts } from '../../src/accounts/require.ts';
import { lookAtMandate } from '../../src/billing/mandates/look.ts';
import { lookAtCollection } from '../../src/billing/mandates/look-collection.ts';
import { reminderSweep } from '../../src/billing/reminders/sweep.ts';
import { subscriptionSweep } from '../../src/billing/subscriptions/sweep.ts';
import { STRICT_CHARGE_RULES } from '../../src/charges/create/check.ts';
import { createCharge } from '../../src/charges/create/create.ts';
import { startChargeBatches } from '../../src/charges/create/create-batch.ts';
import { startDecisionBatches } from '../../src/charges/issue/decide.ts';
import { openLinks } from '../../src/charges/links/links.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { handleNotifications, startNotificationBatches } from '../../src/charges/receive/notifications.ts';
import { startPaymentBatches } from '../../src/charges/receive/pay.ts';
import { lookAtRails } from '../../src/charges/receive/watch-rails.ts';
import { carryOutRefund, requestRefund } from '../../src/charges/refund/refund.ts';
import { startReceiver } from '../../src/http/receiver.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../../src/nouns.ts';
import { absentRail } from '../../src/rails/absent.ts';
import type { BacenEntry } from '../../src/rails/bacen/entry.ts';
import { bacenRail } from '../../src/rails/bacen/rail.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import { silentLog } from './log.ts';
import type { Steps } from './steps.ts';

/** What the verb acts on. */
export type PspVictim = {
  readonly chargeId: string;
  /** The name of a charge that is created. */
  readonly externalId?: string;
  readonly emv?: string;
  /** The port of the receiver that the PSP notifies of a payment of the code. */
  readonly port?: number;
  /** The stored notification of a payment. */
  readonly notificationIds?: readonly string[];
  readonly mandateId?: string;
  readonly collectionId?: string;
};

export type PspVerb =
  | 'create'
  | 'be notified'
  | 'handle notifications'
  | 'look'
  | 'refund'
  | 'charge cycles'
  | 'plan reminders'
  | 'look at mandate'
  | 'look at collection';

export type PspPlace = {
  readonly rail: BacenEntry;
  /** Where the PSP is asked to pay. */
  readonly controlUrl: string;
  readonly receiver: {
    readonly certificateFile: string;
    readonly privateKeyFile: string;
    readonly pathToken: string;
  };
};

export type PspNode = {
  /** Runs the verb at a moment. */
  run(verb: PspVerb, victim: PspVictim, given: Given): Promise<void>;
  close(): Promise<void>;
};

type Given = { readonly now: string; readonly place: PspPlace; readonly steps: Steps };

/** Longer than even a slow machine needs, so that the caller always waits for the PSP. */
const BANK_WAIT_MS = 600_000;

export async function openPspNode(databaseUrl: string): Promise<PspNode> {
  const real = openDatabase({ connection: { connectionString: databaseUrl }, log: silentLog, maxConnections: 4 });
  const queue = await startQueue({ db: real, log: silentLog, kinds: ALL_JOBS });
  const links = await openLinks(real, () => 'http://localhost:3000');

  async function run(verb: PspVerb, victim: PspVictim, { now, place, steps }: Given): Promise<void> {
    const clock = testClock(now);
    const rail = bacenRail(place.rail, { clock, log: silentLog });
    const base = {
      db: steps.database(real),
      queue,
      links,
      chargeFollowers: CHARGE_FOLLOWERS,
      disputeDays: 11,
      rails: { pix: rail, boleto: absentRail('boleto') },
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
      notificationBatches: startNotificationBatches(base),
    };
    const { chargeId, externalId, emv, port = 0, notificationIds = [], mandateId = '', collectionId = '' } = victim;
    const verbs: Record<PspVerb, () => Promise<unknown>> = {
      create: () =>
        createCharge(deps, {
          accountId: 'acme',
          ...(externalId !== undefined && { externalId }),
          amountCents: 15_990n,
          currency: 'BRL',
          methods: ['pix'],
          customer: { name: 'Maria', document: '52998224725', type: 'individual' },
          dueAt: new Date('2026-12-11T02:59:59Z'),
        }),
      'be notified': async () => {
        const { certificateFile, privateKeyFile, pathToken } = place.receiver;
        const clientCa = readFileSync(place.rail.webhook!.clientCaFile!, 'utf8');
        const tls = { certificateFile, privateKeyFile };
        const rails = [{ name: rail.name, pathToken, clientCa }];
        const receiver = await startReceiver(deps, { host: '127.0.0.1', port, tls }, rails);
        try {
          await control(place.controlUrl, '/pay', { emv });
          // Answered when the PSP has sent its notifications.
          await control(place.controlUrl, '/notifications/deliver', {});
        } finally {
          await receiver.stop();
        }
      },
      'handle notifications': () => handleNotifications(deps, { ids: notificationIds }),
      look: async () => assert.equal(await lookAtRails(deps), 1, 'a look was due'),
      'charge cycles': () => subscriptionSweep(base).upTo(clock.now()),
      'plan reminders': () => reminderSweep(base).upTo(clock.now()),
      'look at mandate': () => lookAtMandate(deps, { accountId: 'acme', mandateId }),
      'look at collection': () => lookAtCollection(deps, { accountId: 'acme', collectionId }),
      refund: async () => {
        const { refund } = await requestRefund(deps, { chargeId, amount: 1_000n, idempotencyKey: 'once' });
        await carryOutRefund(deps, { accountId: 'acme', chargeId, refundId: refund.id });
      },
    };
    steps.answers();
    try {
      await verbs[verb]();
    } finally {
      rail.stop();
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

/** Not a call of the service, so it is no step. */
async function control(controlUrl: string, path: string, body: object): Promise<void> {
  const answer = await fetch(controlUrl + path, { method: 'POST', body: JSON.stringify(body) });
  assert.ok(answer.ok, await answer.text());
}
