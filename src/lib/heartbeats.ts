// The heartbeats of a node's background loops. A loop beats after every run, also after one that failed; one that has not beaten
// for long hangs, and its work is not done.
import type { Clock } from './clock.ts';

export type Heartbeat = {
  beat(): void;
  /** The loop was stopped on purpose and is expected to beat no more. */
  end(): void;
};

export type Heartbeats = {
  /** `periodMs`: the longest pause between two runs; `longestRunMs`: what a run may take beyond it. */
  start(name: string, periodMs: number, longestRunMs?: number): Heartbeat;
  /** Every loop that runs here. */
  list(): LoopHealth[];
};

export type LoopHealth = {
  readonly name: string;
  /** Since its last run ended, or since it was started. */
  readonly ageMs: number;
  /** One that is older has stopped. */
  readonly limitMs: number;
};

/** Many statements at their limits. */
const LONGEST_RUN_MS = 120_000;

export function hasStopped({ ageMs, limitMs }: LoopHealth): boolean {
  return ageMs > limitMs;
}

export function watchHeartbeats(clock: Clock): Heartbeats {
  const loops = new Set<{ readonly name: string; readonly limitMs: number; beatMs: number }>();
  const nowMs = () => clock.now().getTime();
  return {
    start: (name, periodMs, longestRunMs = LONGEST_RUN_MS) => {
      const loop = { name, limitMs: periodMs + longestRunMs, beatMs: nowMs() };
      loops.add(loop);
      return {
        beat: () => {
          loop.beatMs = nowMs();
        },
        end: () => void loops.delete(loop),
      };
    },
    list: () => [...loops].map(({ name, beatMs, limitMs }) => ({ name, ageMs: nowMs() - beatMs, limitMs })),
  };
}
