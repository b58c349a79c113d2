// The heartbeats of a node's background loops. A loop beats after every run, also after one that failed; one that has not beaten
// for long hangs, and its work is not done.
import type { Clock } from './clock.ts';

export type Heartbeat = {
  beat(): void;
  /** The loop was stopped on purpose and is expected to beat no more. */
  end(): void;
};

export type Heartbeats = {
  /** `periodMs`: the longest pause between two runs. */
  start(name: string, periodMs: number): Heartbeat;
  /** The names of the loops that have stopped. */
  stopped(): string[];
};

/** What a run may take beyond the pause: many statements at their limits. */
const LONGEST_RUN_MS = 120_000;

export function watchHeartbeats(clock: Clock): Heartbeats {
  const loops = new Set<{ readonly name: string; readonly limitMs: number; beatMs: number }>();
  const nowMs = () => clock.now().getTime();
  return {
    start: (name, periodMs) => {
      const loop = { name, limitMs: periodMs + LONGEST_RUN_MS, beatMs: nowMs() };
      loops.add(loop);
      return {
        beat: () => {
          loop.beatMs = nowMs();
        },
        end: () => void loops.delete(loop),
      };
    },
    stopped: () => [...loops].filter(({ beatMs, limitMs }) => nowMs() - beatMs > limitMs).map(({ name }) => name),
  };
}
