// What the storage itself does in the background: it seals the audit log, merges counts, and removes what nothing needs any more.
import type { Config } from '../config/config.ts';
import { pruneJobs } from '../jobs/prune-jobs.ts';
import type { Clock } from '../lib/clock.ts';
import type { Module } from '../module.ts';
import { pruneAudit } from './archive/prune-audit.ts';
import { type SealingDeps, startSealing } from './audit-chain.ts';
import { startMergingCounts } from './merge-counts.ts';
import { pruneTraces } from './object-traces.ts';

type Settings = Pick<Config, 'retention' | 'archiveDir'>;

export function storageModule(
  deps: SealingDeps & { readonly clock: Clock },
  { retention, archiveDir: dir }: Settings,
): Module {
  const { traces, jobs, audit } = retention;
  // The audit log is a record: without an archive it stays.
  const records = dir === undefined ? [] : [pruneAudit({ clock: deps.clock, dir }, audit)];
  return {
    prunes: [pruneTraces(traces), pruneJobs(jobs), ...records],
    background: [{ start: () => startSealing(deps) }, { start: () => startMergingCounts(deps) }],
  };
}
