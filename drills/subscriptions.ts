// npm run drill -- subscriptions [<subscriptions> <kills of a node> <seed>]: a thousand subscriptions over two years of sandbox time, on
// two nodes of which one is killed twenty times while the clock moves. Each cycle must have one charge, on the day that another calendar
// gives it, each payment must be there once, and the ledger must be right. Prints a table; leaves with exit code 1 when it is not so.
import { migrate } from '../src/storage/migrate.ts';
import { runSubscriptions } from '../test/harness/subscription-drill.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { superviseStart } from './nodes/start.ts';
import { print, printChecks, printWrong } from './print.ts';

const [SUBSCRIPTIONS = 1_000, KILLS = 20, SEED = 7] = process.argv.slice(2).map(Number);
if (![SUBSCRIPTIONS, KILLS, SEED].every(Number.isSafeInteger) || SUBSCRIPTIONS < 1 || KILLS < 0) {
  process.stderr.write('usage: npm run drill -- subscriptions [<subscriptions> <kills of a node> <seed>]\n');
  process.exit(2);
}
const MONTHS = 24;

await withDrillDatabase('subscriptions', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const { db, log, url } = at;
  await migrate({ db, log });
  const startedMs = performance.now();
  const result = await runSubscriptions({
    db,
    start: async () => {
      const node = await superviseStart(at);
      return { url: node.url, kill: () => node.signal('SIGKILL') };
    },
    ...{ subscriptions: SUBSCRIPTIONS, months: MONTHS, kills: KILLS, seed: SEED },
    onMonth: month => void process.stderr.write(`month ${month}\n`),
  });
  print('subscriptions', SUBSCRIPTIONS);
  print('months', MONTHS);
  print('kills of a node', result.kills);
  print('charges', result.charges);
  print('payments', result.payments);
  print('lost', result.lost.length);
  print('doubled', result.doubled.length);
  print('wrong', result.wrong.length);
  print('seconds', Math.round((performance.now() - startedMs) / 1_000));
  const failed = await printChecks({ DATABASE_URL: url, TRILHO_MODE: 'sandbox' });
  const wrong = [...result.lost, ...result.doubled, ...result.wrong, ...failed];
  printWrong(wrong);
  return wrong.length === 0 && result.kills === KILLS && result.payments > 0 ? 0 : 1;
}
