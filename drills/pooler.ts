// npm run drill:pooler [-- <seconds>]: a PgBouncer between the service and its database. One that takes something away is refused
// by a sentence; behind one that gives whole sessions two nodes work under load while it is restarted, and what was acknowledged
// must be there, once. Leaves with exit code 1 when it is not so. Needs `pgbouncer`: sh drills/install.sh.
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { runTrilho, stopAllPrograms } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import { migrate } from '../src/storage/migrate.ts';
import { type DrillDatabase, withDrillDatabase } from './database.ts';
import { startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { startPgBouncer } from './pooler/pgbouncer.ts';
import { print } from './print.ts';

const SECONDS = Number(process.argv[2] ?? 30);
if (!Number.isSafeInteger(SECONDS) || SECONDS < 1) {
  process.stderr.write('usage: npm run drill:pooler -- [<seconds>]\n');
  process.exit(2);
}

const IGNORED = ['statement_timeout', 'idle_in_transaction_session_timeout', 'options'];
const ROLE_SETTINGS = `timezone = 'UTC', statement_timeout = '10s', idle_in_transaction_session_timeout = '30s'`.split(
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
    const callers = await createCallers(direct, 'live', ['shop-1', 'shop-2']);
    const place = { dir, url: () => pooler.url };
    const nodes = await Promise.all([1, 2].map(() => startTrilho(place, 'postgres', { mode: 'live' })));
    const load = startLoad({ callers, atOnce: 16, seed: 23, urls: () => nodes.map(({ url }) => url) });
    await wait((SECONDS * 1_000) / 2);
    await pooler.restart();
    await wait((SECONDS * 1_000) / 2);
    await load.stop();
    const { lost, doubled } = await prove(db, load);
    print('writes acknowledged', load.acknowledged());
    print('requests sent again', load.repeats());
    print('lost', lost.length);
    print('doubled', doubled.length);
    print('longest gap without a write, s', (load.longestGapMs() / 1_000).toFixed(1));
    if (load.acknowledged() === 0) wrong.push('nothing was acknowledged');
    wrong.push(...lost, ...doubled, ...load.faults);
  } finally {
    await stopAllPrograms();
    await pooler.stop();
  }
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  return wrong.length === 0 ? 0 : 1;
}

/** What a command says behind such a pooler. */
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
