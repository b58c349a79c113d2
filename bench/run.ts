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
const report = startReport();
const stage = await openStage(options);
try {
  for (const part of options.parts) {
    report.say(`— ${part} —`);
    try {
      await MEASURES[part]({ stage, report, options });
    } catch (error) {
      // What the other parts find is worth having all the same.
      report.note(`${part} ended early: ${(error as Error).message}`);
      process.exitCode = 1;
    }
  }
  report.finish();
} finally {
  await stage.close();
}
