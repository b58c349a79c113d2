// Processor time of processes, from /proc, which only Linux has. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
import { existsSync, readdirSync, readFileSync } from 'node:fs';

/** USER_HZ, which is 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;
const PARENT = 1;
const [USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM] = [11, 12, 13, 14] as const;

export const hasProc = existsSync('/proc/self/stat');

/** Seconds that a process has used. */
export function processSeconds(pid: number): number {
  const fields = statOf(pid);
  if (!fields) throw new Error(`process ${pid} has ended`);
  return sumOf(fields, [USER, SYSTEM]);
}

/** Seconds that a process, its running children and its ended children have used. */
export function processTreeSeconds(pid: number): number {
  const root = statOf(pid);
  if (!root) throw new Error(`process ${pid} has ended`);
  const children = readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      const fields = statOf(Number(name));
      return fields && Number(fields[PARENT]) === pid ? [fields] : [];
    });
  // The time of an ended child is part of its parent's.
  const own = sumOf(root, [USER, SYSTEM, CHILDREN_USER, CHILDREN_SYSTEM]);
  return children.reduce((sum, fields) => sum + sumOf(fields, [USER, SYSTEM]), own);
}

/** Processor time of a service, of PostgreSQL and of others, read before and after a load; nothing where there is no /proc. */
export function startProcessorMeter(
  servicePid: number,
  postmasterPid: number,
  others: Readonly<Record<string, number>> = {},
): { perRequest(requests: number): string } {
  const read = () => [
    { name: 'service', seconds: processSeconds(servicePid) },
    { name: 'PostgreSQL', seconds: processTreeSeconds(postmasterPid) },
    ...Object.entries(others).map(([name, pid]) => ({ name, seconds: processSeconds(pid) })),
  ];
  if (!hasProc) return { perRequest: () => 'processor time unknown' };
  const before = read();
  return {
    perRequest: requests => {
      const each = read().map(({ name, seconds }, index) => {
        const used = ((seconds - before[index]!.seconds) / requests) * 1000;
        return `${name} ${used.toFixed(2)} ms`;
      });
      return `processor time each: ${each.join(', ')}`;
    },
  };
}

/** The fields after the name of the program, which may contain blanks; undefined when the process has ended. */
function statOf(pid: number): string[] | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined;
  }
}

function sumOf(fields: readonly string[], indexes: readonly number[]): number {
  return indexes.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_PER_SECOND;
}
