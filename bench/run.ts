// npm run bench: measures the service beside the driver's limit, beside plain SQL and beside peers, on one machine in one
// run. The ratios are the result; absolute times change with the machine and the day.
import { startDatabaseServer } from './database-server.ts';
import { type Part, readOptions, USAGE } from './options.ts';
import { measureCharges } from './parts/charges.ts';
import { measureCnab } from './parts/cnab.ts';
import { measureCounts } from './parts/counts.ts';
import { measureIdle } from './parts/idle.ts';
import { measureLimit } from './parts/limit.ts';
import { measureList } from './parts/list.ts';
import { measureMemory } from './parts/memory.ts';
import { measurePages } from './parts/pages.ts';
import type { Measure } from './parts/part.ts';
import { measurePayouts } from './parts/payouts.ts';
import { measurePeers } from './parts/peers.ts';
import { measurePsp } from './parts/psp.ts';
import { measureStart } from './parts/start.ts';
import { measureStatements } from './parts/statements.ts';
import { measureWay } from './parts/way.ts';
import { stopAllPrograms } from './programs.ts';
import { startReport } from './report.ts';

const MEASURES = {
  list: measureList,
  limit: measureLimit,
  charges: measureCharges,
  memory: measureMemory,
  counts: measureCounts,
  peers: measurePeers,
  way: measureWay,
  psp: measurePsp,
  payouts: measurePayouts,
  cnab: measureCnab,
  statements: measureStatements,
  idle: measureIdle,
  start: measureStart,
  pages: measurePages,
} as const satisfies Record<Part, Measure>;

const USAGE_ERROR = 2;

const options = readOptions(process.argv.slice(2));
if (options === undefined) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(USAGE_ERROR);
}
if (options === 'help') {
  process.stdout.write(`${USAGE}\n`);
  process.exit(0);
}
const report = startReport(options);
const server = await startDatabaseServer(options);
let isInterrupted = false;
process.once('uncaughtException', error => {
  report.progress(String(error.stack));
  interrupt();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, interrupt);

try {
  for (const part of options.parts) {
    if (isInterrupted) break;
    report.progress(`— ${part} —`);
    try {
      await MEASURES[part]({ server, report, options });
    } catch (error) {
      // The results of the other parts are useful without this one.
      report.note(`${part} failed: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  if (!isInterrupted) report.finish();
} finally {
  if (!isInterrupted) await server.close();
}

/** Stops the database server and the programs under load, which would outlive this process. */
async function interrupt(): Promise<void> {
  isInterrupted = true;
  report.progress('stopping');
  // Requests and queries that fail because of the stop are expected.
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  await stopAllPrograms();
  await server.close();
  process.exit(1);
}
