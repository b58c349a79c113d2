// Decides where the embedded database stores its data and as which user it runs; once, before anything is started.
import { constants, existsSync } from 'node:fs';
import { access, chown, type FileHandle, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { LIBRARY_PATH, linkLibraries, locateBinaries, shortHash } from './binaries.ts';
import { candidateIdentities, canRun, type Identity } from './identity.ts';

export type Home = {
  readonly identity: Identity;
  /** The data directory of PostgreSQL, with its socket. */
  readonly clusterDir: string;
  readonly logFile: string;
  readonly binDir: string;
  readonly env: NodeJS.ProcessEnv;
};

/**
 * The data directory of PostgreSQL that a start with this `dataDir` would open; undefined when this user cannot see one.
 */
export function findCluster(dataDir: string): string | undefined {
  const clusterDir = clusterIn(dataDir);
  return existsSync(clusterDir) ? clusterDir : undefined;
}

export function clusterIn(dataDir: string): string {
  return path.join(dataDir, 'postgres');
}

export async function settleHome(dataDir: string): Promise<Home> {
  const native = locateBinaries();
  await makeDir(dataDir);
  const clusterDir = clusterIn(dataDir);
  refuseMoved(dataDir, clusterDir);
  const libraries = [await linkLibraries(native, dataDir), path.join(native, 'lib')];
  const env = { [LIBRARY_PATH]: libraries.join(':'), PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
  const binDir = path.join(native, 'bin');
  const postgres = path.join(binDir, 'postgres');
  const identity = candidateIdentities(clusterDir).find(candidate => canRun(candidate, dataDir, postgres, env));
  if (identity) return { identity, clusterDir, logFile: path.join(dataDir, 'postgres.log'), binDir, env };
  throw new StartError(
    `PostgreSQL does not run as root, and no other user of this machine can run ${postgres} in ${dataDir}: start as an ordinary user, move both to where other users have access, or set DATABASE_URL.`,
  );
}

/** Where former versions put the database of a service that root started and that no other user could run in its data directory. */
const FORMER_HOME = '/var/lib/trilho';

function refuseMoved(dataDir: string, clusterDir: string): void {
  const former = path.join(FORMER_HOME, shortHash(dataDir));
  if (process.getuid?.() !== 0 || existsSync(clusterDir) || !existsSync(clusterIn(former))) return;
  throw new StartError(
    `The database of ${dataDir} is in ${former}, where a former version put it: set TRILHO_DATA_DIR to ${former}.`,
  );
}

async function makeDir(dir: string): Promise<void> {
  try {
    await makeMissing(dir);
    // The directory may exist and belong to another user.
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as { code?: string };
    throw new StartError(
      `The data directory ${dir} cannot be used (${code}); give it to this user or set TRILHO_DATA_DIR.`,
    );
  }
}

/** Creates level by level: the recursive option of Node never returns where folders cannot be created, such as in /proc. */
async function makeMissing(dir: string): Promise<void> {
  if (existsSync(dir)) return;
  await makeMissing(path.dirname(dir));
  await mkdir(dir).catch(error => {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  });
}

/** Changes the owner of a file or folder to the identity, if that is another user. */
export async function giveTo(identity: Identity, place: string): Promise<void> {
  if (identity.owner) await chown(place, identity.owner.uid, identity.owner.gid);
}

/** For `writeDurably`: the file belongs to the identity. */
export function ownedBy({ owner }: Identity): { readonly prepare?: (handle: FileHandle) => Promise<void> } {
  return owner ? { prepare: handle => handle.chown(owner.uid, owner.gid) } : {};
}
