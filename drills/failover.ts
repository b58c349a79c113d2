// npm run drill -- failover [<failovers> <seed> [control]]: the service on three PostgreSQL servers under Patroni, through HAProxy.
// The leader is killed, stopped or cut off from etcd, just after its standbys have lost it, repeatedly, under load; every acknowledged
// write must be there, once. Exits with code 1 otherwise. `control`: asynchronous replication, where the drill must see a
// loss, and exits with 1 when it sees none. Needs `sh drills/install.sh`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../bench/callers.ts';
import { stopAllPrograms } from '../bench/programs.ts';
import { createLog } from '../src/lib/log.ts';
import { openDatabase } from '../src/storage/database.ts';
import { migrate } from '../src/storage/migrate.ts';
import { randomOf } from '../test/harness/random.ts';
import { type Cluster, type Member, startCluster } from './failover/cluster.ts';
import { startLoad } from './nodes/load.ts';
import { prove } from './nodes/prove.ts';
import { startNode } from './nodes/start.ts';
import { print, printChecks, printResult, printWrong } from './print.ts';
import { until } from './until.ts';

const isControl = process.argv.at(-1) === 'control';
const [FAILOVERS = 10, SEED = 23] = process.argv
  .slice(2)
  .filter(word => word !== 'control')
  .map(Number);
if (!Number.isSafeInteger(FAILOVERS) || FAILOVERS < 1 || !Number.isSafeInteger(SEED)) {
  process.stderr.write('usage: npm run drill -- failover [<failovers> <seed>] [control]\n');
  process.exit(2);
}

const WHOLE_LIMIT_MS = 10 * 60_000;
/** A standby that does not confirm writes yet may not lead: then the old leader returns. */
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
  const callers = await createCallers(url, 'sandbox', ['shop-1', 'shop-2']);
  const node = await startNode({ dir, url });
  const load = startLoad({ callers, atOnce: 16, seed: SEED, mode: 'sandbox', urls: () => [node.url] });
  const random = randomOf(SEED, 0);
  const done = new Map<string, number>();
  const wrong: string[] = [];
  let faults = 0;
  /** False ends the faults: the results so far are printed. */
  const isSoon = async (isSo: () => boolean | Promise<boolean>, otherwise: string) => {
    const hasCome = await until(isSo, WHOLE_LIMIT_MS);
    if (!hasCome) wrong.push(`${otherwise} within ${WHOLE_LIMIT_MS / 60_000} minutes`);
    return hasCome;
  };

  for (let failovers = 0; failovers < FAILOVERS && faults < FAILOVERS * 2; ) {
    if (!(await isSoon(isWhole, 'the cluster is not whole again'))) break;
    const before = load.acknowledged();
    if (!(await isSoon(() => load.acknowledged() > before, 'nothing is acknowledged'))) break;
    if (!(await isSoon(async () => (await leader()) !== undefined, 'there is no leader'))) break;
    const old = await leader();
    if (!old) continue;
    faults++;
    const kind = KINDS[failovers % KINDS.length]!;
    const others = members.filter(member => member !== old);
    const found = await Promise.all(others.map(member => member.loseLeader()));
    await wait(LAST_WRITES_MS + random.below(LAST_WRITES_MS));
    kind.begin(old);
    for (const find of found) find();
    const hasOther = await until(async () => ![undefined, old].includes(await leader()), LEADER_LIMIT_MS);
    kind.end(old);
    process.stderr.write(`leader ${old.name} ${kind.name}: ${hasOther ? 'another leads' : 'none else could lead'}\n`);
    if (!hasOther) continue;
    failovers++;
    done.set(kind.name, (done.get(kind.name) ?? 0) + 1);
  }
  await isSoon(isWhole, 'the cluster is not whole again');
  await load.stop();
  const { lost, doubled } = await prove(db, load);
  const [acknowledged, longestGapMs] = [load.acknowledged(), load.longestGapMs()];
  printResult({ faultsInjected: faults, acknowledged, lost, doubled, longestGapMs });
  for (const [name, times] of done) print(`failovers, leader ${name}`, times);
  print('requests sent again', load.repeats());
  if (node.hasEnded()) wrong.push('the node ended by itself');
  wrong.unshift(
    ...lost,
    ...doubled,
    ...load.faults,
    ...(await printChecks({ DATABASE_URL: url, TRILHO_MODE: 'sandbox' })),
  );
  await db.close();
  printWrong(wrong);
  const failovers = [...done.values()].reduce((sum, times) => sum + times, 0);
  if (failovers < FAILOVERS) return 1;
  if (isControl) return lost.length > 0 ? 0 : 1;
  return wrong.length === 0 ? 0 : 1;
}
