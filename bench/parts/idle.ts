// The cost of the service without requests: processor time of its process and of PostgreSQL, with workers on and nothing
// to do.
import { setTimeout as wait } from 'node:timers/promises';
import { createCallers } from '../callers.ts';
import { formatPercent } from '../figures.ts';
import { createMigrated } from '../orders.ts';
import { hasProc, processSeconds, processTreeSeconds } from '../processor-time.ts';
import { startTrilho } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const MAX_SHARE = 0.01;
/** After the start: compiling, opening connections, the first look of every loop. */
const SETTLE_MS = 5_000;
const DATABASE = 'idle';

export async function measureIdle({ server, report, options }: PartDeps): Promise<void> {
  if (!hasProc) return report.note('idle: needs /proc, which only Linux has.');
  const { mode, idleSeconds } = options;
  await createMigrated(server, DATABASE);
  await createCallers(server.url(DATABASE), mode);
  const baseline = await postgresShare();
  const service = await startTrilho(server, DATABASE, { mode });
  try {
    await wait(SETTLE_MS);
    await server.checkpoint();
    await server.waitForAutovacuum();
    const before = processSeconds(service.pid);
    const postgres = await postgresShare();
    const share = (processSeconds(service.pid) - before) / idleSeconds;
    report.add({
      part: 'idle',
      measured: `processor time without requests over ${idleSeconds} s, of one core`,
      result: formatPercent(share),
      comparedWith: `PostgreSQL ${formatPercent(postgres)}; without the service ${formatPercent(baseline)}`,
      goal: { text: `≤ ${formatPercent(MAX_SHARE)}`, isMet: share <= MAX_SHARE },
    });
  } finally {
    await service.stop();
  }
  await server.drop(DATABASE);

  /** Waits for the length of the measurement, and returns the share of one core that PostgreSQL used in it. */
  async function postgresShare(): Promise<number> {
    const postmaster = server.postmasterPid();
    const before = processTreeSeconds(postmaster);
    await wait(idleSeconds * 1000);
    return (processTreeSeconds(postmaster) - before) / idleSeconds;
  }
}
