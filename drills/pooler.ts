// npm run drill -- pooler [<seconds>]: a PgBouncer between the service and its database. One that drops settings is refused
// in a sentence; behind one with session pooling two nodes work under load while it is restarted, and every acknowledged write
// must be there, once, with ledger and audit log right. Exits with code 1 otherwise. Needs `pgbouncer`: sh drills/install.sh.
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { runTrilho, stopAllPrograms } from '../bench/programs.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { startNode } from './nodes/start.ts';
import { startPgBouncer } from './pooler/pgbouncer.ts';
import { print, printChecks, printResult, printWrong } from './print.ts';

const SECONDS = Number(process.argv[2] ?? 30);
if (!Number.isSafeInteger(SECONDS) || SECONDS < 1) {
  process.stderr.write('usage: npm run drill -- pooler [<seconds>]\n');
  process.exit(2);
}

const RESTARTS = 1;
const IGNORED = ['statement_timeout', 'idle_in_transaction_session_timeout', 'options'];
const ROLE_SETTINGS = `timezone = 'UTC', statement_timeout = '4s', idle_in_transaction_session_timeout = '30s'`.split(
  ', ',
);

await withDrillDatabase('pooler', drill);

async function drill(at: DrillDatabase): Promise<number> {
  const { dir, socketDir, url: direct, db, log } = at;
  await migrate({ db, log });
  const refusals = [await refusal(at, 'session', []), await refusal(at, 'session', IGNORED)];
  for (const setting of ROLE_SETTINGS) await db.query(`alter role trilho set ${setting}`);
  refusals.push(await refusal(at, 'transaction', IGNORED));
  const wanted = [/refuses settings of a session/, /drop settings of a session/, /changes sessions between/];
  const wrong = refusals.filter((line, index) => !wanted[index]!.test(line));
  for (const line of refusals) process.stdout.write(`refused: ${line}\n`);

  const pooler = await startPgBouncer({ dir, socketDir, poolMode: 'session', ignored: IGNORED });
  try {
    const callers = await createCallers(direct, 'sandbox', ['shop-1', 'shop-2']);
    const nodes = await Promise.all([1, 2].map(() => startNode({ dir, url: pooler.url })));
    const pauseMs = (SECONDS * 1_000) / (RESTARTS + 1);
    const load = startLoad({ callers, atOnce: 16, seed: 23, mode: 'sandbox', urls: () => nodes.map(({ url }) => url) });
    for (let restarts = 0; restarts < RESTARTS; restarts++) {
      await wait(pauseMs);
      await pooler.restart();
    }
    await wait(pauseMs);
    await load.stop();
    const { lost, doubled } = await prove(db, load);
    const [acknowledged, longestGapMs] = [load.acknowledged(), load.longestGapMs()];
    printResult({ faultsInjected: RESTARTS, acknowledged, lost, doubled, longestGapMs });
    print('requests sent again', load.repeats());
    const failed = await printChecks({ DATABASE_URL: direct, TRILHO_MODE: 'sandbox' });
    const ended = nodes.filter(node => node.hasEnded()).map(({ url }) => `the node at ${url} ended by itself`);
    if (acknowledged === 0) wrong.push('nothing was acknowledged');
    wrong.push(...lost, ...doubled, ...load.faults, ...failed, ...ended);
  } finally {
    await stopAllPrograms();
    await pooler.stop();
  }
  printWrong(wrong);
  return wrong.length === 0 ? 0 : 1;
}

/** The output of a command behind such a pooler. */
async function refusal(
  { dir, socketDir }: DrillDatabase,
  poolMode: 'session' | 'transaction',
  ignored: readonly string[],
): Promise<string> {
  const pooler = await startPgBouncer({ dir, socketDir, poolMode, ignored });
  try {
    const { code, lines } = await runTrilho(['migrate'], { DATABASE_URL: pooler.url });
    return code === 0 ? 'not refused' : (lines.at(-1) ?? '');
  } finally {
    await pooler.stop();
  }
}
