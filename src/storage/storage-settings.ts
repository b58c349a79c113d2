// The settings of the database: its location, the master keys, and where its log and its old records are archived.
import { keptFor } from '../lib/settings/kept-for.ts';
import { folder } from '../lib/settings/kinds.ts';
import type { Setting, ValuesOf } from '../lib/settings/setting.ts';
import { masterKeys } from './master-key.ts';
import { postgresUrl } from './postgres-url.ts';
import { REPLICA_SETTINGS, replicaSettingsOf } from './replica-settings.ts';

export const STORAGE_SETTINGS = [
  {
    name: 'DATABASE_URL',
    kind: postgresUrl,
    isSecret: true,
    meaning: 'The PostgreSQL server, 14 or later. Not set: the embedded database.',
  },
  ...REPLICA_SETTINGS,
  {
    name: 'TRILHO_DATA_DIR',
    kind: folder,
    default: './data',
    meaning: 'Folder of the embedded database; a relative path starts at the working directory.',
  },
  {
    name: 'TRILHO_MASTER_KEY',
    kind: masterKeys,
    isSecret: true,
    meaning:
      'Master keys for secrets in the database and for sealed files, as trilho secrets key makes them. Several: the first seals, all of them open. Not set: nothing is sealed.',
  },
  {
    name: 'TRILHO_WAL_ARCHIVE',
    kind: folder,
    meaning:
      'Folder to which the embedded database archives its write-ahead log, for a restore to any moment; best on another disk. Not set: the one used before, if any.',
  },
  {
    name: 'TRILHO_ARCHIVE_DIR',
    kind: folder,
    meaning:
      'Folder to which old events and audit lines are moved, and into which other rows are written before they are removed; best on another disk, the same for all nodes. Not set: events and audit lines are never removed, and other rows are removed without a file.',
  },
  {
    name: 'TRILHO_KEEP_AUDIT',
    kind: keptFor,
    default: 'P10Y',
    meaning: 'How long lines of the audit log stay in the database before they are moved to TRILHO_ARCHIVE_DIR.',
  },
  {
    name: 'TRILHO_KEEP_TRACES',
    kind: keptFor,
    default: 'P90D',
    meaning: 'How long the trace of a charge, an order or a payout is kept; later work on it has no trace.',
  },
] as const satisfies readonly Setting[];

export type StorageSettings = Readonly<ReturnType<typeof storageSettingsOf>>;

export function storageSettingsOf(values: ValuesOf<typeof STORAGE_SETTINGS>) {
  const { DATABASE_URL, TRILHO_WAL_ARCHIVE, TRILHO_ARCHIVE_DIR } = values;
  const replica = replicaSettingsOf(values);
  return {
    /** Absent: the embedded database. */
    ...(DATABASE_URL !== undefined && { databaseUrl: DATABASE_URL }),
    ...(replica && { replica }),
    dataDir: values.TRILHO_DATA_DIR,
    /** The first key seals. */
    masterKeys: values.TRILHO_MASTER_KEY ?? [],
    ...(TRILHO_WAL_ARCHIVE !== undefined && { walArchive: TRILHO_WAL_ARCHIVE }),
    /** Absent: old events and audit lines stay. */
    ...(TRILHO_ARCHIVE_DIR !== undefined && { archiveDir: TRILHO_ARCHIVE_DIR }),
    keepAudit: values.TRILHO_KEEP_AUDIT,
    keepTraces: values.TRILHO_KEEP_TRACES,
  };
}
