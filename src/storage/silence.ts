// A database that has gone silent keeps every caller waiting until its limit. Once that has happened, callers are refused at
// once, until a probe in the background is answered.
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../lib/log.ts';
import { isUnreachable } from './faults.ts';

export type Silence = {
  /** True while callers are to be refused. */
  isOn(): boolean;
  /** A caller has waited in vain: probes the database until it answers. */
  suspect(): void;
  /** Ends the probes, and returns when none runs any more. */
  stop(): Promise<void>;
};

type Deps = {
  /** Asks the database something, with a short limit. */
  readonly probe: () => Promise<unknown>;
  /** Called when it begins. */
  readonly onSilence: () => void;
  readonly log: Log;
};

const PROBE_EVERY_MS = 500;

export function watchSilence({ probe, onSilence, log }: Deps): Silence {
  let isOn = false;
  let probing: Promise<void> | undefined;
  const stopping = new AbortController();

  async function isAnswered(): Promise<boolean> {
    try {
      await probe();
      return true;
    } catch (error) {
      if (!isUnreachable(error)) return true;
      if (!isOn) log.warn('the database does not answer; requests are refused until it does', { error });
      return false;
    }
  }

  async function probeUntilAnswered(): Promise<void> {
    while (!stopping.signal.aborted && !(await isAnswered())) {
      if (!isOn) {
        isOn = true;
        onSilence();
      }
      await wait(PROBE_EVERY_MS, undefined, { ref: false, signal: stopping.signal }).catch(() => {});
    }
    if (isOn && !stopping.signal.aborted) log.info('the database answers again');
    isOn = false;
    probing = undefined;
  }

  return {
    isOn: () => isOn,
    suspect: () => {
      if (!stopping.signal.aborted) probing ??= probeUntilAnswered();
    },
    stop: async () => {
      stopping.abort();
      await probing;
    },
  };
}
