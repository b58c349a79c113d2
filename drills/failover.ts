// npm run drill:failover [-- <failovers> <seed> [control]]: the service on three PostgreSQL servers under Patroni, through HAProxy.
// The leader is killed, stopped or cut off from etcd, just after its standbys have lost it, again and again, under load; what was
// acknowledged must be there, once. Leaves with exit code 1 when it is not so. `control`: asynchronous replication, where the drill
// must see a loss, and leaves with 1 when it sees none. Needs `sh drills/install.sh`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { runTrilho, stopAllPrograms } from '../bench/programs.ts';
import { startTrilho } from '../bench/trilho.ts';
import { createLog } from '../src/lib/log.ts';
import { openDatabase } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { randomOf } from '../test/harness/random.ts';
import { type Cluster, type Member, startCluster } from './failover/cluster.ts';
import { startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { print } from './print.ts';

const isControl = process.argv.at(-1) === 'control';
const [FAILOVERS = 10, SEED = 23] = process.argv
  .slice(2)
  .filter(word => word !== 'control')
  .map(Number);
if (!Number.isSafeInteger(FAILOVERS) || FAILOVERS < 1 || !Number.isSafeInteger(SEED)) {
  process.stderr.write('usage: npm run drill:failover -- [<failovers> <seed>] [control]\n');
  process.exit(2);
}

const LOOK_MS = 250;
const WHOLE_LIMIT_MS = 180_000;
/** A standby that had not yet been told to confirm may not lead: then the old leader comes back. */
const LEADER_LIMIT_MS = 60_000;
const LAST_WRITES_MS = 200;

type Kind = { readonly name: string; begin(leader: Member): void; end(leader: Member): void };

const KINDS: readonly Kind[] = [
  { name: 'killed', begin: leader => leader.signal('SIGKILL'), end: leader => leader.start() },
  { name: 'stopped', begin: leader => leader.signal('SIGSTOP'), end: leader => leader.signal('SIGCONT') },
  { name: 'cut off', begin: ({ link }) => link.cut(), end: ({ link }) => link.mend() },
];

const dir = await mkdtemp(path.join(tmpdir(), 'trilho-failover-'));
const interrupted = new Promise<number>(resolve => {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(130));
});
const cluster = await startCluster(dir, isControl ? 'asynchronous' : 'synchronous');
try {
  process.exitCode = await Promise.race([drill(cluster), interrupted]);
} finally {
  await stopAllPrograms();
  await cluster.stop();
  await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
}
process.exit();

async function drill({ url, members, leader, isWhole }: Cluster): Promise<number> {
  const log = createLog('fatal', process.stderr);
  const db = openDatabase({ connection: { connectionString: url }, log });
  await migrate({ db, log });
  const callers = await createCallers(url, 'live', ['shop-1', 'shop-2']);
  const node = await startTrilho({ dir, url: () => url }, 'postgres', { mode: 'live' });
  const load = startLoad({ callers, atOnce: 16, seed: SEED, urls: () => [node.url] });
  const random = randomOf(SEED, 0);
  const done = new Map<string, number>();
  let faults = 0;

  for (let failovers = 0; failovers < FAILOVERS && faults < FAILOVERS * 2; faults++) {
    await until(isWhole, WHOLE_LIMIT_MS, 'the cluster is not whole again');
    const before = load.acknowledged();
    await until(async () => load.acknowledged() > before, WHOLE_LIMIT_MS, 'nothing is acknowledged');
    const old = await leader();
    if (!old) continue;
    const kind = KINDS[failovers % KINDS.length]!;
    const others = members.filter(member => member !== old);
    const found = await Promise.all(others.map(member => member.loseLeader()));
    await wait(LAST_WRITES_MS + random.below(LAST_WRITES_MS));
    kind.begin(old);
    for (const find of found) find();
    const isOther = async () => ![undefined, old].includes(await leader());
    const hasOther = await until(isOther, LEADER_LIMIT_MS).catch(() => false);
    kind.end(old);
    process.stderr.write(`leader ${old.name} ${kind.name}: ${hasOther ? 'another leads' : 'none else could lead'}\n`);
    if (!hasOther) continue;
    failovers++;
    done.set(kind.name, (done.get(kind.name) ?? 0) + 1);
  }
  await until(isWhole, WHOLE_LIMIT_MS, 'the cluster is not whole again');
  await load.stop();
  const { lost, doubled } = await prove(db, load);
  const wrong = [...lost, ...doubled, ...load.faults];
  print('faults injected', faults);
  for (const [name, times] of done) print(`failovers, leader ${name}`, times);
  print('writes acknowledged', load.acknowledged());
  print('requests sent again', load.repeats());
  print('lost', lost.length);
  print('doubled', doubled.length);
  print('longest gap without a write, s', (load.longestGapMs() / 1_000).toFixed(1));
  for (const command of ['ledger check', 'audit verify']) {
    const { code, lines } = await runTrilho(command.split(' '), { DATABASE_URL: url, TRILHO_MODE: 'live' });
    print(`${command}: ${lines.at(-1)}`, `exit ${code}`);
    if (code !== 0) wrong.push(...lines);
  }
  await db.close();
  for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
  const failovers = [...done.values()].reduce((sum, times) => sum + times, 0);
  if (failovers < FAILOVERS) return 1;
  if (isControl) return lost.length > 0 ? 0 : 1;
  return wrong.length === 0 ? 0 : 1;
}

async function until(isSo: () => Promise<boolean>, limitMs: number, otherwise = 'too late'): Promise<true> {
  const limit = performance.now() + limitMs;
  while (!(await isSo())) {
    if (performance.now() > limit) throw new Error(otherwise);
    await wait(LOOK_MS);
  }
  return true;
}
