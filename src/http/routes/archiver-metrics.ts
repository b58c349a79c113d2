// The gauges of the archiving of the write-ahead log; absent where nothing is archived.
import { Gauge, type Registry } from 'prom-client';
import type { ArchiverState } from '../../storage/archiver-state.ts';

export function archiverGauges(registry: Registry) {
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers: [registry] });
  const failing = gauge('trilho_wal_archive_failing', '1 when the last attempt to archive the log has failed.');
  const archived = gauge('trilho_wal_archived_timestamp_seconds', 'When a segment of the log was last archived.');
  return {
    gauges: [failing, archived],
    show: (state: ArchiverState | undefined) => {
      if (!state) return;
      failing.set(state.isFailing ? 1 : 0);
      if (state.lastArchivedAt) archived.set(state.lastArchivedAt.getTime() / 1000);
    },
  };
}
