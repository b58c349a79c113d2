// The background work of the storage itself: sealing the audit log, merging counts, and removing old rows.
import type { JobSettings } from '../jobs/job-settings.ts';
import { pruneJobs } from '../jobs/prune-jobs.ts';
import type { Clock } from '../lib/clock.ts';
import type { Module } from '../module.ts';
import { pruneAudit } from './archive/prune-audit.ts';
import { type SealingDeps, startSealing } from './audit-chain.ts';
import { startMergingCounts } from './merge-counts.ts';
import { pruneTraces } from './object-traces.ts';
import type { StorageSettings } from './storage-settings.ts';

type Settings = Pick<StorageSettings, 'keepAudit' | 'keepTraces' | 'archiveDir'> & JobSettings;

export function storageModule(
  deps: SealingDeps & { readonly clock: Clock },
  { keepAudit, keepTraces, keepJobs, archiveDir: dir }: Settings,
): Module {
  // Without an archive, the audit log is kept.
  const records = dir === undefined ? [] : [pruneAudit({ clock: deps.clock, dir }, keepAudit)];
  return {
    prunes: [pruneTraces(keepTraces), pruneJobs(keepJobs), ...records],
    background: [{ start: () => startSealing(deps) }, { start: () => startMergingCounts(deps) }],
  };
}
