// A background loop: runs a task repeatedly, with a pause in between, until it is stopped.
import { setTimeout as wait } from 'node:timers/promises';
import { isOutage, type Outage } from './errors.ts';
import type { Heartbeats } from './heartbeats.ts';
import type { Log } from './log.ts';

export type Loop = {
  /** Ends the current pause. */
  wake(): void;
  /** Starts no further run and returns when the current one has ended, or takes too long. */
  stop(): Promise<void>;
};

/** Shows that a run makes progress. */
export type Beat = () => void;

type Options = {
  /** A unique name for the log and the heartbeat, such as "sealing the audit log". */
  readonly name: string;
  /** A long task calls `beat` after each of its steps: then the limit is for a step, not the whole run. */
  readonly task: (signal: AbortSignal, beat: Beat) => Promise<void>;
  readonly pauseMs: number;
  /** A pause that `wake` does not cut short: several calls within it cause one run. */
  readonly minPauseMs?: number;
  /** The pause after a failed run; `pauseMs` when absent. */
  readonly pauseAfterFailureMs?: number;
  /** Runs once more at the stop, so that no work is left over. */
  readonly runsAtStop?: boolean;
  /** How long `stop` waits for the current run. */
  readonly stopLimitMs?: number;
  /** How long a run, or a step of it, may take before its node counts as not ready; two minutes when absent. */
  readonly longestRunMs?: number;
  /** The heartbeats of the node. */
  readonly heartbeats?: Heartbeats | undefined;
  readonly log: Log;
};

/** A database that does not answer must not keep the service from stopping. */
const STOP_LIMIT_MS = 8_000;

/** A run that throws is logged, an outage once until it ends; the loop continues. */
export function startLoop(options: Options): Loop {
  const {
    name,
    task,
    pauseMs,
    minPauseMs = 0,
    pauseAfterFailureMs = pauseMs,
    runsAtStop = false,
    stopLimitMs = STOP_LIMIT_MS,
    longestRunMs,
    heartbeats,
    log,
  } = options;
  const heartbeat = heartbeats?.start(name, Math.max(pauseMs, pauseAfterFailureMs) + minPauseMs, longestRunMs);
  const beat = () => heartbeat?.beatInRun();
  const stopping = new AbortController();
  let waking = new AbortController();
  let lastOutage: Outage | undefined;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      // A `wake` from here on ends the pause after this run.
      waking = new AbortController();
      const hasFailed = await runOnce();
      heartbeat?.beat(hasFailed ? 'failed' : 'done');
      await pause(minPauseMs, stopping.signal);
      await pause(hasFailed ? pauseAfterFailureMs : pauseMs, AbortSignal.any([stopping.signal, waking.signal]));
    }
    if (runsAtStop) await runOnce();
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await wait(ms, undefined, { signal }).catch(() => {});
  }

  async function runOnce(): Promise<boolean> {
    try {
      await task(stopping.signal, beat);
      lastOutage = undefined;
      return false;
    } catch (error) {
      const outage = isOutage(error) ? error.code : undefined;
      // An outage fails every run until it ends; only the first is logged.
      if (outage === undefined || outage !== lastOutage) log.warn(`${name} failed; it is retried`, { error });
      lastOutage = outage;
      return true;
    }
  }

  const ended = run();
  return {
    wake: () => waking.abort(),
    stop: async () => {
      stopping.abort();
      heartbeat?.end();
      await Promise.race([ended, wait(stopLimitMs, undefined, { ref: false })]);
    },
  };
}
