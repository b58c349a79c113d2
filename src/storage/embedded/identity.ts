// The user that runs the database. PostgreSQL refuses root, so a service started by root runs it in a user namespace
// where root has another uid (files and owners stay as they are), or as another user of the machine.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

export type Identity = {
  /** The command line that runs `command` as this identity. */
  wrap(command: string, args: readonly string[]): [command: string, args: string[]];
  /** The user to switch to, if it differs from the current one; files for the database must belong to it. */
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
};

const asIs: Identity = { wrap: (command, args) => [command, [...args]], user: undefined };

/**
 * Identities to try, best first. If `place` exists already and root does not own it, only its owner is tried.
 */
export function candidateIdentities(place: string): Identity[] {
  if (process.getuid?.() !== 0) return [asIs];
  const owner = ownerOf(nearestExisting(place));
  if (existsSync(place) && owner.uid !== 0) return [asUser(owner)];
  const users = readUsers();
  const names = ['postgres', 'daemon', 'nobody'].flatMap(name => users.get(name) ?? []);
  const [alias] = names;
  return [...(alias ? [namespaced(alias.uid)] : []), ...(owner.uid !== 0 ? [asUser(owner)] : []), ...names.map(asUser)];
}

/** True when this identity can run `command` from inside `folder`. */
export function canRun(identity: Identity, folder: string, command: string, env: NodeJS.ProcessEnv): boolean {
  const [shell, args] = identity.wrap('/bin/sh', ['-c', 'cd "$1" && "$2" --version', 'sh', folder, command]);
  return spawnSync(shell, args, { ...identity.user, env, stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function namespaced(uid: number): Identity {
  return {
    wrap: (command, args) => ['unshare', ['--user', `--map-user=${uid}`, '--', command, ...args]],
    user: undefined,
  };
}

function asUser(user: { uid: number; gid: number }): Identity {
  return { ...asIs, user: { uid: user.uid, gid: user.gid } };
}

function ownerOf(place: string): { uid: number; gid: number } {
  const { uid, gid } = statSync(place);
  return { uid, gid };
}

function nearestExisting(place: string): string {
  return existsSync(place) ? place : nearestExisting(path.dirname(place));
}

function readUsers(): Map<string, { uid: number; gid: number }> {
  if (!existsSync('/etc/passwd')) return new Map();
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return new Map(
    lines.flatMap(line => {
      const [name, , uid, gid] = line.split(':');
      return name && uid && gid ? [[name, { uid: Number(uid), gid: Number(gid) }] as const] : [];
    }),
  );
}
