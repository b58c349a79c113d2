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
  stop(): void;
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
  let isProbing = false;
  let isStopped = false;

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
    while (!isStopped && !(await isAnswered())) {
      if (!isOn) {
        isOn = true;
        onSilence();
      }
      await wait(PROBE_EVERY_MS, undefined, { ref: false });
    }
    if (isOn && !isStopped) log.info('the database answers again');
    isOn = false;
    isProbing = false;
  }

  return {
    isOn: () => isOn,
    suspect: () => {
      if (isProbing || isStopped) return;
      isProbing = true;
      void probeUntilAnswered();
    },
    stop: () => {
      isStopped = true;
    },
  };
}
