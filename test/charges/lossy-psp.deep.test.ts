// Payments through a PSP that loses replies, goes silent, repeats, reorders, drops and forges notifications: every payment is
// credited once and nothing is invented. `npm run drill -- psp` is the same with five thousand, and with a service that is killed.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Database, openDatabase } from '../../src/storage/database.ts';
import { recordingLog, silentLog } from '../harness/log.ts';
import {
  forgeNotifications,
  type LossyService,
  leaks,
  lossesOf,
  runPayers,
  setLosses,
  watchTokens,
} from '../harness/lossy-psp.ts';
import { differences } from '../harness/order-proof.ts';
import { type ServiceAtPsp, startServiceAtPsp } from '../harness/psp.ts';
import { proveMoney } from '../harness/psp-proof.ts';

const PAYERS = 250;
const AT_ONCE = 24;
const SEED = 19;
const MAX_LOOKS = 30;

const { log, lines } = recordingLog();
let at: ServiceAtPsp;
let db: Database;
before(async () => {
  at = await startServiceAtPsp({
    log,
    psp: { seed: SEED },
    // A slow machine must not look like a silent PSP.
    rail: { timeoutSeconds: 5 },
    env: { TRILHO_RATE_LIMIT: '0', TRILHO_MAX_IN_FLIGHT: '0', TRILHO_BANK_WAIT_MS: '500' },
  });
  db = openDatabase({ connection: { connectionString: at.service.databaseUrl }, log: silentLog });
});
after(async () => {
  await db.close();
  await at.stop();
});

const prove = () => proveMoney(text => at.service.sql(text), at.psp);

/** A minute passes in every round, so that each has a look. */
async function round(): Promise<void> {
  at.service.clock.advanceMs(61_000);
  await at.service.runJobs();
}

test('every payment is credited once, whatever the PSP does to calls and notifications', async () => {
  const { service, psp } = at;
  await at.registerWebhook();
  setLosses(psp);
  const watched = watchTokens();
  let isOver = false;
  let lastRound: Promise<void> = Promise.resolve();
  const working = (async () => {
    while (!isOver) {
      lastRound = round();
      await lastRound;
    }
  })();
  const callers: LossyService = { post: service.post, get: service.get, pause: () => lastRound };
  const payers = runPayers(callers, psp, { seed: SEED, count: PAYERS, atOnce: AT_ONCE, now: service.clock.now() });
  await payers.finally(async () => {
    isOver = true;
    await working;
  });
  const losses = lossesOf(psp);
  for (const [kind, times] of Object.entries(losses)) assert.ok(times > 0 || RARE.test(kind), `${kind} never happened`);
  const { txid } = psp.state().charges[0] as { txid: string };
  assert.deepEqual(await forgeNotifications(psp, at.webhookUrl, txid), [403, 403, 200]);

  psp.clearFaults();
  await psp.deliverNow();
  for (let looks = 0; looks < MAX_LOOKS; looks++) {
    await round();
    const { lost, differing } = await prove();
    if (lost.length + differing.length === 0) break;
  }
  // Found again, and not counted again.
  await round();
  watched.stop();
  const { payments, credited, refunds, returns, ...wrong } = await prove();
  assert.deepEqual(wrong, { lost: [], doubled: [], invented: [], differing: [] });
  assert.equal(credited, payments);
  assert.ok(payments > PAYERS && refunds > 0 && returns > 0, `${payments} ${refunds} ${returns}`);
  assert.deepEqual(await differences(db), [], 'the ledger is right');
  assert.ok(watched.tokens.size > 1 && lines.length > PAYERS, 'there is a log to search');
  assert.deepEqual(leaks(lines, psp, [...watched.tokens, at.webhookUrl.split('/').at(-1)!]), []);
});

/** So rare that they may not happen. */
const RARE = /^timeout|^status 503|token$/;
