// Both proofs of a database, as `trilho ledger check` and `trilho audit verify` run them.
import { checkLedger } from '../ledger/check.ts';
import { LEDGER_CHECKS } from '../nouns.ts';
import { type Head, verifyAudit } from '../storage/audit-chain.ts';
import type { Database } from '../storage/database.ts';

export type Proofs = { readonly areRight: boolean; readonly lines: readonly string[] };

/** `head`: a line that the audit log must have. */
export async function proveDatabase(db: Database, head: Head | undefined): Promise<Proofs> {
  const results = await checkLedger(db, LEDGER_CHECKS);
  const differences = results.reduce((sum, { total }) => sum + total, 0);
  const verdict = await verifyAudit(db, head);
  const ledger = differences === 0 ? 'The ledger is right.' : `The ledger is not right: ${differences} differ.`;
  const { broken } = verdict;
  const audit = broken
    ? `The audit log is broken: line ${broken.position}: ${broken.reason}.`
    : `The audit log is whole: ${verdict.head.position} ${verdict.head.hash}`;
  return { areRight: differences === 0 && !broken, lines: [ledger, audit] };
}
