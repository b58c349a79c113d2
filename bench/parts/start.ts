// From `npm start` to the first successful answer: in a new folder, and again in the same one. And memory at rest. Always in the
// sandbox, which is what `npm start` starts; live needs a key first.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { formatMegabytes, formatRatio, formatSeconds, median } from '../figures.ts';
import { ROOT } from '../programs.ts';
import { residentBytes, startByNpm } from '../trilho.ts';
import type { PartDeps } from './part.ts';

const MAX_FIRST_MS = 3_000;
const REST_MS = 5_000;
const STOP_TIMEOUT_MS = 60_000;
const STOP_CHECK_MS = 20;

export async function measureStart({ server, report, options }: PartDeps): Promise<void> {
  const [first, second, memory]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < options.rounds; round++) {
    // A first start has no compile cache.
    await rm(path.join(ROOT, 'node_modules', '.cache', 'compiled'), { recursive: true, force: true });
    const dataDir = await mkdtemp(path.join(server.dir, 'start-'));
    let clusterDir = dataDir;
    for (const times of [first, second]) {
      const service = await startByNpm(server, dataDir);
      times.push(service.readyMs);
      if (times === second) {
        await wait(REST_MS);
        memory.push(await residentBytes(service));
      }
      clusterDir = /^ *Data +(.+)$/m.exec(service.output())?.[1] ?? dataDir;
      await service.stop();
      // npm exits before the service does, and the service stops its database last.
      await waitUntilRemoved(path.join(clusterDir, 'postmaster.pid'));
    }
    for (const dir of [dataDir, path.dirname(clusterDir)]) await rm(dir, { recursive: true, force: true });
  }
  const [firstMs, secondMs] = [median(first), median(second)];
  report.add({
    part: 'start',
    measured: 'npm start to ready, the first time',
    result: formatSeconds(firstMs),
    goal: { text: `≤ ${MAX_FIRST_MS / 1000} s`, isMet: firstMs <= MAX_FIRST_MS },
  });
  report.add({
    part: 'start',
    measured: 'npm start to ready, the second time',
    result: formatSeconds(secondMs),
    comparedWith: `${formatSeconds(firstMs)} the first time`,
    ratio: formatRatio(secondMs / firstMs),
  });
  report.add({ part: 'start', measured: 'resident memory at rest', result: formatMegabytes(median(memory)) });
}

async function waitUntilRemoved(file: string): Promise<void> {
  const deadline = performance.now() + STOP_TIMEOUT_MS;
  while (existsSync(file)) {
    if (performance.now() > deadline) throw new Error('the database of npm start does not stop');
    await wait(STOP_CHECK_MS);
  }
}
