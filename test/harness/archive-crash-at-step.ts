// Moving old rows to the archive in a process of its own that is killed after a given number of steps: a statement that the database
// answered, or a file that was renamed or synced.
import { open } from 'node:fs/promises';
import { pruneEvents } from '../../src/events/prune-events.ts';
import { findOpenObjects } from '../../src/orders/store-open.ts';
import { pruneAudit } from '../../src/storage/archive/prune-audit.ts';
import { openDatabase } from '../../src/storage/database.ts';
import { pruneDue } from '../../src/storage/pruning.ts';
import { testClock } from './clock.ts';
import type { CrashOrder } from './crash.ts';
import { silentLog } from './log.ts';
import { dieAfter } from './steps.ts';

export type ArchiveCrash = CrashOrder & { readonly verb: 'audit' | 'events'; readonly dir: string };

const order: ArchiveCrash = JSON.parse(process.argv[2]!);
const steps = dieAfter(order.step);
const real = openDatabase({ connection: { connectionString: order.databaseUrl }, log: silentLog, maxConnections: 2 });
const clock = testClock(order.now);

// Every file and folder is synced by the handle that wrote it, so a step lies before and after each.
const probe = await open(order.dir);
const handles = Object.getPrototypeOf(probe) as { sync(): Promise<void> };
const { sync } = handles;
const counted = steps.partner({ sync: (handle: object) => sync.call(handle) }, ['sync']);
handles.sync = function (this: object) {
  return counted.sync(this);
};
await probe.close();

const keep = { months: 0, ms: 30 * 86_400_000 };
const { dir } = order;
const VERBS = {
  audit: () => pruneAudit({ clock, dir }, keep),
  events: () => pruneEvents({ dir, findOpen: findOpenObjects }, keep),
};

await pruneDue({
  db: steps.database(real),
  clock,
  log: silentLog,
  prunes: [VERBS[order.verb]()],
  observePruned: () => {},
});
await real.close();
