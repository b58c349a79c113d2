// npm run drill -- mandates [<mandates> <kills of a node> <seed>]: two hundred mandates through all journeys of Pix Automático, at a PSP that
// loses, repeats and reorders, on two nodes of a live service that are killed. Subscriptions have the charge of each cycle collected. At the
// end the service must have what the PSP has, once; then a charge, a collection and a payment are made twice, and each must be found.
// Prints a table; leaves with exit code 1 when it is not so.
import { migrate } from '../src/storage/migrate.ts';
import { runMandates } from '../test/harness/mandate-drill/drill.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { print, printChecks, printWrong } from './print.ts';

const [MANDATES = 200, KILLS = 20, SEED = 7] = process.argv.slice(2).map(Number);
if (![MANDATES, KILLS, SEED].every(Number.isSafeInteger) || MANDATES < 1 || KILLS < 0) {
  process.stderr.write('usage: npm run drill -- mandates [<mandates> <kills of a node> <seed>]\n');
  process.exit(2);
}
const WEEKS = 6;

await withDrillDatabase('mandates', drill);

async function drill({ db, log, url, dir }: DrillDatabase): Promise<number> {
  await migrate({ db, log });
  const startedMs = performance.now();
  const result = await runMandates({
    ...{ db, databaseUrl: url, folder: dir, mandates: MANDATES, weeks: WEEKS, kills: KILLS, seed: SEED },
    check: env => printChecks(env),
    onDay: day => void process.stderr.write(`day ${day}\n`),
  });
  print('mandates', MANDATES);
  print('approved in journeys 1, 2, 3, 4', result.approvedBy.join(', '));
  print('kills of a node', result.kills);
  for (const [kind, times] of Object.entries(result.losses)) print(kind, times);
  print('notifications', result.notifications);
  for (const [what, times] of Object.entries(result.acts)) print(what, times);
  print('cycles', result.cycles);
  print('collections at the PSP', result.collections);
  print('cycles that fell back', result.fallbacks);
  print('payments at the PSP', result.payments);
  print('of them collected', result.collected);
  print('lost', result.lost.length);
  print('doubled', result.doubled.length);
  print('wrong', result.wrong.length);
  print('made twice at the end, and found', result.control.join(', '));
  print('seconds', Math.round((performance.now() - startedMs) / 1_000));
  const wrong = [...result.lost, ...result.doubled, ...result.wrong];
  printWrong(wrong);
  const isProof = result.kills === KILLS && result.collected > 0 && result.control.length === 3;
  return wrong.length === 0 && isProof ? 0 : 1;
}
