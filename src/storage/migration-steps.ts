// Which migrations a database lacks, and which databases are refused.
import { StartError } from '../lib/errors.ts';
import type { Applied, Migration } from './migrations.ts';
import { isUnknownSnapshot, type Step, upgradeStep, WAY_OF_SNAPSHOTS } from './upgrade.ts';

/** The steps for a database with these migrations, in order. Refuses a database that is not from this or an earlier version. */
export async function pendingSteps(applied: Applied, migrations: readonly Migration[]): Promise<readonly Step[]> {
  const upgrade = await upgradeStep(applied, migrations);
  if (!upgrade) refuseUnknown(applied, migrations);
  const has = upgrade ? new Set(upgrade.records.map(({ name }) => name)) : applied;
  const missing = migrations
    .filter(({ name }) => !has.has(name))
    .map(migration => ({
      name: migration.name,
      sql: migration.sql,
      records: [migration],
      replacesRecords: false,
    }));
  return upgrade ? [upgrade, ...missing] : missing;
}

function refuseUnknown(applied: Applied, migrations: readonly Migration[]): void {
  if (isUnknownSnapshot(applied)) {
    throw new StartError(`This database is of a development version between 0.2.0 and 1.0.0: ${WAY_OF_SNAPSHOTS}`);
  }
  const known = new Map(migrations.map(migration => [migration.name, migration.sha256]));
  // First: a development version may have had a migration of the same name with another text.
  const unknown = [...applied.keys()].sort().find(name => !known.has(name));
  if (unknown !== undefined) {
    throw new StartError(
      `The database has the migration ${unknown}, which this version does not have: it belongs to a newer Trilho (start that version) or to a development version before 0.2.0 (start with a new database).`,
    );
  }
  for (const [name, sha256] of applied) {
    if (known.get(name) !== sha256) {
      throw new StartError(
        `The migration ${name} differs from the one that was applied to this database. A released migration is never edited: it is of a development version (start with a new database), or its file was changed.`,
      );
    }
  }
}
