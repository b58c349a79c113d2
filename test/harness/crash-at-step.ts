// One verb of a charge's life in a process of its own that is killed after a given number of steps. A step is a statement
// that the database answered or a word with the bank.
import { cancelCharge } from '../../src/charges/cancel.ts';
import { createCharge } from '../../src/charges/create.ts';
import { issueMethod } from '../../src/charges/issue.ts';
import { recordPayment } from '../../src/charges/pay.ts';
import { configuredRates } from '../../src/charges/rate.ts';
import { reconcileCharge } from '../../src/charges/reconcile.ts';
import { askRefund, carryOutRefund } from '../../src/charges/refund.ts';
import { sweepCharges } from '../../src/charges/sweep.ts';
import { startQueue } from '../../src/jobs/queue.ts';
import type { Method, Rails } from '../../src/rails/rail.ts';
import { type Database, openDatabase, type Sql } from '../../src/storage/database.ts';
import { testClock } from './clock.ts';
import { fileBank } from './file-bank.ts';
import { silentLog } from './log.ts';

export type CrashOrder = {
  readonly databaseUrl: string;
  readonly bankFile: string;
  readonly now: string;
  readonly verb: string;
  readonly chargeId: string;
  readonly refundId?: string;
  /** Killed after this many steps. */
  readonly step: number;
};

const order: CrashOrder = JSON.parse(process.argv[2]!);
let stepsLeft = order.step;

function stepDone(): void {
  if (--stepsLeft === 0) process.kill(process.pid, 'SIGKILL');
}

function counted(db: Database): Database {
  const query = (sql: Sql): Sql['query'] => {
    return async (text, values) => {
      const rows = await sql.query(text, values);
      stepDone();
      return rows as never;
    };
  };
  return {
    ...db,
    query: query(db),
    transaction: async work => {
      const result = await db.transaction(tx => work({ query: query(tx) }));
      stepDone();
      return result;
    },
  };
}

function countedRails(rails: Rails): Rails {
  const proxy = (rail: object) =>
    new Proxy(rail, {
      get: (target, name) => {
        const value = target[name as keyof typeof target] as unknown;
        if (
          typeof value !== 'function' ||
          !['submit', 'lookup', 'cancel', 'refund', 'lookupRefund', 'reconcile'].includes(String(name))
        )
          return value;
        return async (...args: unknown[]) => {
          const answer = await value(...args);
          stepDone();
          return answer;
        };
      },
    });
  return { pix: proxy(rails.pix), boleto: proxy(rails.boleto) } as Rails;
}

const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
const queue = await startQueue({ db: real, log: silentLog });
const clock = testClock(order.now);
const rails = countedRails(fileBank(order.bankFile));
const deps = { db: counted(real), queue, rails, rates: configuredRates({}, 'test'), clock, mode: 'sandbox' as const };
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
