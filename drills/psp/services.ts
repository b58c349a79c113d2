// A service that is killed repeatedly, and replaced each time.
import type { RunningProgram } from '../../bench/programs.ts';

export type Services = {
  start(): Promise<void>;
  /** Rejects while there is no service. */
  url(): Promise<string>;
  kill(): Promise<void>;
  kills(): number;
  /** Stops the last one cleanly, and returns the logs of all. */
  stop(): Promise<string[]>;
};

/** One service after another. */
export function killable(open: () => Promise<RunningProgram>): Services {
  const ended: RunningProgram[] = [];
  let current: Promise<RunningProgram> | undefined;
  let kills = 0;
  const start = async () => {
    current = open();
    await current;
  };
  return {
    start,
    url: async () => (await current!).url,
    kill: async () => {
      const program = await current!;
      kills++;
      ended.push(program);
      program.signal('SIGKILL');
      process.stderr.write('the service is killed\n');
      await start();
    },
    kills: () => kills,
    stop: async () => {
      const last = await current!;
      await last.stop();
      const lines = [...ended, last].flatMap(program => program.output().split('\n'));
      // Each start prints an example of a request, with an invented customer.
      return lines.filter(line => !line.startsWith('  curl '));
    },
  };
}
