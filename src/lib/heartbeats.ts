// The heartbeats of a node's background loops. A loop beats after every run and says whether it failed; in a long run it beats after
// every step. One that has not beaten for long hangs; one that beats and fails works no better.
import assert from 'node:assert/strict';

export type Heartbeat = {
  /** A run has ended. */
  beat(run: 'done' | 'failed'): void;
  /** A step of a run has ended, and the run goes on. */
  beatInRun(): void;
  /** The loop was stopped on purpose and is expected to beat no more. */
  end(): void;
};

export type Heartbeats = {
  /** `periodMs`: the longest pause between two runs; `longestRunMs`: what a run, or a step of it, may take beyond it. A name is for one loop. */
  start(name: string, periodMs: number, longestRunMs?: number): Heartbeat;
  /** Every loop that runs here. */
  list(): LoopHealth[];
};

export type LoopHealth = {
  readonly name: string;
  /** Since its last run ended, or a step of one, or since it was started. */
  readonly ageMs: number;
  /** Since its last run ended that did not fail, or since it was started. */
  readonly successAgeMs: number;
  /** Runs that failed since it was started. */
  readonly failures: number;
  /** One that is older has stopped. */
  readonly limitMs: number;
};

/** Many statements at their limits. */
const LONGEST_RUN_MS = 120_000;

export function hasStopped({ ageMs, limitMs }: LoopHealth): boolean {
  return ageMs > limitMs;
}

/** `uptimeMs` only goes forward: with a wall clock that is set, loops that run would count as stopped, or the other way round. */
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
