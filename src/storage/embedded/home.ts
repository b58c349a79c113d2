// Where the embedded database lives and as whom it runs: settled once at start, before anything is launched.
import { chmodSync, constants, existsSync } from 'node:fs';
import { access, chown, cp, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import path from 'node:path';
import { StartError } from '../../lib/errors.ts';
import { LIBRARY_PATH, linkLibraries, locateBinaries, renameInto, shortHash } from './binaries.ts';
import { candidateIdentities, canRun, type Identity } from './identity.ts';

export type Home = {
  readonly identity: Identity;
  /** The cluster: PostgreSQL's own files, and its socket. */
  readonly clusterDir: string;
  readonly logFile: string;
  readonly binDir: string;
  readonly env: NodeJS.ProcessEnv;
};

/** Where root keeps the database when the user that runs it may not enter the data directory. */
const SYSTEM_HOME = '/var/lib/trilho';

export async function settleHome(dataDir: string): Promise<Home> {
  const native = locateBinaries();
  await makeDir(dataDir);
  const home = path.join(SYSTEM_HOME, shortHash(dataDir));
  const mayMove = process.getuid?.() === 0 && !existsSync(clusterIn(dataDir));
  // Data that went there once is there still, even when the data directory itself would do by now.
  const hasMoved = mayMove && existsSync(clusterIn(home));
  const inPlace = hasMoved ? undefined : await tryHome(dataDir, native);
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

function clusterIn(home: string): string {
  return path.join(home, 'postgres');
}

async function makeDir(dir: string): Promise<void> {
  try {
    await makeMissing(dir);
    // It may be there already and belong to somebody else.
    await access(dir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const { code } = error as { code?: string };
    throw new StartError(
      `The data directory ${dir} cannot be used (${code}); give it to this user or set TRILHO_DATA_DIR.`,
    );
  }
}

/** Level by level: Node's own way never ends in a place where folders cannot be made, such as /proc. */
async function makeMissing(dir: string): Promise<void> {
  if (existsSync(dir)) return;
  await makeMissing(path.dirname(dir));
  await mkdir(dir).catch(error => {
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
  });
}

/** A copy that any user may run, for a project that lies where only root may look. */
async function copyBinaries(native: string, home: string): Promise<string> {
  // Another release in the same place is another copy.
  const release = await readFile(path.join(native, '..', 'package.json'), 'utf8');
  const copy = path.join(home, `postgresql-${shortHash(native + release)}`);
  if (existsSync(copy)) return copy;
  const draft = await mkdtemp(path.join(home, '.postgresql-'));
  await cp(native, draft, { recursive: true });
  chmodSync(draft, 0o755);
  await renameInto(draft, copy);
  return copy;
}

/** Gives a file or folder to the identity, where that is another user. */
export async function giveTo(identity: Identity, place: string): Promise<void> {
  if (identity.user) await chown(place, identity.user.uid, identity.user.gid);
}
