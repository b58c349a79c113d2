import { watchOutput } from './cli/output.ts';
import { run } from './cli/run.ts';

const exitCodeOf = watchOutput();
process.exit(await exitCodeOf(await run(process.argv.slice(2))));
