// The heartbeats of a node's background loops. A loop beats after every run and reports whether it failed; in a long run it beats after
// every step. A loop without a recent beat hangs; failing runs are reported separately.
import assert from 'node:assert/strict';

type Heartbeat = {
  /** A run has ended. */
  beat(run: 'done' | 'failed'): void;
  /** A step of a run has ended, and the run continues. */
  beatInRun(): void;
  /** The loop was stopped on purpose, and no more beats are expected. */
  end(): void;
};

export type Heartbeats = {
  /** `periodMs`: the longest pause between two runs; `longestRunMs`: the longest run, or step of it, in addition. Names are unique. */
  start(name: string, periodMs: number, longestRunMs?: number): Heartbeat;
  /** Every loop that runs here. */
  list(): LoopHealth[];
};

export type LoopHealth = {
  readonly name: string;
  /** The time since its last run, or step of one, ended, or since it was started. */
  readonly ageMs: number;
  /** The time since its last successful run ended, or since it was started. */
  readonly successAgeMs: number;
  /** Failed runs since it was started. */
  readonly failures: number;
  /** A loop whose beat is older has stopped. */
  readonly limitMs: number;
};

/** Many statements at their limits. */
const LONGEST_RUN_MS = 120_000;

export function hasStopped({ ageMs, limitMs }: LoopHealth): boolean {
  return ageMs > limitMs;
}

/** `uptimeMs` is monotonic: when a wall clock is set, running loops would count as stopped, or the other way round. */
export function watchHeartbeats(uptimeMs: () => number): Heartbeats {
  const loops = new Map<string, { readonly limitMs: number; beatMs: number; successMs: number; failures: number }>();
  return {
    start: (name, periodMs, longestRunMs = LONGEST_RUN_MS) => {
      assert.ok(!loops.has(name), `two loops are named «${name}»`);
      const nowMs = uptimeMs();
      const loop = { limitMs: periodMs + longestRunMs, beatMs: nowMs, successMs: nowMs, failures: 0 };
      loops.set(name, loop);
      return {
        beat: run => {
          loop.beatMs = uptimeMs();
          if (run === 'done') loop.successMs = loop.beatMs;
          else loop.failures++;
        },
        beatInRun: () => {
          loop.beatMs = uptimeMs();
        },
        end: () => {
          // A loop of this name may have been started since.
          if (loops.get(name) === loop) loops.delete(name);
        },
      };
    },
    list: () => {
      const nowMs = uptimeMs();
      return [...loops].map(([name, { limitMs, beatMs, successMs, failures }]) => {
        return { name, ageMs: nowMs - beatMs, successAgeMs: nowMs - successMs, failures, limitMs };
      });
    },
  };
}
