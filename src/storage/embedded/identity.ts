// The user that runs the database. PostgreSQL refuses root, so a service started by root runs it in a user namespace
// where root has another uid (files and owners stay as they are), or as another user of the machine.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

type User = { readonly uid: number; readonly gid: number };

export type Identity = {
  /** The command line that runs `command` as this identity. */
  wrap(command: string, args: readonly string[]): [command: string, args: string[]];
  /** The user that `spawn` switches to. */
  readonly user: User | undefined;
  /** The owner of the database's files, if not the current user. */
  readonly owner: User | undefined;
};

const asIs: Identity = { wrap: (command, args) => [command, [...args]], user: undefined, owner: undefined };

/** Identities to try for a cluster in `place`, best first. A cluster that does not belong to root is run by its owner. */
export function candidateIdentities(place: string): Identity[] {
  if (process.getuid?.() !== 0) return [asIs];
  const { uid, gid } = statSync(nearestExisting(place));
  const owner = uid === 0 ? findUser() : { uid, gid };
  if (!owner) return [];
  const isTheirs = existsSync(place) && uid !== 0;
  return [...(isTheirs ? [] : [namespaced(owner)]), { ...asIs, user: owner, owner }, entering(owner)];
}

/** True when this identity can run `command` from inside `folder`. */
export function canRun(identity: Identity, folder: string, command: string, env: NodeJS.ProcessEnv): boolean {
  const [shell, args] = identity.wrap('/bin/sh', ['-c', 'cd "$1" && "$2" --version', 'sh', folder, command]);
  return spawnSync(shell, args, { ...identity.user, env, stdio: 'ignore', timeout: 10_000 }).status === 0;
}

function namespaced({ uid }: User): Identity {
  return { ...asIs, wrap: (command, args) => ['unshare', ['--user', `--map-user=${uid}`, '--', command, ...args]] };
}

/** As another user that keeps one capability of root: to enter folders that only root may enter, such as /root. */
function entering(owner: User): Identity {
  const right = '-all,+dac_override';
  const options = [
    ...[`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups'],
    // The server checks with `access` that it may run its own programs, which respects the capability only without the fixup.
    ...[`--inh-caps=${right}`, `--ambient-caps=${right}`, '--securebits=+no_setuid_fixup'],
  ];
  return { ...asIs, owner, wrap: (command, args) => ['setpriv', [...options, '--', command, ...args]] };
}

function nearestExisting(place: string): string {
  return existsSync(place) ? place : nearestExisting(path.dirname(place));
}

/** An unprivileged user of this machine; `initdb` refuses one that is not in the list of users. */
function findUser(): User | undefined {
  const lines = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8').split('\n') : [];
  const users = lines.map(line => line.split(':'));
  const found = ['postgres', 'daemon', 'nobody'].flatMap(name => users.filter(([own]) => own === name))[0];
  return found && { uid: Number(found[2]), gid: Number(found[3]) };
}
