// A process that runs test files, one after another, as it is told to. Each file is a test around all that it declares, so that
// its hooks are its own.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Order, Report } from './messages.ts';

process.on('message', async (order: Order) => {
  if (order === 'end') process.exit(0);
  const before = cpuMs();
  await test(order.file, async () => {
    await import(pathToFileURL(order.file).href);
  });
  const done: Report = { kind: 'done', cpuMs: cpuMs() - before, memoryBytes: process.memoryUsage.rss() };
  process.send?.(done);
});

// The run is gone.
process.on('disconnect', () => process.exit(1));

/** Processor time of this process and of those that it has started and seen the end of. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenCpuMs();
}

const MS_PER_TICK = 10;

function childrenCpuMs(): number {
  try {
    // Behind the name, which may hold anything: fields 3 and on; 16 and 17 are the children's.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
