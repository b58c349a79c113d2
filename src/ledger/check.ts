// Checks the ledger: its own invariants, and its agreement with charges and orders. A check is a query that returns the
// differences; each noun defines its own, because the ledger does not depend on the nouns.
import type { Database } from '../storage/database.ts';
import { type CheckResult, findDifferences, type LedgerCheck, OWN_CHECKS, openSnapshot } from './store-check.ts';

/** The number of differences of one check that are returned; the others are only counted. */
const MAX_DIFFERENCES = 20;

/**
 * Runs the ledger's own checks and `moreChecks` on one snapshot, so that concurrent changes do not show up as
 * differences.
 */
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
