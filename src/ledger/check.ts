// Whether the ledger is right: in itself, and beside what the nouns say that moved. A check is a query that finds what
// differs; each noun brings its own, since this room knows none of them.
import type { Database } from '../storage/database.ts';
import { type CheckResult, findDifferences, type LedgerCheck, OWN_CHECKS, openSnapshot } from './store-check.ts';

/** Differences of one check that are brought along; the others are only counted. */
export const MAX_DIFFERENCES = 20;

/** Runs the ledger's own checks and more, all on one snapshot, so that what goes on meanwhile does not look wrong. */
export function checkLedger(db: Database, moreChecks: readonly LedgerCheck[]): Promise<CheckResult[]> {
  return db.transaction(
    async tx => {
      await openSnapshot(tx);
      const results: CheckResult[] = [];
      for (const check of [...OWN_CHECKS, ...moreChecks]) {
        results.push(await findDifferences(tx, check, MAX_DIFFERENCES));
      }
      return results;
    },
    { isLong: true },
  );
}
