// npm run bench: what is fast and what is not, measured beside the limit, beside the usual way and beside others, all on this
// machine in one run. Ratios are the result; clock times mean little from one machine or day to another.
import { type Part, readOptions, USAGE } from './options.ts';
import { measureCounts } from './parts/counts.ts';
import { measureLimit } from './parts/limit.ts';
import { measureList } from './parts/list.ts';
import type { Measure } from './parts/part.ts';
import { measurePeers } from './parts/peers.ts';
import { measureStart } from './parts/start.ts';
import { measureWay } from './parts/way.ts';
import { startReport } from './report.ts';
import { endAll } from './running.ts';
import { openStage } from './stage.ts';

const MEASURES = {
  list: measureList,
  limit: measureLimit,
  counts: measureCounts,
  peers: measurePeers,
  way: measureWay,
  start: measureStart,
} as const satisfies Record<Part, Measure>;

const USAGE_FAULT = 2;

const options = readOptions(process.argv.slice(2));
if (!options) {
  process.stderr.write(`${USAGE}\n`);
  process.exit(USAGE_FAULT);
}
const report = startReport(options);
const stage = await openStage(options);
let isLeaving = false;
process.once('uncaughtException', error => {
  report.say(String(error.stack));
  leave();
});
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, leave);

try {
  for (const part of options.parts) {
    if (isLeaving) break;
    report.say(`— ${part} —`);
    try {
      await MEASURES[part]({ stage, report, options });
    } catch (error) {
      // What the other parts find is worth having all the same.
      report.note(`${part} ended early: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  if (!isLeaving) report.finish();
} finally {
  if (!isLeaving) await stage.close();
}

/** The database would outlive us, and so would what is under load. */
async function leave(): Promise<void> {
  isLeaving = true;
  report.say('stopping');
  // What is cut off on the way is no news.
  process.on('uncaughtException', () => {});
  process.on('unhandledRejection', () => {});
  await endAll();
  await stage.close();
  process.exit(1);
}
