// A database that has gone silent would keep every caller waiting until the limit of a statement. So callers are watched: when one
// has waited for a moment, the database is asked something on a connection that is open for this alone. When that is not answered
// either, nor anything else, callers are refused until a probe is answered. What is only slow is not silent: see `isJudged`.
import type { Log } from '../lib/log.ts';
import type { Calls } from './calls.ts';
import { isUnreachable } from './faults.ts';

export type Silence = {
  /** True while callers are to be refused. */
  isOn(): boolean;
  /** A caller is served: watches until none is. */
  watch(): void;
  /** A caller or a check has waited in vain: probes the database until it answers. */
  suspect(): void;
  /** Ends the probes, and returns when none runs any more. */
  stop(): Promise<void>;
};

type Deps<Answer> = {
  readonly calls: Pick<Calls, 'waiting' | 'hasCallers' | 'noteAnswer' | 'lastAnswerMs'>;
  /** Asks the database something, with a limit of seconds. */
  readonly probe: () => Promise<Answer>;
  /** Whether the connection of the probe is open: to open one takes a slow server longest. */
  readonly isProbeOpen: () => boolean;
  /** Called when it begins. */
  readonly onSilence: () => void;
  /** Called with the answer, and when it was asked for, while a caller waits. */
  readonly onAnswer: (answer: Answer, askedMs: number) => void;
  readonly log: Log;
};

type Probe = { readonly sentMs: number; readonly wasOpen: boolean; readonly isSuspicion: boolean };

const TICK_MS = 50;
/** How long a caller waits for an answer before the database is probed. */
const SUSPECT_AFTER_MS = 400;
/** How long a probe waits for its answer until its silence counts. */
const JUDGE_AFTER_MS = 500;
/** As long as the server has answered anything in this time, it is not silent. */
const QUIET_MS = 900;
/** A timer of our own that is later than this says that the machine is slow, and nothing about the database. */
const LATE_TICK_MS = 50;
const PROBE_EVERY_MS = 250;

export function watchSilence<Answer>(deps: Deps<Answer>): Silence {
  const { calls, log } = deps;
  let isOn = false;
  let isSuspected = false;
  let isStopped = false;
  let probe: Probe | undefined;
  let probing = Promise.resolve();
  let nextProbeMs = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastTickMs = 0;
  let lastLateMs = 0;

  function tick(): void {
    const now = performance.now();
    // The answers that came meanwhile are read after this tick.
    if (now - lastTickMs > TICK_MS + LATE_TICK_MS) lastLateMs = now;
    lastTickMs = now;
    if (probe && !isOn && isJudged(probe, now)) begin();
    const isLongWait = calls.waiting().some(({ sinceMs }) => now - sinceMs >= SUSPECT_AFTER_MS);
    const isReason = isOn || isSuspected || isLongWait;
    if (!probe && now >= nextProbeMs && (isReason || !deps.isProbeOpen())) send(isReason);
    if (!probe && !isReason && !calls.hasCallers()) rest();
  }

  /** Nothing came on any connection, the probe did not have to open one, and this process had time to see an answer. */
  function isJudged({ sentMs, wasOpen, isSuspicion }: Probe, now: number): boolean {
    const isQuiet = now - calls.lastAnswerMs() >= QUIET_MS && wasOnTime(now);
    return isSuspicion && wasOpen && isQuiet && now - sentMs >= JUDGE_AFTER_MS;
  }

  /** This process had time to see an answer. */
  function wasOnTime(now: number): boolean {
    return now - lastTickMs <= TICK_MS + LATE_TICK_MS && now - lastLateMs >= JUDGE_AFTER_MS;
  }

  function begin(): void {
    isOn = true;
    log.warn('the database does not answer; requests are refused until it does');
    deps.onSilence();
  }

  function send(isSuspicion: boolean): void {
    const sent: Probe = { sentMs: performance.now(), wasOpen: deps.isProbeOpen(), isSuspicion };
    probe = sent;
    probing = deps
      .probe()
      .then(
        answer => {
          calls.noteAnswer();
          if (isSuspicion) deps.onAnswer(answer, sent.sentMs);
          return true;
        },
        // One that says why it does not serve has answered; so it has when others were answered meanwhile.
        error => !isUnreachable(error) || calls.lastAnswerMs() > sent.sentMs,
      )
      .then(isAnswered => {
        probe = undefined;
        nextProbeMs = performance.now() + PROBE_EVERY_MS;
        if (isStopped) return;
        if (isAnswered) end();
        else if (isSuspicion && !isOn && wasOnTime(performance.now())) begin();
      });
  }

  function end(): void {
    if (isOn) log.info('the database answers again');
    isOn = false;
    isSuspected = false;
  }

  function watch(): void {
    if (timer !== undefined || isStopped) return;
    lastTickMs = performance.now();
    lastLateMs = 0;
    timer = setInterval(tick, TICK_MS).unref();
  }

  function rest(): void {
    clearInterval(timer);
    timer = undefined;
  }

  return {
    isOn: () => isOn,
    watch,
    suspect: () => {
      isSuspected = true;
      watch();
    },
    stop: async () => {
      isStopped = true;
      rest();
      await probing;
    },
  };
}
