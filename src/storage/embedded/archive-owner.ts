// Records which database a WAL archive belongs to, and which archive a database has: logs of two databases in one archive make restores
// wrong, and a database that is started without its archive leaves a gap in it.
import { existsSync } from 'node:fs';
import { open, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Static, Type } from 'typebox';
import { StartError } from '../../lib/errors.ts';
import { writeDurably } from '../../lib/files/write-durably.ts';
import { checkSchema } from '../../lib/settings/check-schema.ts';
import { type Home, ownedBy } from './home.ts';
import { HISTORY } from './timelines.ts';
import { archiveHistories } from './wal-archive.ts';

const OWNER_FILE = 'database.json';
/** In the folder of the database; a base backup does not copy it. */
const KEPT_FILE = 'trilho.wal-archive';

/** A restored database has the identifier of the saved one, and its own timeline. */
const Owner = Type.Object(
  { systemIdentifier: Type.String({ pattern: '^[0-9]{1,20}$' }), timeline: Type.Integer({ minimum: 1 }) },
  { additionalProperties: false },
);
type Owner = Static<typeof Owner>;

/** Undefined for an archive that no database has opened yet. */
export async function readOwner(archiveDir: string): Promise<Owner | undefined> {
  const file = path.join(archiveDir, OWNER_FILE);
  if (!existsSync(file)) return undefined;
  try {
    const checked = checkSchema(Owner, JSON.parse(await readFile(file, 'utf8')));
    if ('value' in checked) return checked.value;
  } catch {
    // As below.
  }
  throw new StartError(`The WAL archive ${archiveDir} is damaged: ${OWNER_FILE} cannot be read.`);
}

/**
 * Assigns the archive to this database. Refuses the archive of another one and, without `takesOver`, that of the database from which this
 * one was restored: it may still be running.
 */
export async function claimArchive(archiveDir: string, home: Home, takesOver: boolean): Promise<void> {
  const [owner, own] = [await readOwner(archiveDir), await identify(home.clusterDir)];
  if (owner && owner.systemIdentifier !== own.systemIdentifier) {
    throw new StartError(`TRILHO_WAL_ARCHIVE ${archiveDir} has the log of another database: name a new folder.`);
  }
  if (owner && owner.timeline !== own.timeline && !takesOver) {
    throw new StartError(
      `TRILHO_WAL_ARCHIVE ${archiveDir} belongs to the database that this one was restored from: name a new folder, or, when that one is gone, run trilho backup --base --take-over.`,
    );
  }
  await archiveHistories(archiveDir, home);
  if (owner?.timeline === own.timeline) return;
  await writeDurably(path.join(archiveDir, OWNER_FILE), `${JSON.stringify(own)}\n`, ownedBy(home.identity));
}

async function identify(clusterDir: string): Promise<Owner> {
  const control = await open(path.join(clusterDir, 'global', 'pg_control'));
  try {
    // The control file begins with the identifier in every version of PostgreSQL.
    const { buffer } = await control.read(Buffer.alloc(8), 0, 8, 0);
    const histories = (await readdir(path.join(clusterDir, 'pg_wal'))).filter(name => HISTORY.test(name));
    // The server keeps the history of its own timeline, which is the newest it knows.
    const timeline = Math.max(1, ...histories.map(name => Number.parseInt(name, 16)));
    return { systemIdentifier: String(buffer.readBigUInt64LE()), timeline };
  } finally {
    await control.close();
  }
}

/**
 * The archive that a start uses: that of the setting or, without the setting, the one that the database had before. Refuses a setting with
 * another one.
 */
export async function chooseArchive(clusterDir: string, set: string | undefined): Promise<string | undefined> {
  const file = path.join(clusterDir, KEPT_FILE);
  if (!existsSync(file)) return set;
  const kept = (await readFile(file, 'utf8')).trim();
  if (set === undefined || set === kept) return kept;
  throw new StartError(
    `The embedded database archives its log to ${kept}, and TRILHO_WAL_ARCHIVE is ${set}: set it as it was, or remove ${file} to begin another archive.`,
  );
}

/** Refuses to begin the archive again: when its disk is not mounted, its folder is empty or missing. */
export async function requireKeptArchive(clusterDir: string, archiveDir: string): Promise<void> {
  const file = path.join(clusterDir, KEPT_FILE);
  if (!existsSync(file) || (await readOwner(archiveDir))) return;
  throw new StartError(
    `The WAL archive ${archiveDir} of this database is missing: mount its disk, or remove ${file} to begin another archive.`,
  );
}

/** Refuses a folder to which the running database does not archive its log. */
export async function requireArchiveInUse(clusterDir: string, archiveDir: string): Promise<void> {
  if (!existsSync(path.join(clusterDir, KEPT_FILE))) {
    throw new StartError('The embedded database runs without TRILHO_WAL_ARCHIVE: restart the service with it first.');
  }
  await chooseArchive(clusterDir, archiveDir);
  await requireKeptArchive(clusterDir, archiveDir);
}

/** Refuses to create a database for an archive that already has one. */
export async function refuseOwned(archiveDir: string): Promise<void> {
  if (!(await readOwner(archiveDir))) return;
  throw new StartError(
    `TRILHO_WAL_ARCHIVE ${archiveDir} has the log of another database: restore it with trilho restore --archive, or name a new folder.`,
  );
}

/** From now on a start without the setting uses this archive. */
export async function keepArchive({ clusterDir, identity }: Home, archiveDir: string): Promise<void> {
  const file = path.join(clusterDir, KEPT_FILE);
  if (!existsSync(file)) await writeDurably(file, `${archiveDir}\n`, ownedBy(identity));
}
