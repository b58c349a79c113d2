// Whether the database can be written. It cannot from a write that found a full disk or a read-only session until a new session succeeds.
import pg from 'pg';
import type { Log } from '../lib/log.ts';
import { asOutage, DISK_FULL, unwritableReason } from './refusals.ts';

type Writability = {
  /** Why it cannot be written; undefined while it can. */
  whyNot(): string | undefined;
  /** Records a failure that means the database cannot be written. */
  note(error: unknown): void;
  /** Writes as much as a busy second, in a new session, and rolls it back. Throws the reason when that fails. */
  tryToWrite(): Promise<void>;
};

/** A temporary table uses the same disk and frees the space at the commit. */
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
      // A new session: an older one may still be allowed to write when new ones are not, and the other way round.
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
