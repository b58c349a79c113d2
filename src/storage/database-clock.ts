// The time of the database's machine, which all nodes share: this machine's clock plus its offset. The offset is measured in the
// background, so that reading the time costs nothing.
import type { Clock } from '../lib/clock.ts';
import type { Heartbeats } from '../lib/heartbeats.ts';
import type { Log } from '../lib/log.ts';
import { startLoop } from '../lib/loop.ts';
import type { Sql } from './database.ts';

export type DatabaseClock = Clock & {
  /** How far the machine's clock is behind the database's; negative when it is ahead. */
  offsetMs(): number;
  stop(): Promise<void>;
};

type Deps = {
  readonly db: Sql;
  readonly log: Log;
  readonly machineClock: Clock;
  readonly heartbeats?: Heartbeats | undefined;
};

const MEASURE_EVERY_MS = 10_000;
const WARN_ABOVE_MS = 1_000;

/** Measures once before it returns. */
export async function startDatabaseClock({ db, log, machineClock, heartbeats }: Deps): Promise<DatabaseClock> {
  let offsetMs = 0;
  let toldMs = 0;

  async function measure(): Promise<void> {
    const sentMs = machineClock.now().getTime();
    const [row] = await db.query<{ now: Date }>('select clock_timestamp() as now');
    const receivedMs = machineClock.now().getTime();
    const measuredMs = Math.round(row!.now.getTime() - (sentMs + receivedMs) / 2);
    // A measurement is only as exact as half its round trip: smaller differences are noise.
    if (Math.abs(measuredMs - offsetMs) <= (receivedMs - sentMs) / 2 + 1) return;
    offsetMs = measuredMs;
    // The first measurement may be inexact, as the connection is just being opened: small corrections are not logged.
    if (Math.abs(offsetMs - toldMs) > WARN_ABOVE_MS) {
      toldMs = offsetMs;
      log.warn("this machine's clock is off; the service uses the database's time", { offsetMs });
    }
  }

  await measure();
  const loop = startLoop({
    name: "measuring the database's clock",
    task: measure,
    pauseMs: MEASURE_EVERY_MS,
    heartbeats,
    log,
  });
  return {
    now: () => new Date(machineClock.now().getTime() + offsetMs),
    offsetMs: () => offsetMs,
    stop: () => loop.stop(),
  };
}
