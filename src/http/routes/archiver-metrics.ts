// The gauge of the archiving of the write-ahead log.
import { Gauge, type Registry } from 'prom-client';
import type { ArchiverState } from '../../storage/archiver-state.ts';

export function archiverGauge(registry: Registry) {
  const gauge = new Gauge({
    name: 'trilho_wal_archive_failing',
    help: '1 when the last attempt to archive the write-ahead log has failed, or a segment waits for too long.',
    registers: [registry],
  });
  return { gauge, show: (state: ArchiverState | undefined) => gauge.set(state?.isFailing ? 1 : 0) };
}
