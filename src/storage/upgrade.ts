// Databases from before the baseline: how each is recognised, and the steps to upgrade it.
import { createHash } from 'node:crypto';
import { type Applied, isOfBaseline, type Migration, readUpgrade } from './migrations.ts';

/** The hash of all migrations of release 0.2.0. */
const RELEASE_0_2_0 = 'dacc3342c0bc0e28af5ecb93955dc5efda49725625ebe342a31b7e56598d5033';
/** The hash of all migrations of the last version before the baseline; its tables are those of the baseline. */
const LAST_SNAPSHOT = '5ef93b01071e9a47e5298a17b02a667468ef0b5d9eb3ec1b539d348c40dc2aea';
/** The first migration of both, and of every version in between. */
const OLD_STORAGE = '72319a9d9c41520c4a7ddca9de52cad9988f32c27395e79564fc64b41afc1905';

export const WAY_OF_SNAPSHOTS =
  'start the last of these versions on it once, then this one. docs/servers.md#databases-of-older-versions says which one that is.';

/** A step on a database, in the transaction of all steps. */
export type Step = {
  /** The name in the log and the plan. */
  readonly name: string;
  /** It begins with a comment that describes it. */
  readonly sql: string;
  /** Migrations to record as applied afterwards. */
  readonly records: readonly Migration[];
  /** Whether earlier records are deleted. */
  readonly replacesRecords: boolean;
};

/** The steps that bring a database with these migrations to the baseline; undefined when it is not from before. */
export async function upgradeStep(applied: Applied, migrations: readonly Migration[]): Promise<Step | undefined> {
  const records = migrations.filter(isOfBaseline);
  if (isLastSnapshot(applied)) {
    return {
      name: 'upgrades/last-snapshot',
      sql: '-- The tables are already those of 1.0.0: this is recorded, and nothing else changes.',
      records,
      replacesRecords: true,
    };
  }
  if (digestOf(applied) !== RELEASE_0_2_0) return undefined;
  const [setAside, copyRows] = await readUpgrade('0.2.0');
  const sql = [setAside, ...records.map(migration => migration.sql), copyRows].join('\n');
  return { name: 'upgrades/0.2.0', sql, records, replacesRecords: true };
}

export function isLastSnapshot(applied: Applied): boolean {
  return digestOf(applied) === LAST_SNAPSHOT;
}

/** A development version between 0.2.0 and 1.0.0: nothing here knows its tables. */
export function isUnknownSnapshot(applied: Applied): boolean {
  const isOld = applied.get('0001_storage.sql') === OLD_STORAGE;
  return isOld && ![RELEASE_0_2_0, LAST_SNAPSHOT].includes(digestOf(applied));
}

function digestOf(applied: Applied): string {
  const lines = [...applied].map(([name, sha256]) => `${name} ${sha256}\n`).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
