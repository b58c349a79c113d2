// What the drills print in the same way: a figure in a line, and the memory of a program.
import { readFileSync } from 'node:fs';

export function print(what: string, value: number | string): void {
  process.stdout.write(`${what.padEnd(40)} ${String(value).padStart(14)}\n`);
}

/** Resident, in MiB. */
export function memoryOf({ pid }: { readonly pid: number }): number {
  const [, kib] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kib) / 1024);
}
