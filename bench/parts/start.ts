// From `npm start` to the first good answer: on a new folder, and again on the same. And memory at rest.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { median, megabytes, times } from '../figures.ts';
import { ROOT, residentBytes, runNpmStart } from '../running.ts';
import type { Needs } from './part.ts';

const REST_MS = 5_000;
const GONE_LIMIT_MS = 60_000;
const LOOK_AGAIN_MS = 20;

export async function measureStart({ stage, report, options }: Needs): Promise<void> {
  const [first, second, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < options.rounds; round++) {
    // What was compiled by an earlier start would make the first one look like the second.
    await rm(path.join(ROOT, 'node_modules', '.cache', 'compiled'), { recursive: true, force: true });
    const dataDir = await mkdtemp(path.join(stage.dir, 'start-'));
    let clusterDir = dataDir;
    for (const times of [first, second]) {
      const service = await runNpmStart(stage, dataDir);
      times.push(service.readyMs);
      if (times === second) {
        await wait(REST_MS);
        memory.push(await residentBytes(service));
      }
      clusterDir = /^ *Data +(.+)$/m.exec(service.output())?.[1] ?? dataDir;
      await service.stop();
      // npm leaves before the service does, and the service last of all stops its database.
      await untilGone(path.join(clusterDir, 'postmaster.pid'));
    }
    for (const dir of [dataDir, path.dirname(clusterDir)]) await rm(dir, { recursive: true, force: true });
  }
  const [newFolder, again] = [median(first), median(second)];
  report.add({ part: 'start', what: 'npm start to ready, the first time', figure: seconds(newFolder) });
  report.add({
    part: 'start',
    what: 'npm start to ready, the second time',
    figure: seconds(again),
    beside: `${seconds(newFolder)} the first time`,
    ratio: times(again / newFolder),
  });
  report.add({ part: 'start', what: 'resident memory at rest', figure: megabytes(median(memory)) });
}

async function untilGone(file: string): Promise<void> {
  const deadline = performance.now() + GONE_LIMIT_MS;
  while (existsSync(file)) {
    if (performance.now() > deadline) throw new Error('the database of npm start does not stop');
    await wait(LOOK_AGAIN_MS);
  }
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
