// Programs of Debian's packages that a drill starts. PostgreSQL refuses root, so as root all of them run as the user `postgres`.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export type Program = {
  /** The process and all that it has started, now. */
  pids(): number[];
  stop(): Promise<void>;
};

type User = { readonly uid: number; readonly gid: number } | undefined;

const STOP_LIMIT_MS = 10_000;

export function ordinaryUser(): User {
  if (process.getuid?.() !== 0) return undefined;
  const ask = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: ask('-u'), gid: ask('-g') };
}

/** What it prints goes to a file of its name in `dir`. */
export function run(dir: string, user: User, name: string, command: string, args: readonly string[]): Program {
  const file = openSync(path.join(dir, `${name}.log`), 'a');
  const env = { PATH: process.env['PATH'], HOME: dir, LC_ALL: 'C' };
  const child = spawn(command, args, { ...user, cwd: dir, env, stdio: ['ignore', file, file] });
  closeSync(file);
  child.on('error', error => process.stderr.write(`${name}: ${error.message}; sh drills/install.sh\n`));
  return { pids: () => (hasEnded(child) ? [] : family(child.pid!)), stop: () => end(child) };
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

async function end(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGCONT');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(timer);
}

/** A process and all that it has started, parents before their children. */
export function family(root: number): number[] {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc').filter(word => /^\d+$/.test(word))) {
    const parent = parentOf(name);
    if (parent !== undefined) childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found = [root];
  for (const pid of found) found.push(...(childrenOf.get(pid) ?? []));
  return found;
}

function parentOf(pid: string): number | undefined {
  try {
    // The name of the program, in parentheses, may contain anything.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ');
    return Number(parent);
  } catch {
    return undefined;
  }
}

/** One that has ended in the meantime is skipped. */
export function signalAll(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ESRCH') throw error;
    }
  }
}
