// A process that runs test files one after another, on request. Each file is wrapped in a test of its own, so that its hooks are
// its own.
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import type { Order, Report } from './messages.ts';

process.on('message', async (order: Order) => {
  if (order === 'end') process.exit(0);
  const before = cpuMs();
  process.env['TEST_FILE'] = order.file;
  await test(order.file, async () => {
    await import(pathToFileURL(order.file).href);
  });
  const done: Report = { kind: 'done', cpuMs: cpuMs() - before, memoryBytes: process.memoryUsage.rss() };
  process.send?.(done);
});

// The run is gone.
process.on('disconnect', () => process.exit(1));

/** Processor time of this process and of its children that have ended. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000 + childrenCpuMs();
}

const MS_PER_TICK = 10;

function childrenCpuMs(): number {
  try {
    // After the name, which may contain anything, come the fields from 3 on; 16 and 17 are those of the children.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
  } catch {
    return 0;
  }
}
