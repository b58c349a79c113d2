// How slow the machine is, independent of the service: a bare server in its own process is called all the time, and a drill
// allows the service the extra time of its answers.
import { setTimeout as wait } from 'node:timers/promises';
import { startProgram } from '../bench/programs.ts';

export type Machine = {
  /** The longest that an answer took which was waited for at this time or later. */
  slowestMs(sinceMs: number): number;
};

const ASK_EVERY_MS = 100;

/** Until the program ends, or the drill stops all programs. */
export async function watchMachine(dir: string): Promise<Machine> {
  const bare = await startProgram(
    { dir },
    {
      name: 'bare-server',
      command: process.execPath,
      args: ['drills/machine/bare-server.ts'],
      env: {},
      url: /listens on (http:\S+)/,
      readyPath: '/',
    },
  );
  const answers: { readonly endedMs: number; readonly tookMs: number }[] = [];
  /** Undefined between two questions. */
  let askedMs: number | undefined;
  const openMs = () => (askedMs === undefined ? 0 : performance.now() - askedMs);

  async function ask(): Promise<void> {
    while (!bare.hasEnded()) {
      askedMs = performance.now();
      await fetch(bare.url)
        .then(answer => answer.arrayBuffer())
        .catch(() => {});
      answers.push({ endedMs: performance.now(), tookMs: openMs() });
      askedMs = undefined;
      await wait(ASK_EVERY_MS);
    }
  }

  void ask();
  return {
    slowestMs: sinceMs => {
      const first = answers.findLastIndex(({ endedMs }) => endedMs < sinceMs) + 1;
      return Math.max(openMs(), ...answers.slice(first).map(({ tookMs }) => tookMs));
    },
  };
}
