// One step of `cnab` in its own process, so that its memory is measured alone: creates boletos, makes files of them, or reads a
// return. Prints the measurements as a line of JSON.

import { readFileSync } from 'node:fs';
import { openedAccounts } from '../src/accounts/require.ts';
import { instructRegistrations } from '../src/charges/bank-files/instruct.ts';
import { offerFiles } from '../src/charges/bank-files/offer-files.ts';
import { readReturn } from '../src/charges/bank-files/read-return.ts';
import { STRICT_CHARGE_RULES } from '../src/charges/create/check.ts';
import { createCharge } from '../src/charges/create/create.ts';
import { startChargeBatches } from '../src/charges/create/create-batch.ts';
import { startDecisionBatches } from '../src/charges/issue/decide.ts';
import { requireRails } from '../src/charges/issue/require-rails.ts';
import { openLinks } from '../src/charges/links/links.ts';
import { configuredRates } from '../src/charges/rate.ts';
import { startPaymentBatches } from '../src/charges/receive/pay.ts';
import { findCharges } from '../src/charges/store/charges.ts';
import { startQueue } from '../src/jobs/queue.ts';
import { DAY_MS } from '../src/lib/civil-days.ts';
import { systemClock as clock } from '../src/lib/clock.ts';
import { createLog } from '../src/lib/log.ts';
import { ALL_JOBS, CHARGE_FOLLOWERS } from '../src/nouns.ts';
import type { AgreementEntry } from '../src/rails/agreement-entry.ts';
import { liveRails } from '../src/rails/live-rails.ts';
import { connect } from '../src/storage/connect.ts';
import { startProcessorMeter } from './processor-time.ts';

export type FileWork = {
  readonly databaseUrl: string;
  readonly agreement: AgreementEntry;
  readonly accountId: string;
  readonly postmasterPid: number;
} & (
  | { readonly step: 'make'; readonly count: number }
  | { readonly step: 'write'; readonly folder: string }
  | { readonly step: 'read'; readonly file: string }
);

/** `count` boletos, titles or entries; resident memory when a quarter of the time had passed, and the most. */
export type FileWorkDone = {
  readonly count: number;
  readonly ms: number;
  readonly earlyBytes: number;
  readonly mostBytes: number;
  /** Of this process and of the database, for each. */
  readonly processor: string;
};

const AT_ONCE = 200;
const LOOK_EVERY_MS = 100;
const work: FileWork = JSON.parse(process.argv[2]!);
const log = createLog('error', process.stderr);
const db = await connect({ connection: { connectionString: work.databaseUrl }, log });
const { rails } = liveRails({ rails: [], boletos: [work.agreement] }, { clock, log });
await requireRails(db, rails, clock.now());
const queue = await startQueue({ db, log, kinds: ALL_JOBS });
const base = {
  ...{ db, queue, log, clock, rails, bankWaitMs: 0 },
  links: await openLinks(db, () => 'http://127.0.0.1:3000'),
  chargeFollowers: CHARGE_FOLLOWERS,
  disputeDays: 11,
  rates: configuredRates({}, 'bench'),
  accounts: openedAccounts,
  chargeRules: STRICT_CHARGE_RULES,
};
const deps = {
  ...base,
  chargeBatches: startChargeBatches(base),
  decisionBatches: startDecisionBatches(base),
  paymentBatches: startPaymentBatches(base),
};

const memory: number[] = [];
const looking = setInterval(() => memory.push(process.memoryUsage.rss()), LOOK_EVERY_MS);
const meter = startProcessorMeter(process.pid, work.postmasterPid);
const startedAt = performance.now();
const count = await doStep();
const ms = performance.now() - startedAt;
const processor = meter.perRequest(count);
clearInterval(looking);
await queue.stop();
await db.close();
const earlyBytes = Math.max(...memory.slice(0, Math.ceil(memory.length / 4)));
const done: FileWorkDone = { count, ms, earlyBytes, mostBytes: Math.max(...memory), processor };
process.stdout.write(`${JSON.stringify(done)}\n`);

async function doStep(): Promise<number> {
  if (work.step === 'write') {
    const files = await offerFiles(deps, work.agreement.name, work.folder);
    return files.reduce((sum, { titles }) => sum + titles, 0);
  }
  if (work.step === 'read') return (await readReturn(deps, readFileSync(work.file))).file.booked;
  for (let made = 0; made < work.count; made += AT_ONCE) {
    const some = Array.from({ length: Math.min(AT_ONCE, work.count - made) }, (_, index) => makeCharge(made + index));
    const ids = (await Promise.all(some)).map(({ id }) => id);
    await instructRegistrations(deps, await findCharges(db, ids));
  }
  return work.count;
}

function makeCharge(index: number) {
  const address = { street: `Rua das Flores, ${index}`, city: 'São Paulo', state: 'SP', postalCode: '01001-000' };
  return createCharge(deps, {
    accountId: work.accountId,
    amountCents: BigInt(1_000 + index),
    currency: 'BRL',
    methods: ['boleto'],
    finePercent: '2',
    interestPercent: '1',
    customer: { name: `José da Conceição ${index}`, document: '52998224725', type: 'individual', address },
    dueAt: new Date(clock.now().getTime() + 20 * DAY_MS),
  });
}
