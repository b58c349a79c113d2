// Whether the database can be written: from a write that found its disk full, or its session read-only, until a new session can.
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { asOutage, DISK_FULL, unwritableReason } from './refusals.ts';

export type Writability = {
  /** Why it cannot be written; undefined while nothing has said so. */
  whyNot(): string | undefined;
  /** Remembers what a failure says about the time after it. */
  note(error: unknown): void;
  /** Writes as much as a busy second would, in a session of its own, and throws it away. Refused with the reason. */
  tryToWrite(): Promise<void>;
};

/** Rolled back by itself: a temporary table takes its room from the same disk and gives it back. */
const TRY_TO_WRITE = `
  create temporary table room on commit drop as select repeat('x', 500) as filler from generate_series(1, 1000)`;

export function watchWritability(settings: pg.ClientConfig, log: Log): Writability {
  let unwritable: string | undefined;
  return {
    whyNot: () => unwritable,

    note: error => {
      const reason = unwritableReason(error);
      if (reason === undefined || reason === unwritable) return;
      unwritable = reason;
      const what = reason === DISK_FULL ? 'the disk of the database is full' : 'the database is read-only';
      log.error(`${what}; this node is not ready until it can write again`, { error });
    },

    tryToWrite: async () => {
      // A session that was opened earlier may still be allowed what a new one is not, and the other way round.
      const client = new pg.Client(settings);
      client.on('error', () => {});
      try {
        await client.connect();
        await client.query(TRY_TO_WRITE);
      } catch (error) {
        throw asOutage(error);
      } finally {
        await client.end().catch(() => {});
      }
      if (unwritable !== undefined) log.info('the database can be written again');
      unwritable = undefined;
    },
  };
}
