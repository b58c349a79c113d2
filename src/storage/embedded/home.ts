// Decides where the embedded database stores its data and as which user it runs; once, before anything is started.
import { chmodSync, constants, existsSync } from 'node:fs';
import { access, chown, cp, type FileHandle, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { LIBRARY_PATH, linkLibraries, locateBinaries, renameInto, shortHash } from './binaries.ts';
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
 * The folder for the database of a service started by root, if the user that runs PostgreSQL cannot enter the data
 * directory.
 */
const SYSTEM_HOME = '/var/lib/trilho';

/**
 * The data directory of PostgreSQL that a start with this `dataDir` would open; undefined when there is none, or none that
 * this user can see.
 */
export function findCluster(dataDir: string): string | undefined {
  return possibleClusters(dataDir).find(existsSync);
}

/** Where the data directory of PostgreSQL may be. */
export function possibleClusters(dataDir: string): string[] {
  const homes = process.getuid?.() === 0 ? [dataDir, systemHome(dataDir)] : [dataDir];
  return homes.map(clusterIn);
}

export async function settleHome(dataDir: string): Promise<Home> {
  const native = locateBinaries();
  await makeDir(dataDir);
  const home = systemHome(dataDir);
  const mayMove = process.getuid?.() === 0 && !existsSync(clusterIn(dataDir));
  // If the data was created there once, use it, even when the data directory itself would work now.
  const isThere = mayMove && existsSync(clusterIn(home));
  const inPlace = isThere ? undefined : await tryHome(dataDir, native);
  if (inPlace) return inPlace;
  if (mayMove) {
    await makeDir(home);
    const elsewhere = await tryHome(home, await copyBinaries(native, home));
    if (elsewhere) return elsewhere;
  }
  throw new StartError(
    `PostgreSQL does not run as root, and no other user of this machine can run it in ${dataDir}: start as an ordinary user or set DATABASE_URL.`,
  );
}

async function tryHome(home: string, native: string): Promise<Home | undefined> {
  const clusterDir = clusterIn(home);
  const libraries = [await linkLibraries(native, home), path.join(native, 'lib')];
  const env = { [LIBRARY_PATH]: libraries.join(':'), PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' };
  const binDir = path.join(native, 'bin');
  for (const identity of candidateIdentities(clusterDir)) {
    if (!canRun(identity, home, path.join(binDir, 'postgres'), env)) continue;
    return { identity, clusterDir, logFile: path.join(home, 'postgres.log'), binDir, env };
  }
  return undefined;
}

function systemHome(dataDir: string): string {
  return path.join(SYSTEM_HOME, shortHash(dataDir));
}

function clusterIn(home: string): string {
  return path.join(home, 'postgres');
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

/** Copies the binaries to a place where any user can run them, for a project in a folder that only root can read. */
async function copyBinaries(native: string, home: string): Promise<string> {
  // The hash changes with the release, so that each release gets its own copy.
  const release = await readFile(path.join(native, '..', 'package.json'), 'utf8');
  const copy = path.join(home, `postgresql-${shortHash(native + release)}`);
  if (existsSync(copy)) return copy;
  const draft = await mkdtemp(path.join(home, '.postgresql-'));
  await cp(native, draft, { recursive: true });
  chmodSync(draft, 0o755);
  await renameInto(draft, copy);
  return copy;
}

/** Changes the owner of a file or folder to the identity, if that is another user. */
export async function giveTo(identity: Identity, place: string): Promise<void> {
  if (identity.user) await chown(place, identity.user.uid, identity.user.gid);
}

/** For `writeDurably`: a file of the identity. */
export function ownedBy({ user }: Identity): { readonly prepare?: (handle: FileHandle) => Promise<void> } {
  return user ? { prepare: handle => handle.chown(user.uid, user.gid) } : {};
}
